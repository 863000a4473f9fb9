package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"sort"

	"go.uber.org/fx"
	"golang.org/x/sync/errgroup"

	"livehost/internal/lifecycle"
	"livehost/streams"
)

// Module is the event log for internal/app.
var Module = fx.Module("kafka",
	fx.Provide(
		providePublisher, provideReader,
		func() *Running { return &Running{} },
		func(p *Publisher) streams.Publisher { return p },
		func(r *Reader) streams.Reader { return r },
	),
)

// Consumers runs every binding of the group "bindings". List it after the stages:
// fx stops in reverse, so intake stops first and the stages drain, side by side: a
// stop takes as long as the slowest of them.
var Consumers = fx.Module("consumers", fx.Invoke(startConsumers))

func providePublisher(lc fx.Lifecycle, cfg Config, log *slog.Logger) (*Publisher, error) {
	p, err := NewPublisher(cfg, log)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(p.Close))
	return p, nil
}

func provideReader(lc fx.Lifecycle, cfg Config, log *slog.Logger) (*Reader, error) {
	r, err := NewReader(cfg, log)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(r.Close))
	return r, nil
}

type consumerParams struct {
	fx.In

	Lifecycle  fx.Lifecycle
	Shutdowner fx.Shutdowner
	Config     Config
	Publisher  *Publisher
	Running    *Running
	Log        *slog.Logger
	Bindings   []streams.Binding `group:"bindings"`
}

func startConsumers(p consumerParams) error {
	// fx gives groups in random order; a fixed one makes logs comparable.
	sort.Slice(p.Bindings, func(i, j int) bool { return p.Bindings[i].Group < p.Bindings[j].Group })
	var consumers []*Consumer
	for _, b := range p.Bindings {
		c, err := NewConsumer(p.Config, b, p.Publisher, p.Log.With("group", b.Group))
		if err != nil {
			return err
		}
		p.Running.add(c)
		consumers = append(consumers, c)
	}
	if len(consumers) > 0 { // else a part without work would stop early
		lifecycle.Append(p.Lifecycle, p.Shutdowner, p.Log, "consumers", func(ctx context.Context) error { return runAll(ctx, consumers) })
	}
	return nil
}

// runAll runs the consumers until ctx ends, or one of them does.
func runAll(ctx context.Context, consumers []*Consumer) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, c := range consumers {
		all.Go(func() error {
			if err := c.Run(ctx); err != nil {
				return fmt.Errorf("consumer %s: %w", c.binding.Group, err)
			}
			return nil
		})
	}
	return all.Wait()
}
