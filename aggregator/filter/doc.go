// Package filter decides which danmaku are not put to the agent, and why.
//
// It owns the closed list of reasons, the word lists for contact bait, spam and
// sensitive words with what they must let pass, an operator's additions to them
// (ParseLists), and the per-viewer rate. It does not normalise text (package text)
// and keeps no room.
//
// Invariants: a Filter is immutable and Judge pure; Limiter is a function of its
// events; every rejection has one reason of the list; low-information chat is not
// noise; a word list never blocks by a part of another word that is allowed.
package filter
