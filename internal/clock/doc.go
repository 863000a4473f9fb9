// Package clock is the one source of room time.
//
// Room time is what windows, deadlines, call budgets, simulated policy and
// tools, and speech are measured in. It runs at a speed relative to the wall, so
// that a recording can be played twenty times faster than it happened. Wall time
// is for protocol timeouts, leases and batches, and is taken from package time.
//
// Invariants: room time never goes back, across restarts too; Room maps any
// wall instant of the past (a log append time) to the room time it had then;
// after a restart the downtime has passed at speed 1. At speed 1 without a state
// file room time is wall time. Inside testing/synctest it follows the bubble.
package clock
