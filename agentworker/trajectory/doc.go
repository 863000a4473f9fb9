// Package trajectory records the steps of a run into trajectory.v1.
//
// It owns the order, ids and size caps of steps and their publication beside the
// run. It does not decide what is a step (runner) and reads nothing back.
//
// Invariants: steps of a run are numbered 1, 2, ... in the order of Add; at most
// one batch is in flight, so they arrive in order; after Flush returned nil all
// of them are in the log. Steps are published while the run goes on, so that a
// crashed run leaves its trace.
package trajectory
