// Package web is the console: what happens in the rooms while it happens, how
// danmaku end and how fast, incidents down to the single step, and experiments.
//
// It owns pages, their wording in HTML, the stream of the live page and who may
// ask. It does not own what is remembered of the log (web/board), SQL or metric
// definitions (analytics), or the judgement of experiments.
//
// Invariants: it only reads; it listens on loopback addresses alone and answers
// only to loopback host names; everything that came from outside is escaped, and
// the content security policy allows nothing but our own files, so a hostile
// danmaku is text; prompts are never shown, reasoning and raw policy output only
// when Config.Restricted; the live page needs the log and nothing else, and when
// the analytics store is away the other pages say so; a client that vanishes
// leaves nothing behind.
package web
