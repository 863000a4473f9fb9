// Package redisvoice keeps the voice switch in Redis: which voices operators stopped.
//
// It owns one hash, one field a stop. It does not own what a stopped voice does with
// what waits (dispatcher).
//
// Invariants: a watcher knows of a change within half a second of wall time while Redis
// answers; while it does not, the last known stops stay in force; an entry that cannot be
// read stops nothing and is logged.
package redisvoice
