package analytics_test

import (
	"context"
	"log/slog"
	"testing"

	"livehost/analytics"
	"livehost/internal/clock"
	"livehost/streams"
)

// nowhere is a Store that is done at once.
type nowhere struct{}

func (nowhere) Insert(context.Context, analytics.Block) error { return nil }

// BenchmarkHandle is the sink's own work for one outcome, most of what the log holds.
func BenchmarkHandle(b *testing.B) {
	s, err := analytics.New(config(), analytics.Deps{Store: nowhere{}, Clock: clock.Real(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	run := make(chan error, 1)
	go func() { run <- s.Run(ctx) }()
	var records []streams.Record
	for i := range 1000 {
		records = append(records, record(b, outcome(i), i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Handle(ctx, records[i%len(records)], func(error) {})
	}
	cancel()
	if err := <-run; err != nil {
		b.Fatal(err)
	}
}
