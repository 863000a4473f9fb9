package streamstest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

func readToEnd(_ *testing.T, f fixture) {
	room := f.room(0)
	before := time.Now()
	f.publish(room, numbered(300)...)
	var got []string
	end, err := f.Reader.Read(f.Context(), event.TopicDanmaku, f.partition(room), 0, func(r streams.Record) error {
		if r.Key != room {
			return nil
		}
		if at := r.AppendTime; at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			f.Errorf("append time %v is not now", at)
		}
		if got = append(got, f.text(r)); len(got) == 1 {
			f.publish(room, "later") // after the call: not read
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	if d := cmp.Diff(numbered(300), got); d != "" {
		f.Errorf("read (-want +got):\n%s", d)
	}
	boom := errors.New("boom")
	next, err := f.Reader.Read(f.Context(), event.TopicDanmaku, f.partition(room), end, func(streams.Record) error { return boom })
	if !errors.Is(err, boom) || next != end {
		f.Errorf("Read with a failing fn: %d, %v, want %d, boom", next, err, end)
	}
	ownOnly := func(r streams.Record) error { // other cases write to the partition, too
		if r.Key == room {
			return boom
		}
		return nil
	}
	if next, err := f.Reader.Read(f.Context(), event.TopicDanmaku, f.partition(room), end+1, ownOnly); err != nil || next < end+1 {
		f.Errorf("Read at the end: %d, %v, want %d or more, nil", next, err, end+1)
	}
}

func offsetAt(_ *testing.T, f fixture) {
	seeker, ok := f.Reader.(streams.Seeker)
	if !ok {
		f.Skip("the reader does not seek")
	}
	room := f.room(0)
	f.publish(room, numbered(10)...)
	var all []streams.Record
	end, err := f.Reader.Read(f.Context(), event.TopicDanmaku, f.partition(room), 0, func(r streams.Record) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	last := all[len(all)-1]
	for name, c := range map[string]struct {
		at   time.Time
		want func(int64) bool
	}{
		"before everything": {last.AppendTime.Add(-time.Hour), func(o int64) bool { return o == all[0].Offset }},
		"after everything":  {last.AppendTime.Add(time.Hour), func(o int64) bool { return o == end }},
		"at a record":       {last.AppendTime, func(o int64) bool { return o >= all[0].Offset && o <= last.Offset }},
	} {
		if got, err := seeker.OffsetAt(f.Context(), event.TopicDanmaku, f.partition(room), c.at); err != nil || !c.want(got) {
			f.Errorf("%s: offset %d, %v", name, got, err)
		}
	}
}

func followFromEnd(_ *testing.T, f fixture) {
	f.publish(f.room(0), "old")
	ctx, cancel := context.WithCancel(f.Context())
	defer cancel()
	var fromStart, fromEnd journal
	var wg sync.WaitGroup
	follow := func(j *journal, end bool) {
		err := f.Reader.Follow(ctx, []string{event.TopicDanmaku}, end, func(r streams.Record) {
			if f.own(r) {
				j.add(f.text(r))
			}
		})
		if err != nil {
			f.Errorf("Follow: %v", err)
		}
	}
	wg.Go(func() { follow(&fromEnd, true) })
	wg.Go(func() { follow(&fromStart, false) })
	f.eventually("both follow", func() bool {
		f.publish(f.room(0), "new")
		return fromEnd.len() > 0 && fromStart.len() > 0
	})
	cancel()
	wg.Wait()
	if got := fromEnd.all(); got[0] != "new" {
		f.Errorf("from the end: first %q, want new", got[0])
	}
	if got := fromStart.all(); got[0] != "old" {
		f.Errorf("from the start: first %q, want old", got[0])
	}
}

func publishCancelled(_ *testing.T, f fixture) {
	ctx, cancel := context.WithCancel(f.Context())
	cancel()
	err := f.Publisher.Publish(ctx, event.Danmaku{Schema: 1, DanmakuID: "x", RoomID: f.room(0), PlatformTimeMs: 1})
	if err == nil || fault.KindOf(err) != fault.Canceled {
		f.Errorf("Publish with an ended context: %v, want canceled", err)
	}
	if err := f.Publisher.Publish(f.Context(), event.Danmaku{Schema: 1, RoomID: f.room(0)}); fault.KindOf(err) != fault.Internal {
		f.Errorf("Publish of an incomplete event: %v, want internal", err)
	}
}

func contiguousPrefix(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "a", "b", "c")
	at := f.offsets(room)
	var seen journal
	stop := f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if f.text(r) != "a" {
			ack(nil)
		}
		seen.add(f.text(r))
	})))
	f.eventually("all are handed over", func() bool { return seen.len() == 3 })
	if err := stop(); err != nil {
		f.Fatal(err)
	}
	if got := f.committed(room); got > at[0] {
		f.Errorf("committed %d although %d is unfinished", got, at[0])
	}
	f.consume(room, "a", "b", "c")
	f.eventually("the prefix is committed", func() bool { return f.committed(room) > at[2] })
}

