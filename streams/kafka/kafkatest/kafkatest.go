package kafkatest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// Log is a broker in memory and the clients of it.
type Log struct {
	Config    kafka.Config
	Publisher *kafka.Publisher
	Reader    *kafka.Reader
	Quiet     *slog.Logger // where nobody reads
}

// Open starts a broker for the test. Partitions that move drain within drain, and
// progress is committed at once.
func Open(t testing.TB, drain time.Duration) *Log {
	t.Helper()
	l := &Log{Config: kafka.DefaultConfig(), Quiet: slog.New(slog.DiscardHandler)}
	srv, err := kafkaserver.Start(kafkaserver.DefaultConfig(), l.Quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	l.Config.Brokers, l.Config.DrainBudget, l.Config.CommitInterval = srv.Addrs(), drain, 20*time.Millisecond
	if _, err := kafka.Provision(t.Context(), l.Config, topic.All(topic.DefaultPartitions)); err != nil {
		t.Fatal(err)
	}
	if l.Publisher, err = kafka.NewPublisher(l.Config, l.Quiet); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Publisher.Close)
	if l.Reader, err = kafka.NewReader(l.Config, l.Quiet); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Reader.Close)
	return l
}

// Run runs a stage: its binding, and what it runs besides. stop ends both.
func (l *Log) Run(t testing.TB, b streams.Binding, run func(context.Context) error) (stop func()) {
	t.Helper()
	consumer, err := kafka.NewConsumer(l.Config, b, l.Publisher, l.Quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- consumer.Run(ctx) }()
	go func() { done <- run(ctx) }()
	return func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}

// Await reads a topic from its start until enough says so of what came so far.
func Await[E event.Event](t testing.TB, l *Log, enough func([]E) bool) []E {
	t.Helper()
	var zero E
	var out []E
	found := false
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	err := l.Reader.Follow(ctx, []string{zero.Topic()}, false, func(rec streams.Record) {
		e, err := event.Decode[E](rec.Value)
		if err != nil {
			t.Error(err)
		}
		if out = append(out, e); enough(out) {
			found = true
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Fatalf("%d events in %s, and more are wanted", len(out), zero.Topic())
	}
	return out
}
