// Package exposure decides which exposure.v1 records a unit's activity causes. It
// is pure apart from its memory.
//
// It owns that a unit is logged as bucketed once (its first event in scope) and as
// exposed once (its first eligible danmaku) per experiment version and variant, and
// the records' deterministic ids. It does not assign (abtest) or publish.
//
// Invariants: units that are not enrolled are never logged; exposed is never logged
// before bucketed; the memory is bounded, so a record may repeat after eviction or
// restart, always with the same id.
package exposure