// consume joins a member that acknowledges all, and checks what it gets of the room.
func (f fixture) consume(room event.RoomID, want ...string) {
	f.Helper()
	var seen journal
	f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Key == room {
			seen.add(f.text(r))
		}
		ack(nil)
	})))
	f.eventually("the next member gets the room's records", func() bool { return seen.len() >= len(want) })
	if d := cmp.Diff(want, seen.all()); d != "" {
		f.Errorf("the next member gets (-want +got):\n%s", d)
	}
}

func monotonicCommits(_ *testing.T, f fixture) {
	room := f.room(0)
	const n = 400
	f.publish(room, numbered(n)...)
	end := f.end(room)
	stop := f.join(f.binding(f.handler(func(_ context.Context, _ streams.Record, ack streams.Ack) {
		time.AfterFunc(time.Duration(rand.IntN(1000))*time.Millisecond, func() { ack(nil) })
	})))
	var last int64
	f.eventually("all is committed", func() bool {
		got := f.committed(room)
		if got < last {
			f.Errorf("committed %d after %d", got, last)
		}
		last = got
		return got >= end
	})
	if err := stop(); err != nil {
		f.Error(err)
	}
}

func revokeNeverPasses(_ *testing.T, f fixture) {
	const rooms, each = 24, 10
	var mu sync.Mutex
	held := map[string]streams.Ack{} // the first record of every room, by the first member
	done := map[string]bool{}
	key := func(r streams.Record) string { return string(r.Key) + "/" + f.text(r) }
	for i := range rooms {
		f.publish(f.room(i), numbered(each)...)
	}
	f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		mu.Lock()
		defer mu.Unlock()
		if f.text(r) == "0" {
			held[key(r)] = ack
			return
		}
		done[key(r)] = true
		ack(nil)
	})))
	count := func(m func() int) int { mu.Lock(); defer mu.Unlock(); return m() }
	f.eventually("the first member has all", func() bool {
		return count(func() int { return len(held) + len(done) }) == rooms*each
	})
	again := map[string]bool{} // redelivered to the second member
	f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		mu.Lock()
		again[key(r)] = true
		mu.Unlock()
		ack(nil)
	})))
	f.eventually("partitions move", func() bool { return count(func() int { return len(again) }) > 0 })
	mu.Lock()
	for k, ack := range held { // those of moved partitions are void by now
		if !again[k] {
			ack(nil)
			done[k] = true
		}
	}
	mu.Unlock()
	f.eventually("every record is done by an owner", func() bool {
		mu.Lock()
		defer mu.Unlock()
		for i := range rooms {
			for j := range each {
				if k := fmt.Sprintf("%s/%d", f.room(i), j); !done[k] && !again[k] {
					return false
				}
			}
		}
		return true
	})
	f.eventually("all is committed", func() bool {
		for i := range rooms {
			if f.committed(f.room(i)) < f.end(f.room(i)) {
				return false
			}
		}
		return true
	})
}

func lanePerKey(_ *testing.T, f fixture) {
	const rooms, each = 8, 50
	var mu sync.Mutex
	busy := map[event.RoomID]bool{}
	got := map[event.RoomID][]string{}
	total := 0
	var begun atomic.Int32
	meet := make(chan struct{})
	f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		mu.Lock()
		if busy[r.Key] {
			f.Errorf("two hand-overs of %s at once", r.Key)
		}
		busy[r.Key] = true
		mu.Unlock()
		switch begun.Add(1) { // the first waits for the second, which must be another room's
		case 1:
			select {
			case <-meet:
			case <-time.After(testkit.Patience):
				f.Error("rooms are never handled at once")
			}
		case 2:
			close(meet)
		}
		pause(time.Duration(rand.IntN(3)) * time.Millisecond)
		mu.Lock()
		busy[r.Key] = false
		got[r.Key] = append(got[r.Key], f.text(r))
		total++
		mu.Unlock()
		ack(nil)
	})))
	for i := range each {
		for room := range rooms {
			f.publish(f.room(room), fmt.Sprint(i))
		}
	}
	f.eventually("all are handled", func() bool { mu.Lock(); defer mu.Unlock(); return total == rooms*each })
	for room := range rooms {
		if d := cmp.Diff(numbered(each), got[f.room(room)]); d != "" {
			f.Errorf("order of room %d (-want +got):\n%s", room, d)
		}
	}
}

