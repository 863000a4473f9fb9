package commerce

import (
	"testing"

	"livehost/harness"
)

func BenchmarkSearch(b *testing.B) {
	h, err := harness.Default()
	if err != nil {
		b.Fatal(err)
	}
	r, err := h.Release("harness")
	if err != nil {
		b.Fatal(err)
	}
	x := newSearchIndex(r.Catalog)
	all := func(*harness.Product) bool { return true }
	for _, q := range []string{"面霜", "有没有适合油皮的洗面奶", "人参面霜", "anything for oily skin"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				x.find(q, all)
			}
		})
	}
}
