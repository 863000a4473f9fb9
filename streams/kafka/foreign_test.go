package kafka_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// Case 9, 10, 12: no client of ours is transactional, so none of their faults can
// be: no request of a whole run, a dead letter and a reader included, belongs to a
// transaction. TestNoClientIsTransactional holds the rest of the program to it.
func TestStreamingCase09Case10Case12NothingIsTransactional(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var bad atomic.Int32
	f.cluster.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		switch r := req.(type) {
		case *kmsg.ProduceRequest:
			if r.TransactionID != nil {
				bad.Add(1)
			}
		case *kmsg.InitProducerIDRequest:
			if r.TransactionalID != nil {
				bad.Add(1)
			}
		case *kmsg.AddPartitionsToTxnRequest, *kmsg.AddOffsetsToTxnRequest, *kmsg.EndTxnRequest, *kmsg.TxnOffsetCommitRequest:
			bad.Add(1)
		}
		f.cluster.KeepControl()
		return nil, nil, false
	})
	f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Offset == 0 {
			ack(fault.Errorf(fault.Invalid, "poison"))
			return
		}
		ack(nil)
	})
	f.publish(20)
	f.eventually("all is committed", func() bool { return f.committed() == 20 && len(f.deadLetters()) == 1 })
	if n := bad.Load(); n > 0 {
		t.Errorf("%d requests belong to a transaction", n)
	}
}

// Case 31: a platform's producer is transactional. What it aborts is never handed
// over, an open transaction counts to nobody's lag, and the lag is 0 behind one that
// has ended, although its last offset is no record's.
func TestStreamingCase31LagBehindAForeignTransaction(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var mu sync.Mutex
	var seen []string
	c, _ := f.consume(f.cfg, func(_ context.Context, r streams.Record, ack streams.Ack) {
		d, err := event.Decode[event.Danmaku](r.Value)
		mu.Lock()
		seen = append(seen, string(d.DanmakuID))
		mu.Unlock()
		ack(err)
	})
	got := func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(seen) }
	platform := f.client(kgo.TransactionalID("platform"), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	say := func(end kgo.TransactionEndTry, ids ...string) {
		t.Helper()
		if err := platform.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		f.say(platform, ids...)
		if err := platform.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	say(kgo.TryCommit, "1", "2")
	say(kgo.TryAbort, "never said")
	say(kgo.TryCommit, "3")
	f.eventually("what was committed is handled", func() bool { return len(got()) == 3 })
	f.eventually("nothing is behind the last transaction", func() bool { return f.committed() == 7 && f.lag() == 0 }) // 4 records, 3 ends
	if err := platform.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	f.say(platform, "4") // and then the platform does nothing for a while
	<-time.After(3 * 250 * time.Millisecond)
	if lag := f.lag(); lag != 0 {
		t.Errorf("the lag is %d behind an open transaction; nobody can take its records", lag)
	}
	for _, p := range c.Progress() {
		if p.Lag() != 0 || p.Unfinished != 0 {
			t.Errorf("progress %+v behind an open transaction", p)
		}
	}
	end, err := f.sys.Reader.Read(t.Context(), event.TopicDanmaku, faultPartition(), 0, func(r streams.Record) error {
		_, err := event.Decode[event.Danmaku](r.Value)
		return err
	})
	if err != nil || end != 7 {
		t.Errorf("Read ended at %d, %v; want 7: before the open transaction", end, err)
	}
	if err := platform.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	f.eventually("the rest is handled", func() bool { return len(got()) == 4 })
	if d := cmp.Diff([]string{"1", "2", "3", "4"}, got()); d != "" {
		t.Errorf("handed over (-want +got):\n%s", d)
	}
	f.eventually("nothing is behind", func() bool { return f.committed() == 9 && f.lag() == 0 })
}

// say writes danmaku of faultRoom through a client of somebody else's.
func (f faulty) say(cl *kgo.Client, ids ...string) {
	f.Helper()
	for _, id := range ids {
		value, err := event.Encode(event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: faultRoom, PlatformTimeMs: 1})
		if err != nil {
			f.Fatal(err)
		}
		if err := cl.ProduceSync(f.Context(), &kgo.Record{Topic: event.TopicDanmaku, Key: []byte(faultRoom), Value: value}).FirstErr(); err != nil {
			f.Fatal(err)
		}
	}
}
