package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"go.uber.org/fx"

	"livehost/internal/cli"
	"livehost/internal/lifecycle"
	"livehost/internal/ops"
	"livehost/internal/telemetry"
	"livehost/streams/kafka"
)

// startOps serves /healthz and /metrics of a process that is to be watched.
func startOps(lc fx.Lifecycle, sd fx.Shutdowner, cfg Config, running *kafka.Running, t *telemetry.Telemetry, log *slog.Logger) error {
	if cfg.Ops.Addr == "" {
		return nil
	}
	s, err := ops.New(cfg.Ops, t.Collector(), ops.Consumers(func() []ops.Progress {
		var out []ops.Progress
		running.Each(func(group string, p kafka.Progress) {
			out = append(out, ops.Progress{
				Group: group, Topic: p.Topic, Partition: p.Partition, Lag: p.Lag(), Unfinished: int64(p.Unfinished),
				Lost: p.Lost, Oldest: p.Oldest, Paused: p.Paused,
			})
		})
		return out
	}))
	if err != nil {
		return err
	}
	lifecycle.Append(lc, sd, log, "ops", s.Run)
	return nil
}

// runHealth is `livehost health`: it asks a serving process.
func runHealth(ctx context.Context, url string, _ cli.IO) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s says %s", url, resp.Status)
	}
	return nil
}
