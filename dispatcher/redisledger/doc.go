// Package redisledger is the dispatcher's Ledger in Redis.
//
// It owns the keys, which share the room's hash tag so that one script sees a whole
// claim in a cluster too:
//
//	livehost:ledger:{<room>}:fence                    the present owner: a time, which rises
//	livehost:ledger:{<room>}:<channel>:<danmaku>      "sending|<fence>|<delivery>" or "<state>|..."
//
// Claims expire after Config.TTL, fences after a day without an owner. It classifies
// Redis errors (internal/fault) and decides nothing. Two round trips a reply.
package redisledger
