package aggregator_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka/kafkatest"
)

// broker is the embedded one with clients.
type broker struct {
	*kafkatest.Log
	t testing.TB
}

func newBroker(t testing.TB) *broker {
	t.Helper()
	return &broker{kafkatest.Open(t, time.Second), t}
}

// run starts the stage and returns what stops it.
func (b *broker) run() (stop func()) {
	b.t.Helper()
	return b.runAs(func(h streams.Handler) streams.Handler { return h })
}

// runAs does that with the stage's handler wrapped.
func (b *broker) runAs(wrap func(streams.Handler) streams.Handler) (stop func()) {
	b.t.Helper()
	agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clock.Real(), Publisher: b.Publisher, Reader: b.Reader, Assigner: halves{}, Log: b.Quiet,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	binding := agg.Binding()
	binding.Handler = wrap(binding.Handler)
	return b.Run(b.t, binding, agg.Run)
}

func (b *broker) put(events ...event.Event) {
	b.t.Helper()
	if err := b.Publisher.Publish(b.t.Context(), events...); err != nil {
		b.t.Fatal(err)
	}
}

// await reads the topic until it has n events.
func await[E event.Event](b *broker, n int) []E {
	b.t.Helper()
	return kafkatest.Await(b.t, b.Log, func(out []E) bool { return len(out) >= n })
}

// The real loop against a real broker: a window in flight survives a restart, and
// nothing is asked twice.
func TestKafkaRestartKeepsWindowsInFlight(t *testing.T) {
	t.Parallel()
	b := newBroker(t)
	say := func(n int) event.Danmaku {
		return event.Danmaku{
			Schema: 1, DanmakuID: event.DanmakuID(fmt.Sprint("d", n)), RoomID: event.RoomID(fmt.Sprint("r", n%5)), ViewerID: event.ViewerID(fmt.Sprint("a", n)),
			Text: fmt.Sprintf("%d号多少钱", n+1), PlatformTimeMs: time.Now().UnixMilli(),
		}
	}
	stop := b.run()
	for n := range 10 {
		b.put(say(n))
	}
	ws := await[event.Window](b, 10)
	b.put(answered(ws[0])...)
	stop()

	stop = b.run()
	for _, w := range ws[1:] {
		b.put(answered(w)...)
	}
	b.put(say(10))
	ws = await[event.Window](b, 11)
	b.put(answered(ws[10])...)
	outcomes := await[event.Outcome](b, 11)
	stop()
	seen := map[event.DanmakuID]int{}
	for _, w := range await[event.Window](b, 11) {
		for _, m := range w.Members {
			seen[m.DanmakuID]++
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was in %d windows", id, n)
		}
	}
	if len(seen) != 11 || len(outcomes) != 11 {
		t.Errorf("%d danmaku in windows, %d outcomes, want 11 each", len(seen), len(outcomes))
	}
}

// stalling is the stage with a room whose handling hangs.
type stalling struct {
	*aggregator.Aggregator
	hangs chan struct{} // closed when it does
	goOn  chan struct{}
}

func (s stalling) Handle(ctx context.Context, r streams.Record, ack streams.Ack) {
	if r.Key == "hangs" {
		close(s.hangs)
		<-s.goOn
	}
	s.Aggregator.Handle(ctx, r, ack)
}

// While the loop stalls, much is said, then the focus changes, then somebody asks: the
// question is about what was shown by then, although a fetch brings it before that.
func TestKafkaStallKeepsFocus(t *testing.T) {
	t.Parallel()
	b := newBroker(t)
	agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clock.Real(), Publisher: b.Publisher, Reader: b.Reader, Assigner: halves{}, Log: b.Quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := stalling{agg, make(chan struct{}), make(chan struct{})}
	binding := agg.Binding()
	binding.Handler, binding.Lanes = h, 1
	defer b.Run(t, binding, agg.Run)()
	now := time.Now().UnixMilli()
	happened := func(room event.RoomID, n int64, e event.RoomEvent) event.Event {
		e.Schema, e.EventID, e.RoomID, e.TimeMs = 1, fmt.Sprint(n), room, now-2000+n
		return e
	}
	b.put(happened("hangs", 0, event.RoomEvent{Kind: event.Like}))
	<-h.hangs
	b.put(happened("waits", 0, event.RoomEvent{Kind: event.Like})) // for the only lane, and the loop for it
	events := []event.Event{happened("r1", 1, event.RoomEvent{Kind: event.ProductInFocus, LinkID: "17"})}
	for n := range int64(1200) {
		said := "" // does not compress
		for range 80 {
			said += rand.Text()
		}
		events = append(events, happened("r1", n+2, event.RoomEvent{Kind: event.HostUtterance, Text: said}))
	}
	b.put(append(events, happened("r1", 1500, event.RoomEvent{Kind: event.ProductInFocus, LinkID: "32"}))...)
	b.put(event.Danmaku{Schema: 1, DanmakuID: "d1", RoomID: "r1", ViewerID: "a1", Text: "多少钱", PlatformTimeMs: now})
	close(h.goOn)
	w := await[event.Window](b, 1)[0]
	if w.Context.FocusLink != "32" || w.Members[0].FocusLink != "32" {
		t.Errorf("the window is about link %q, its danmaku about %q, want 32", w.Context.FocusLink, w.Members[0].FocusLink)
	}
}
