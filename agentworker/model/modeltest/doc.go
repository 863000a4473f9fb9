// Package modeltest is a scripted model.Model for tests of what calls one, and the
// conformance suite of the port for what implements it.
//
// It owns the streams that an implementation must survive, with what each comes
// to. It owns no protocol code.
//
// Invariants: every kind of oddity that the index of recorded transcripts names is
// in a stream of our own, so that the suite needs no recordings.
package modeltest
