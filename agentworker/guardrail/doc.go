// Package guardrail holds the built-in checks that hooks name: what a reply, or a
// tool call, may not be.
//
// It owns the checks of docs/harness.md and the evidence of a run that they look
// at. It does not decide what happens after a finding (hook) and calls nothing.
//
// Invariants: a check is a pure function of its Input, safe for concurrent use;
// every finding names the span it objects to; a price, stock or promotion is
// supported only by a tool result of the same run, other numbers also by product
// facts, FAQ and the viewer's own words; what comes from viewers never supports
// a price; a number is supported only for what it is said of (a list price, a time
// of sending), and a sum that follows from others only when the sentence says how;
// what is known of one product supports nothing that is said of another; a call that
// failed supports no price, stock or promotion.
package guardrail
