// Package redisserver is the embedded Redis: a server in this process that speaks
// the real protocol on a loopback port.
//
// It owns the listener and the expiry of keys. It keeps nothing across a
// restart: claims and ledgers are rebuilt from the log, experiment definitions
// from content.
//
// Invariants: a key with a time to live is gone at most one tick after its time;
// times to live are wall time, as on any Redis, because leases are: a room that
// plays at another speed does not shorten them.
//
// Lua scripts run one at a time at about 5,000 a second, and numbers in them
// lose digits above 2^53.
package redisserver
