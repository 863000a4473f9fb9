// Package process is one livehost process of the suites that stop, kill and start
// stages again while they work (eval/faults, eval/soak).
//
// It owns the child process and its configuration file. What is done to it, and when,
// is the suites'.
//
// Invariant: signals go to the process that was started here and to no other.
package process
