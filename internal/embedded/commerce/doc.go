// Package commerce is the reference commerce MCP server: the tools of
// docs/harness.md over one catalogue, over streamable HTTP on a loopback port.
// It stands where a merchant's own system would; everything it says comes from
// the catalogue and from the room's events.
//
// It owns the state of rooms (shelf, prices, stock, orders, issued coupons), the
// product search and the texts of results. It does not choose tools or speak, and
// keeps nothing over a restart: its owner applies the log's events again.
//
// Invariants: room, merchant and viewer come from a call's _meta, never from its
// arguments; an answer is about the product asked for or NOT_FOUND, never about
// another; an outage and the latency are in room time; issue_coupon with one
// idempotency key has one effect.
package commerce
