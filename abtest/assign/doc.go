// Package assign decides which variant of an experiment a unit gets. It is pure.
//
// A layer has one table of 10,000 slots. A unit's slot is a hash of the layer's
// salt and the unit's id; the slot's owner is the unit's fate: a variant, or
// nobody (free, holdout, retired), which means control without enrolment.
//
// It owns the hash, the table, its JSON form and the only operations that change
// it: Ramp, Reserve, Retire. It does not own where definitions are kept, kill
// switches, overrides (abtest) or exposure records (aggregator).
//
// Invariants:
//   - an operation gives free slots away or retires owned ones; a slot never goes
//     from one owner to another, so nobody changes variant because a split was
//     ramped, and no memory per unit is needed;
//   - a share is a number of slots: 10.04 % is exactly 1,004;
//   - three salts: the layer's places units on slots, the experiment's variant salt
//     and the holdout's salt order the slots that are given away. They are
//     different strings, so who is enrolled says nothing about which variant;
//   - control is given slots from the far end of that order, so a rollout
//     (treatment only) and a split (treatment and control) put the same units in
//     treatment;
//   - ids are hashed as UTF-8 bytes.
package assign
