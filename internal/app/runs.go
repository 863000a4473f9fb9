package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"livehost/agentworker/model"
	"livehost/agentworker/model/openaimodel"
	"livehost/eval/replay"
	"livehost/internal/cli"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// runTrajectoryShow is `livehost trajectory show ID`.
func runTrajectoryShow(ctx context.Context, o cli.TrajectoryOptions, std cli.IO) error {
	runs, err := findRuns(ctx, o.ShowOptions, std)
	if err != nil {
		return err
	}
	for i, r := range runs {
		if o.JSON {
			if !o.Restricted {
				r = r.Unrestricted()
			}
			if err := json.NewEncoder(std.Out).Encode(r); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(std.Out)
		}
		if err := r.Waterfall(std.Out, o.Restricted); err != nil {
			return err
		}
	}
	return nil
}

func findRuns(ctx context.Context, o cli.ShowOptions, std cli.IO) ([]*replay.Run, error) {
	l, err := readLog(ctx, o, std)
	if err != nil {
		return nil, err
	}
	return replay.Find(l, o.ID)
}

// runReplay is `livehost replay RUN`.
func runReplay(ctx context.Context, o cli.ReplayOptions, std cli.IO) error {
	runs, err := findRuns(ctx, o.ShowOptions, std)
	if err != nil {
		return err
	}
	r := runs[len(runs)-1]
	opts, err := replayOptions(o, r)
	if err != nil {
		return err
	}
	rep, err := replay.Replay(ctx, r, opts)
	if err != nil {
		return err
	}
	if o.JSON {
		return json.NewEncoder(std.Out).Encode(rep)
	}
	return rep.Write(std.Out)
}

func replayOptions(o cli.ReplayOptions, r *replay.Run) (replay.Options, error) {
	log := slog.New(slog.DiscardHandler)
	h, err := loadHarness(HarnessConfig{Dir: o.Dir})
	if err != nil {
		return replay.Options{}, err
	}
	made, err := newReleases(h, nil, log)
	if err != nil {
		return replay.Options{}, err
	}
	release := event.Variant(o.Release)
	if release == "" {
		release = r.Window.Variant
	}
	opts := replay.Options{Log: log}
	if opts.Release, err = made.Resolve(release, r.Window.MerchantID); err != nil {
		return opts, err
	}
	opts.Live, err = livePolicy(o)
	return opts, err
}

// livePolicy is the policy at --policy, nil without one.
func livePolicy(o cli.ReplayOptions) (model.Model, error) {
	if o.Policy == "" {
		return nil, nil
	}
	cfg := DefaultConfig().Policy
	return openaimodel.New(openaimodel.Config{
		BaseURL: o.Policy, Model: o.Model, FirstToken: cfg.FirstToken, Idle: cfg.Idle,
	}, openaimodel.Deps{Transport: http.DefaultTransport, Clock: clock.Real()})
}
