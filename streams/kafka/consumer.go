package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
)

// Consumer runs one binding as a member of its consumer group.
type Consumer struct {
	cfg     Config
	binding streams.Binding
	dead    *Publisher
	log     *slog.Logger
	session atomic.Pointer[session] // the present one, for Progress
}

// The defaults of a binding.
const (
	defaultLanes         = 64
	defaultMaxUnfinished = 10_000
)

// NewConsumer makes the Consumer of a binding; dead letters go through pub, which
// must outlive Run.
func NewConsumer(cfg Config, b streams.Binding, pub *Publisher, log *slog.Logger) (*Consumer, error) {
	if b.Lanes == 0 {
		b.Lanes = defaultLanes
	}
	if b.MaxUnfinished == 0 {
		b.MaxUnfinished = defaultMaxUnfinished
	}
	if b.Drain == 0 {
		b.Drain = cfg.DrainBudget
	}
	if err := errors.Join(cfg.Validate(), validate(b)); err != nil {
		return nil, fmt.Errorf("kafka: binding %q: %w", b.Group, err)
	}
	return &Consumer{cfg: cfg, binding: b, dead: pub, log: log.With("group", b.Group)}, nil
}

func validate(b streams.Binding) error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(b.Group != "", "group: is empty")
	check(len(b.Topics) > 0, "topics: at least one is needed")
	check(b.Handler != nil, "handler: is missing")
	check(b.Lanes > 0, "lanes: %d is not positive", b.Lanes)
	check(b.Drain >= 0, "drain: %v is negative", b.Drain)
	check(b.MaxUnfinished > 0, "max unfinished: %d is not positive", b.MaxUnfinished)
	return errors.Join(errs...)
}

// Run joins the group and hands records over until ctx ends; then it drains,
// commits, leaves the group and returns nil. When a topic was deleted and created
// again it drains, and begins at the start of the new one. It returns an error
// when a record's handling failed with fault.Internal: the error names the
// record, whose partition is committed up to it, and the other partitions are
// drained first.
func (c *Consumer) Run(ctx context.Context) error {
	r, err := NewReader(c.cfg, c.log)
	if err != nil {
		return err
	}
	defer r.Close()
	for first := true; ; first = false {
		topics, err := c.topics(ctx, r, first)
		if err != nil {
			return ended(ctx, err)
		}
		s, err := newSession(ctx, c, r, topics)
		if err != nil {
			return err
		}
		c.session.Store(s)
		s.poll()
		s.stop()
		if !s.again() {
			return s.failure()
		}
	}
}

// topics describes the binding's topics. It waits for a broker that is away. A
// topic that does not exist is an error at first, later on it is waited for: it
// may be about to be created again.
func (c *Consumer) topics(ctx context.Context, r *Reader, first bool) (map[string]topicInfo, error) {
	for attempt := 0; ; attempt++ {
		topics, err := describe(ctx, r.admin, c.binding.Topics)
		if err == nil || (first && fault.KindOf(err) != fault.Unavailable) {
			return topics, err
		}
		c.log.Warn("kafka is away", "err", err)
		if err := clock.WallSleep(ctx, c.cfg.backoff(attempt)); err != nil {
			return nil, err
		}
	}
}
