// Package board is the console's memory of what happens in the rooms: the last
// danmaku with their windows, runs, replies, deliveries and outcomes, and how each
// room stands. It is fed with records of the log in any order of topics.
//
// It owns how records are put together and what is forgotten when. It does not
// follow the log, render or store anything.
//
// Invariants: at most Config.Danmaku danmaku and twice as many windows are kept,
// the newest, whichever order the topics are read in; a record that
// comes twice changes nothing; what is handed out is a copy. Readers pull what
// changed since a version, so a slow one costs nothing and loses no final state.
// Prompts are never kept, reasoning only when Config.Reasoning says so.
package board
