package kafka_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// New partitions are read when they are there: a question in one of them would be too old
// when the client finds them by itself. Nor are their records another partitioner's.
func TestNewPartitionsAreRead(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	cfg := f.cfg
	cfg.WatchInterval = 50 * time.Millisecond
	var handled atomic.Int32
	_, log := f.consume(cfg, func(_ context.Context, _ streams.Record, ack streams.Ack) { handled.Add(1); ack(nil) })
	f.publish(1)
	f.eventually("it is handled", func() bool { return handled.Load() == 1 })
	const more = 2 * topic.DefaultPartitions
	if _, err := kadm.NewClient(f.client()).CreatePartitions(t.Context(), more-topic.DefaultPartitions, event.TopicDanmaku); err != nil {
		t.Fatal(err)
	}
	room := faultRoom
	for topic.PartitionOf(room, more) < topic.DefaultPartitions {
		room += "+"
	}
	if err := f.client().ProduceSync(t.Context(), &kgo.Record{Topic: event.TopicDanmaku, Key: []byte(room), Value: []byte("{}")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.eventually("what is in a new partition is handled", func() bool { return handled.Load() == 2 })
	if log.has("another partitioner") {
		t.Error("a record in a new partition alarms")
	}
}
