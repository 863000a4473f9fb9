package kafka_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
)

// buffer is what a publisher keeps for a broker that does not answer.
const buffer = 10_000

// Case 13, 15: a broker that does not answer bounds what a publisher keeps. Send
// waits once the buffer is full, Publish returns with its context, what was refused
// is not kept to be sent later, and all goes on when the broker answers.
func TestStreamingCase13Case15PublishIsBounded(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(1)
	silence := make(chan struct{})
	answer := sync.OnceFunc(func() { close(silence) })
	t.Cleanup(answer)
	f.cluster.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.SleepControl(func() { <-silence })
		return nil, nil, false
	})
	pub, err := kafka.NewPublisher(f.cfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pub.Close)
	said := func(n int) event.Danmaku {
		return event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(n)), RoomID: faultRoom, PlatformTimeMs: 1}
	}
	var acknowledged atomic.Int32
	done := func(err error) {
		if err != nil {
			t.Errorf("Send: %v", err)
		}
		acknowledged.Add(1)
	}
	for i := range buffer {
		pub.Send(t.Context(), done, said(i))
	}
	waits := make(chan struct{})
	go func() { defer close(waits); pub.Send(t.Context(), done, said(buffer)) }()
	var refused sync.WaitGroup
	for range 200 {
		refused.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if err := pub.Publish(ctx, said(-1)); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("Publish to a silent broker: %v, want unavailable", err)
			}
		})
	}
	returned := make(chan struct{})
	go func() { refused.Wait(); close(returned) }()
	select {
	case <-returned:
	case <-time.After(testkit.Patience):
		t.Fatal("Publish does not return with its context")
	}
	select {
	case <-waits:
		t.Error("Send returned although the buffer is full")
	default:
	}
	if n := acknowledged.Load(); n > 0 {
		t.Errorf("%d are acknowledged by a silent broker", n)
	}
	answer()
	<-waits
	f.eventually("all that was taken is acknowledged", func() bool { return acknowledged.Load() == buffer+1 })
	next := -1 // of f.publish, then ours in order
	_, err = f.sys.Reader.Read(t.Context(), event.TopicDanmaku, faultPartition(), 0, func(r streams.Record) error {
		d, err := event.Decode[event.Danmaku](r.Value)
		if next >= 0 && string(d.DanmakuID) != strconv.Itoa(next) {
			return fmt.Errorf("danmaku %s is in the log, want %d", d.DanmakuID, next)
		}
		next++
		return err
	})
	if err != nil || next != buffer+1 {
		t.Errorf("%d danmaku in the log, %v; want %d", next, err, buffer+1)
	}
}

// Case 28: one hung key among 50,000 other records. Other rooms go on, those of its
// partition too, until a bounded number of records is kept behind it: then that
// partition pauses. The age of the oldest is known, and commits stay small.
func TestStreamingCase28HungKey(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	const rooms, each, limit, fetched = 50, 1000, 8, 1000 // 100 times the limit is kept
	var longest atomic.Int32                              // metadata of a commit
	f.cluster.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		for _, t := range req.(*kmsg.OffsetCommitRequest).Topics {
			for _, p := range t.Partitions {
				if p.Metadata != nil {
					longest.Store(max(longest.Load(), int32(len(*p.Metadata))))
				}
			}
		}
		return nil, nil, false
	})
	release := make(chan struct{})
	var others, neighbours, hung atomic.Int32
	m, err := f.sys.Join(streams.Binding{Group: faultGroup, Topics: []string{event.TopicDanmaku}, MaxUnfinished: limit,
		Handler: handlerFunc(func(_ context.Context, r streams.Record, ack streams.Ack) {
			switch {
			case r.Key == faultRoom:
				hung.Add(1)
				<-release
			case r.Partition == faultPartition():
				neighbours.Add(1)
			default:
				others.Add(1)
			}
			ack(nil)
		})})
	if err != nil {
		t.Fatal(err)
	}
	f.run(m)
	f.publish(1)
	f.eventually("the key hangs", func() bool { return hung.Load() == 1 })
	want := int32(0)
	for i := range rooms {
		room := event.RoomID(fmt.Sprintf("other-%d", i))
		if f.partition(room) != faultPartition() {
			want += each
		}
		batch := make([]event.Event, each)
		for j := range batch {
			batch[j] = event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(j)), RoomID: room, PlatformTimeMs: 1}
		}
		if err := f.sys.Publisher.Publish(t.Context(), batch...); err != nil {
			t.Fatal(err)
		}
	}
	f.eventually("the other partitions are handled", func() bool { return others.Load() == want })
	if got := f.committed(); got > 0 {
		t.Errorf("committed %d although the first record hangs", got)
	}
	mine := func() (p kafka.Progress) {
		for _, p = range m.(*kafka.Consumer).Progress() {
			if p.Partition == faultPartition() {
				break
			}
		}
		return p
	}
	f.eventually("the hung one's partition pauses when enough is kept, and not before", func() bool {
		return mine().Paused && neighbours.Load() >= 100*limit
	})
	<-time.After(500 * time.Millisecond) // two fetches, were it not paused
	if n := neighbours.Load(); n > 100*limit+fetched || f.lag() <= int64(n)+1 {
		t.Errorf("%d records of the hung one's partition are handled, progress %+v; want 100 times %d and at most one fetch more", n, mine(), limit)
	}
	if p := mine(); p.Unfinished != 1 || p.Oldest.IsZero() {
		t.Errorf("progress %+v; want one unfinished, and its age", p)
	}
	close(release)
	f.eventually("all is committed", func() bool { return f.lag() == 0 })
	if n := longest.Load(); n == 0 || n > 100 {
		t.Errorf("a commit has %d bytes of metadata; brokers take 4096", n)
	}
}

