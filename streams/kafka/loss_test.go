package kafka_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/streams"
	"livehost/streams/event"
)

// lose makes the client believe that the broker lost records, as one does that was cut
// from the power: it answers that an offset is beyond its log, which has grown again
// when the client looks.
func (f faulty) lose() {
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: event.TopicDanmaku, Err: kerr.OffsetOutOfRange, Count: 1})
}

// Records at the offsets of lost ones are others: the group handles them although it has
// finished these offsets.
func TestLostRecordsAreNotTakenForThoseInTheirPlace(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	const n = 10
	f.publish(n)
	var handled atomic.Int32
	_, log := f.consume(f.cfg, func(_ context.Context, _ streams.Record, ack streams.Ack) { handled.Add(1); ack(nil) })
	f.eventually("all are finished", func() bool { return f.committed() == n })
	f.lose()
	f.eventually("what may be others are handled, too", func() bool { return handled.Load() == 2*n })
	f.publish(1)
	f.eventually("it goes on", func() bool { return f.committed() == n+1 && handled.Load() == 2*n+1 })
	if !log.has("the log went back") {
		t.Error("not a word of it")
	}
}

// Who follows the log goes on, too: the commerce tools and the demo end with their error.
func TestFollowGoesOnBehindLostRecords(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	const n = 10
	f.publish(n)
	ctx, cancel := context.WithCancel(t.Context())
	var followed atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- f.sys.Reader.Follow(ctx, []string{event.TopicDanmaku}, false, func(r streams.Record) { followed.Store(r.Offset + 1) })
	}()
	f.eventually("all are followed", func() bool { return followed.Load() == n })
	f.lose()
	f.publish(1)
	f.eventually("the next is followed", func() bool { return followed.Load() == n+1 })
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Follow: %v", err)
	}
}
