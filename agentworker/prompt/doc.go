// Package prompt builds the messages a run begins with, from a release, a window
// and what retrieval finds, as docs/harness.md says.
//
// It owns the order and rendering of blocks, escaping, the token budget and its
// dropping order, and the facts block of products. It does not own the texts (the
// harness does) nor what a policy makes of them.
//
// Invariants: the constant blocks come first and are the same bytes in every run
// of a release with the same outlets; text of viewers, catalogue and FAQ is data,
// escaped and on one line, and never forms a block, an element or a heading; no
// price, stock or promotion is in a prompt (only tools give them); the budget
// never drops a constant block, the room status or a danmaku; an earlier private
// answer is in the prompt of a window of its viewer alone.
//
// Dropping order, first first: earlier turns, host utterances, FAQ, facts of named
// links, facts of links in focus, long skill descriptions.
package prompt
