// Package admission decides who goes first and who cannot be answered in time.
//
// It owns the order of waiting danmaku (class, waiting time, a viewer's share),
// the prediction of which of them a room's capacity reaches before answer_by, and
// the learned run time that the prediction rests on. What goes into one window
// is package window's.
//
// Invariants: Order and Beyond are pure; a danmaku waiting longer than StarveMs
// moves up one class, within questions and within chat, of which the room decides who
// is next; nothing is beyond capacity that a free slot can still answer, chat that cuts
// it fine apart.
package admission
