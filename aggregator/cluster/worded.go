package cluster

import "slices"

// deictic words point at the product in focus.
var deictic = list("这", "this|it|it's|its|these|they|them|those")

// worded reports that no number says which product a question is about: its words name
// one, perhaps another than that in focus (面膜多少钱), or none is in focus (多少钱).
func worded(a Asked, in []rune) bool {
	return a.Focus == "" || !has(deictic, in) && telltale(in, a.Language)
}

// telltale reports a word beside those that any question may hold.
func telltale(in []rune, language string) bool {
	meanings := synonyms
	if language == "en" {
		meanings = englishSynonyms
	}
	for at := 0; at < len(in); {
		n, to := meanings.Longest(in, at)
		if n > 0 && slices.Contains(wholes, to) {
			return true // 充电宝
		}
		asks, _ := questionWords.Longest(in, at)
		buys, _ := buyingWords.Longest(in, at)
		n = max(n, asks, buys)
		if n == 0 && (letter(in[at]) || han(in[at])) {
			return true
		}
		at += max(n, 1)
	}
	return false
}
