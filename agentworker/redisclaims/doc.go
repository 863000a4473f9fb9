// Package redisclaims is agentworker.Claims in Redis.
//
// Every method is one Lua call over the keys of one room (the room is the hash tag,
// so a cluster keeps them on one node). A key is a hash: w window, a attempt, l
// lease end in milliseconds of the server's clock, d done. Keys expire after
// Config.Keep. Errors are fault.Unavailable: the worker goes on with its own memory.
package redisclaims
