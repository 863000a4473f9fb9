// Package redisstore keeps an experiment layer's state in Redis: it is the
// Definitions and Overrides of package abtest.
//
// It owns the keys, which share the layer's hash tag so that a cluster serves them
// from one slot in one transaction:
//
//	livehost:abtest:{<layer>}:definition   string, the definition as JSON
//	livehost:abtest:{<layer>}:override     hash, unit id -> variant; first writer wins
//	livehost:abtest:{<layer>}:killed       string, the reason; present means killed
//
// It classifies Redis errors (internal/fault) and decides nothing.
package redisstore
