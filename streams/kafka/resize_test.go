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
	"livehost/streams/kafka"
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

// Who has published before the partitions were added uses them soon, and who follows the
// topic reads them: the group expects a room's records there.
func TestNewPartitionsAreWrittenAndFollowed(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	cfg := f.cfg
	cfg.WatchInterval = 50 * time.Millisecond
	pub, err := kafka.NewPublisher(cfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pub.Close)
	reader, err := kafka.NewReader(cfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	const more = 2 * topic.DefaultPartitions
	room := faultRoom
	for topic.PartitionOf(room, more) < topic.DefaultPartitions {
		room += "+"
	}
	say := func() {
		d := event.Danmaku{Schema: 1, DanmakuID: "d", RoomID: room, PlatformTimeMs: 1}
		if err := pub.Publish(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	say()
	ctx, cancel := context.WithCancel(t.Context())
	var partition atomic.Int32
	done := make(chan error, 1)
	go func() {
		done <- reader.Follow(ctx, []string{event.TopicDanmaku}, false, func(r streams.Record) { partition.Store(r.Partition) })
	}()
	f.eventually("the room is where it was", func() bool { return partition.Load() == topic.PartitionOf(room, topic.DefaultPartitions) })
	if _, err := kadm.NewClient(f.client()).CreatePartitions(t.Context(), more-topic.DefaultPartitions, event.TopicDanmaku); err != nil {
		t.Fatal(err)
	}
	f.eventually("it is written to a new partition, and followed there", func() bool {
		say()
		return partition.Load() == topic.PartitionOf(room, more)
	})
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Follow: %v", err)
	}
}
