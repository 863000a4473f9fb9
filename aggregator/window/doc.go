// Package window decides what goes into one window.
//
// It owns a room's mode, the limits of what may be in flight, and which waiting
// danmaku are taken together. Ordering and shedding are package admission's.
//
// Invariants: everything here is pure; a window holds danmaku of one variant; it
// never holds more than Limits.Members, nor chat beside questions.
package window
