// Package abtest tells a stage which variant of the layer's experiment a room's
// viewer belongs to.
//
// It owns the in-memory snapshot (definition, sticky overrides, kill switch), its
// refresh, and the way down when Redis is away: the snapshot in memory, then the
// one on disk, then the compiled Default. It does not own the arithmetic
// (abtest/assign), storage (abtest/redisstore) or what is logged as exposure
// (aggregator).
//
// Invariants:
//   - Assign never waits and never fails;
//   - losing Redis changes nobody's variant: the last snapshot stays in force, and
//     what it assigns is flagged Degraded; a Redis that comes back empty is filled
//     with it;
//   - anonymous viewers and everyone under the kill switch get control and are not
//     enrolled (no exposure);
//   - an override never invents a variant: one that the definition does not have is
//     ignored.
package abtest
