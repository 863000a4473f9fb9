// Package pacing knows how long speech takes and what is said next. It is pure:
// time comes in as an argument.
//
// It owns the estimate of a text's spoken length and the order of a room's waiting
// speech. It does not own when speech is refused or cancelled (dispatcher) or how
// text becomes speakable (dispatcher/speech).
//
// Invariants: a lower class goes first, then what can only be said aloud, then the
// earlier speak_by, then the earlier arrival; lengths include no gap, waits do.
package pacing
