// Package roomscript is the language in which a live room is written down: who
// says what at which moment, what happens around it, and what is expected of the
// host. README.md is its manual.
//
// It owns parsing, the turning of a script into source items, and
// the checking of a script's expectations against a log. It does not play
// (internal/demo) and knows no stage.
//
// Invariants: parsing is pure and lists every problem with file and line;
// the same script and epoch always give the same ids, so that a restarted player can
// tell what it has published.
package roomscript
