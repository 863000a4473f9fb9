package aggregator_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/streamstest"
)

// away is a log that takes nothing: a publish lasts as long as its context.
type away struct{ asked chan struct{} }

func (a *away) Publish(ctx context.Context, _ ...event.Event) error {
	a.asked <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// A room that waits for the log holds a drain up for its time and no longer.
func TestRevokedWhileTheLogIsAway(t *testing.T) {
	t.Parallel()
	log := &away{asked: make(chan struct{}, 10)}
	agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clock.Real(), Publisher: log, Reader: &streamstest.Log{}, Assigner: halves{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := agg.Assigned(t.Context(), number); err != nil {
		t.Fatal(err)
	}
	value, err := event.Encode(event.Danmaku{
		Schema: 1, DanmakuID: "d", RoomID: roomID, ViewerID: "a1", Text: "多少钱", PlatformTimeMs: time.Now().UnixMilli(),
	})
	if err != nil {
		t.Fatal(err)
	}
	acked := make(chan error, 1)
	rec := streams.Record{Topic: event.TopicDanmaku, Partition: number, Key: roomID, Value: value, AppendTime: time.Now()}
	go agg.Handle(t.Context(), rec, func(err error) { acked <- err })
	<-log.asked
	drain, over := context.WithCancel(t.Context())
	revoked := make(chan struct{})
	go func() {
		defer close(revoked)
		agg.Revoked(drain, number)
	}()
	over()
	select {
	case <-revoked:
	case <-time.After(10 * time.Second):
		t.Fatal("the partition is not given up although the drain's time is over")
	}
	if err := <-acked; fault.KindOf(err) != fault.Canceled {
		t.Errorf("acknowledged with %v, want a cancellation", err)
	}
}
