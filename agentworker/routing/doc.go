// Package routing spreads policy calls over replicas.
//
// It owns which replica takes a request (the free one with the fewest requests
// in flight), the queue for a slot (earliest deadline first, bounded), each
// replica's health (a breaker that opens after consecutive failures) and its
// learned decode rate, from which it bounds max tokens. It does not retry a
// request elsewhere and keeps no budgets of runs: the runner does.
//
// Invariants: never more requests at a replica than its slots, from this
// process; a freed slot goes to the waiter whose deadline is earliest; a request
// is given up when its context ends, never later. Slots of several processes
// sharing a replica need a lease in Redis, which is a later port.
package routing
