// Package stats is the arithmetic of experiment reports. It is pure.
//
// It owns Welch's interval and the check for a sample ratio mismatch. It knows no
// experiment, table or money.
//
// Invariants: no result is NaN or infinite; where a figure cannot be had there is
// a Reason, no interval, and p is 1.
package stats
