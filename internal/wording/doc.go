// Package wording says in words, Chinese and English, how a danmaku ended and why.
//
// It owns the words for the states and reasons of streams/event, for whoever shows
// them to people. It does not own the reasons themselves: the stages do.
package wording
