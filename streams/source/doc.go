// Package source brings rooms in.
//
// It owns the time-ordered list of items that a player publishes (Item), the
// reading of JSON Lines recordings, one or a folder of them, and of focus files,
// and the form of a complaint about one line of an input file (Problem). It does
// not publish, wait or know the log: internal/demo plays the items. Room scripts
// (eval/roomscript) give the same items.
//
// Invariants: reading never stops at a bad line, each bad line is one Problem,
// and the other lines keep their numbers; a recorded danmaku's id is the file's
// base name, a colon and the line number, so the same file gives the same ids
// every time; only kind "host" carries the host flag, never a nickname or user
// id; items are ordered by At and equal times keep the file's order.
package source
