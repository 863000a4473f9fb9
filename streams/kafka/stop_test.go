package kafka_test

import (
	"context"
	"testing"
	"time"

	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// A stop waits for what is under way as long as the binding says: nobody else waits for
// its partitions, as in a rebalance.
func TestStopWaitsAsLongAsTheBindingSays(t *testing.T) {
	t.Parallel()
	cfg := testConfig(embedded(t))
	sys := openSystem(t, cfg)
	if err := sys.Publisher.Publish(t.Context(), event.Danmaku{Schema: 1, DanmakuID: "1", RoomID: faultRoom, PlatformTimeMs: 1}); err != nil {
		t.Fatal(err)
	}
	taken := make(chan streams.Ack, 1)
	m, err := sys.Join(streams.Binding{
		Group: "g", Topics: []string{event.TopicDanmaku}, Drain: time.Minute,
		Handler: handlerFunc(func(_ context.Context, _ streams.Record, ack streams.Ack) { taken <- ack }),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	ack := <-taken
	time.AfterFunc(2*cfg.DrainBudget, func() { ack(nil) })
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	committed, err := sys.Committed(t.Context(), "g", event.TopicDanmaku)
	if p := topic.PartitionOf(faultRoom, topic.DefaultPartitions); err != nil || committed[p] != 1 {
		t.Errorf("committed %v (%v), want the record that ended after the drain budget", committed, err)
	}
}
