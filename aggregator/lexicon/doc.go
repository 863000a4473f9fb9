// Package lexicon finds words of a list in text.
//
// It owns the trie and the rule of what counts as a word: Chinese anywhere,
// Latin and digits only between boundaries. Lists here are a few hundred words
// long; it does not know what they mean.
//
// Invariants: a Set is immutable and safe for concurrent use; of several words
// beginning at one place the longest counts (包邮 is not 包).
package lexicon
