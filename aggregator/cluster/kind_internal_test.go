package cluster

import (
	"testing"

	"livehost/aggregator/lexicon"
)

// A word in two lists would mean now this, now that: maps have no order.
func TestEveryWordIsOfOneKind(t *testing.T) {
	t.Parallel()
	of := map[string]kind{}
	for _, kinds := range []map[kind][]string{praised, greeted, noise} {
		for k, words := range kinds {
			for _, cell := range words {
				m := map[string]kind{}
				lexicon.Words(m, k, cell)
				for w := range m {
					if other, ok := of[w]; ok && other != k {
						t.Errorf("%q is of %q and %q", w, k, other)
					}
					of[w] = k
				}
			}
		}
	}
}
