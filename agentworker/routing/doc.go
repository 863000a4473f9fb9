// Package routing spreads policy calls over replicas.
//
// It owns which replica takes a request (the free one with the fewest requests
// in flight), the queue for a slot (earliest deadline first, bounded), each
// replica's health (a breaker that opens after consecutive failures) and its
// learned decode rate, from which it bounds max tokens. It does not retry a
// request elsewhere and keeps no budgets of runs: the runner does.
//
// Where several processes send to the same replicas, the slots are shared through
// the port Slots (agentworker/redisslots): each request leases one for as long as
// its budget and a little more, so that a process that is killed holds none for
// longer.
//
// Invariants: never more requests at a replica than its slots, from all processes
// that share them; a freed slot goes to the waiter whose deadline is earliest; a
// request is given up when its context ends, never later. While the shared slots
// are away, and for the calls in flight when their store comes back empty until
// their process asks again, the bound is each process's own, and the answers say
// so (model.Response.LocalSlots).
package routing
