package harness_test

import (
	"testing"

	"livehost/harness"
)

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		if _, err := harness.Default(); err != nil {
			b.Fatal(err)
		}
	}
}
