package aggregator_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/internal/embedded/kafkaserver"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// broker is the embedded one with clients.
type broker struct {
	t      testing.TB
	cfg    kafka.Config
	pub    *kafka.Publisher
	reader *kafka.Reader
	log    *slog.Logger
}

func newBroker(t testing.TB) *broker {
	t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	srv, err := kafkaserver.Start(kafkaserver.DefaultConfig(), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cfg := kafka.DefaultConfig()
	cfg.Brokers, cfg.DrainBudget, cfg.CommitInterval = srv.Addrs(), time.Second, 20*time.Millisecond
	if _, err := kafka.Provision(t.Context(), cfg, topic.All(topic.DefaultPartitions)); err != nil {
		t.Fatal(err)
	}
	b := &broker{t: t, cfg: cfg, log: log}
	if b.pub, err = kafka.NewPublisher(cfg, log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.pub.Close)
	if b.reader, err = kafka.NewReader(cfg, log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.reader.Close)
	return b
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
		Clock: clock.Real(), Publisher: b.pub, Reader: b.reader, Assigner: halves{}, Log: b.log,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	binding := agg.Binding()
	binding.Handler = wrap(binding.Handler)
	consumer, err := kafka.NewConsumer(b.cfg, binding, b.pub, b.log)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- consumer.Run(ctx) }()
	go func() { done <- agg.Run(ctx) }()
	return func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				b.t.Error(err)
			}
		}
	}
}

func (b *broker) put(events ...event.Event) {
	b.t.Helper()
	if err := b.pub.Publish(b.t.Context(), events...); err != nil {
		b.t.Fatal(err)
	}
}

// await reads the topic until it has n events.
func await[E event.Event](b *broker, n int) []E {
	b.t.Helper()
	var zero E
	ctx, cancel := context.WithTimeout(b.t.Context(), 30*time.Second)
	defer cancel()
	var out []E
	err := b.reader.Follow(ctx, []string{zero.Topic()}, false, func(rec streams.Record) {
		e, err := event.Decode[E](rec.Value)
		if err != nil {
			b.t.Error(err)
		}
		if out = append(out, e); len(out) >= n {
			cancel()
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if len(out) < n {
		b.t.Fatalf("%d events in %s, want %d", len(out), zero.Topic(), n)
	}
	return out
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
