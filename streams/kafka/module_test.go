package kafka_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"

	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// meeting is a stage that drains only when the others do.
type meeting struct {
	assigned *sync.WaitGroup
	draining *sync.WaitGroup
	missed   chan struct{}
}

func (m *meeting) Handle(_ context.Context, _ streams.Record, ack streams.Ack) { ack(nil) }

// Assigned waits for the partition whose drains meet: a stop may come before others.
func (m *meeting) Assigned(_ context.Context, partition int32) error {
	if partition == 0 {
		m.assigned.Done()
	}
	return nil
}

func (m *meeting) Revoked(ctx context.Context, partition int32) {
	if partition != 0 {
		return
	}
	m.draining.Done()
	met := make(chan struct{})
	go func() { m.draining.Wait(); close(met) }()
	select {
	case <-met:
	case <-ctx.Done():
		m.missed <- struct{}{}
	}
}

// A process with several stages stops in the time of its slowest, not of all of them.
func TestConsumersDrainSideBySide(t *testing.T) {
	t.Parallel()
	cfg := testConfig(embedded(t))
	if _, err := kafka.Provision(t.Context(), cfg, topic.All(topic.DefaultPartitions)); err != nil {
		t.Fatal(err)
	}
	var assigned, draining sync.WaitGroup
	missed := make(chan struct{}, 2)
	opts := []fx.Option{fx.NopLogger, kafka.Module, kafka.Consumers, fx.Supply(cfg), fx.Provide(func() *slog.Logger { return testLog(t) })}
	for _, group := range []string{"a", "b"} {
		assigned.Add(1)
		draining.Add(1)
		b := streams.Binding{
			Group: group, Topics: []string{event.TopicDanmaku}, Drain: 2 * time.Second,
			Handler: &meeting{assigned: &assigned, draining: &draining, missed: missed},
		}
		opts = append(opts, fx.Supply(fx.Annotate(b, fx.ResultTags(`group:"bindings"`))))
	}
	app := fx.New(append(opts, fx.StopTimeout(testkit.Patience))...)
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	assigned.Wait()
	if err := app.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if len(missed) > 0 {
		t.Error("one stage drained after the other")
	}
}
