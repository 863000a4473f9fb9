// Package text turns what a viewer typed into what is asked.
//
// It owns normalisation: NFKC, zero-width and variation marks, emoji and the
// platforms' emoji names, mentions, web addresses, repeated runs and phrases, the
// language, caps that never cut a grapheme, and the folded form word lists are
// matched against, with the letters of other alphabets that look Latin (Fold). It does not judge: that is package filter.
//
// Invariants: Clean is pure; numbers, negation and sizes survive; text that is
// only ASCII and Chinese takes a path without tables.
package text