// Case 30: records of a paused partition that the client had fetched already do no
// harm: each is handed over once, in order.
func TestStreamingCase30PausedPartitions(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	const n = 3000 // more than one poll takes
	var mu sync.Mutex
	var acks []streams.Ack
	var seen []int64
	m, err := f.sys.Join(streams.Binding{Group: faultGroup, Topics: []string{event.TopicDanmaku}, MaxUnfinished: 5,
		Handler: handlerFunc(func(_ context.Context, r streams.Record, ack streams.Ack) {
			mu.Lock()
			defer mu.Unlock()
			acks, seen = append(acks, ack), append(seen, r.Offset)
		})})
	if err != nil {
		t.Fatal(err)
	}
	f.publish(n)
	f.run(m)
	paused := false
	f.eventually("all are finished, a few at a time", func() bool {
		for _, p := range m.(*kafka.Consumer).Progress() {
			paused = paused || p.Paused
		}
		mu.Lock()
		defer mu.Unlock()
		for _, ack := range acks {
			ack(nil)
		}
		acks = nil
		return len(seen) >= n
	})
	f.eventually("all is committed", func() bool { return f.committed() == n })
	if !paused {
		t.Error("the partition was never paused")
	}
	if d := cmp.Diff(upTo(n), slices.Clone(seen)); d != "" {
		t.Errorf("handed over (-want +got):\n%s", d)
	}
}

// Case 1, 33: a handler that is slower than the session, and a second member that
// joins meanwhile: the client's heartbeats do not wait for the handler, the share of
// the second member waits for the drain budget only, there is one rebalance and no
// other, and what was under way is not lost.
func TestStreamingCase01Case33SlowHandlerAndASecondMember(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var joins atomic.Int32
	f.cluster.ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		joins.Add(1)
		return nil, nil, false
	})
	const rooms = 40
	cfg := f.cfg
	cfg.SessionTimeout = 6 * time.Second
	var started, handled atomic.Int32
	release := make(chan struct{})
	slow := func(ctx context.Context, _ streams.Record, ack streams.Ack) {
		started.Add(1)
		select {
		case <-release:
			handled.Add(1)
			ack(nil)
		case <-ctx.Done(): // the drain is over
			ack(ctx.Err())
		}
	}
	first, _ := f.consume(cfg, slow)
	for i := range rooms {
		e := event.Danmaku{Schema: 1, DanmakuID: "d", RoomID: event.RoomID(strconv.Itoa(i)), PlatformTimeMs: 1}
		if err := f.sys.Publisher.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	f.eventually("the first member works on all", func() bool { return started.Load() == rooms })
	second, _ := f.consume(cfg, slow)
	f.eventually("the second member has its share although no work ends", func() bool { return len(second.Progress()) > 0 && len(first.Progress()) > 0 })
	f.eventually("the group is at rest", func() bool { return len(first.Progress())+len(second.Progress()) == int(f.partitions()) })
	before := joins.Load()
	<-time.After(cfg.SessionTimeout + 2*time.Second) // a member that the handlers hold up would be out by now
	close(release)
	f.eventually("all are handled", func() bool { return handled.Load() == rooms })
	f.eventually("and committed", func() bool { return f.lag() == 0 })
	if n := joins.Load() - before; n > 2 { // a cooperative rebalance has two rounds
		t.Errorf("%d joins although nobody came or went", n)
	}
	if again := started.Load() - rooms; again == 0 || again >= rooms {
		t.Errorf("%d records were begun again; want those that moved, and only those", again)
	}
}