func deadLetter(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "good", "poison", "good too")
	at := f.offsets(room)
	var attempts atomic.Int32
	var seen journal
	f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		seen.add(f.text(r))
		switch {
		case f.text(r) != "poison":
			ack(nil)
		case attempts.Add(1) <= 2:
			ack(fault.Errorf(fault.Unavailable, "not now"))
		default:
			ack(fault.Errorf(fault.Invalid, "cannot be understood"))
		}
	})))
	f.eventually("the prefix passes the dead letter", func() bool { return f.committed(room) > at[2] })
	if d := cmp.Diff([]string{"good", "poison", "poison", "poison", "good too"}, seen.all()); d != "" {
		f.Errorf("hand-overs (-want +got):\n%s", d)
	}
	var letters []streams.Record
	_, err := f.Reader.Read(f.Context(), topic.DLQ(event.TopicDanmaku), 0, 0, func(r streams.Record) error {
		if r.Key == room {
			letters = append(letters, r)
		}
		return nil
	})
	if err != nil || len(letters) != 1 {
		f.Fatalf("%d dead letters, %v, want one", len(letters), err)
	}
	if got := f.text(letters[0]); got != "poison" {
		f.Errorf("dead letter %q, want the poison record", got)
	}
	h := letters[0].Headers
	want := map[string]string{
		"dlq-reason": "cannot be understood", "dlq-topic": event.TopicDanmaku,
		"dlq-partition": fmt.Sprint(f.partition(room)), "dlq-offset": fmt.Sprint(at[1]), "dlq-append-time-ms": h["dlq-append-time-ms"],
	}
	if d := cmp.Diff(want, h); d != "" || h["dlq-append-time-ms"] == "" {
		f.Errorf("headers (-want +got):\n%s", d)
	}
}

func shutdownIsNotPoison(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "long work")
	started := make(chan struct{})
	stop := f.join(f.binding(f.handler(func(ctx context.Context, _ streams.Record, ack streams.Ack) {
		close(started)
		<-ctx.Done()
		ack(fmt.Errorf("long work: %w", ctx.Err()))
	})))
	<-started
	if err := stop(); err != nil {
		f.Fatalf("stopping mid item: %v", err)
	}
	f.consume(room, "long work")
	_, err := f.Reader.Read(f.Context(), topic.DLQ(event.TopicDanmaku), 0, 0, func(r streams.Record) error {
		if r.Key == room {
			return errors.New("the record is a dead letter")
		}
		return nil
	})
	if err != nil {
		f.Error(err)
	}
}

func restartsAtEarliest(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, numbered(20)...)
	var seen journal
	stop := f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, _ streams.Ack) { seen.add(f.text(r)) })))
	f.eventually("the first member has all", func() bool { return seen.len() == 20 })
	if err := stop(); err != nil {
		f.Fatal(err)
	}
	f.consume(room, numbered(20)...)
}

func stuckKey(_ *testing.T, f fixture) {
	const others = 2000
	stuck := f.room(0)
	f.publish(stuck, "stuck")
	first := f.offsets(stuck)[0]
	release := make(chan struct{})
	var handled atomic.Int32
	b := f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Key == stuck {
			<-release
		}
		handled.Add(1)
		ack(nil)
	}))
	b.MaxUnfinished = 100 // the stuck partition pauses, the others go on
	f.join(b)
	want := int32(1)
	for room := 1; room <= 20; room++ {
		f.publish(f.room(room), numbered(others/20)...)
		if f.partition(f.room(room)) != f.partition(stuck) {
			want += others / 20
		}
	}
	f.eventually("all partitions but the stuck one are handled", func() bool { return handled.Load() >= want-1 })
	if got := f.committed(stuck); got > first {
		f.Errorf("committed %d although %d is stuck", got, first)
	}
	close(release)
	f.eventually("all are handled", func() bool { return handled.Load() == others+1 })
	f.eventually("all is committed", func() bool { return f.committed(stuck) >= f.end(stuck) })
}

func retryKeepsOrder(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "a", "b", "c")
	var seen journal
	var failures atomic.Int32
	f.join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		seen.add(f.text(r))
		if f.text(r) == "a" && failures.Add(1) <= 3 {
			ack(&fault.Error{Kind: fault.Exhausted, After: time.Millisecond, Err: errors.New("too many")})
			return
		}
		ack(nil)
	})))
	f.eventually("all are handled", func() bool { return seen.len() == 6 })
	if got := strings.Join(seen.all(), ""); got != "aaaabc" {
		f.Errorf("hand-overs %s, want aaaabc", got)
	}
}

func conflictIsDone(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "a")
	end := f.end(room)
	f.join(f.binding(f.handler(func(_ context.Context, _ streams.Record, ack streams.Ack) {
		ack(fault.Errorf(fault.Conflict, "was there before"))
	})))
	f.eventually("it is committed", func() bool { return f.committed(room) >= end })
}

func internalStops(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "good", "bug", "never")
	at := f.offsets(room)
	stopped := make(chan error, 1)
	m, err := f.Join(f.binding(f.handler(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if f.text(r) == "bug" {
			ack(errors.New("broken invariant"))
			return
		}
		ack(nil)
	})))
	if err != nil {
		f.Fatal(err)
	}
	go func() { stopped <- m.Run(f.Context()) }()
	select {
	case err = <-stopped:
	case <-time.After(testkit.Patience):
		f.Fatal("the member goes on after an internal error")
	}
	name := fmt.Sprintf("%s partition %d offset %d: broken invariant", event.TopicDanmaku, f.partition(room), at[1])
	if err == nil || !strings.Contains(err.Error(), name) {
		f.Errorf("Run: %v, want it to name %q", err, name)
	}
	// Other cases' records before it may not have had their turn.
	if got := f.committed(room); got > at[1] || (at[0] == 0 && got != at[1]) {
		f.Errorf("committed %d, want %d: up to the record that failed", got, at[1])
	}
}
