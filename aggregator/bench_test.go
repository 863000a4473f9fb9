package aggregator_test

import (
	"context"
	"testing"
)

// BenchmarkDanmaku is the whole work on one danmaku and what comes back of it, the
// benchmark's own encoding included, without a pause between them.
func BenchmarkDanmaku(b *testing.B) {
	l := newLoad(b, 200, emptyLog{})
	defer l.agg.Revoked(context.Background(), 0)
	l.play(60)
	b.ReportAllocs()
	for b.Loop() {
		l.say()
	}
}
