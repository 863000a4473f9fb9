// Package fault classifies an error once, by what is to be done next.
//
// It owns the closed set of kinds and how one is attached to and read from an
// error. It does not log, retry or decide: adapters classify (nobody else), the
// edges (the Kafka loop, HTTP, process exit) act on KindOf.
//
// Invariants: an error keeps the first kind it was given; an error without a
// kind is Internal, except that context cancellation is always Canceled.
// Outcomes of a danmaku (a block, a failed tool, not enrolled) are not errors.
package fault
