// Package redisslots is routing.Slots in Redis.
//
// An ask is one Lua call, so that it is atomic. All keys have one hash tag: a
// cluster keeps them on one node, and a few dozen replicas are little work. For each
// replica there is a sorted set of leases (ticket, by the end of the lease) and one
// of waiting tickets (by deadline); one more set says until when a waiting ticket is
// kept. A mark tells a store that came back empty: then the leases that a process
// holds are told to it again. Times are milliseconds of the server's clock. Keys, all
// but the mark, expire a minute after what they hold. Errors are fault.Unavailable:
// the router goes on with its own limits.
package redisslots
