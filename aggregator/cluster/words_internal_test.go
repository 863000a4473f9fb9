package cluster

import (
	"maps"
	"testing"

	"livehost/aggregator/lexicon"
)

// A word in two lists would mean now this, now that: maps have no order.
func TestEveryWordIsInOneList(t *testing.T) {
	t.Parallel()
	inOne(t, allCells())
	kinds := maps.Clone(praised)
	maps.Copy(kinds, noise)
	inOne(t, kinds)
}

func inOne[T comparable](t *testing.T, cells map[T][]string) {
	t.Helper()
	of := map[string]T{}
	for list, words := range cells {
		for _, cell := range words {
			m := map[string]T{}
			lexicon.Words(m, list, cell)
			for w := range m {
				if other, ok := of[w]; ok && other != list {
					t.Errorf("%q is in lists %v and %v", w, list, other)
				}
				of[w] = list
			}
		}
	}
}
