package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"livehost/eval/audit"
	"livehost/eval/replay"
	"livehost/harness"
	"livehost/internal/cli"
	"livehost/streams/event"
	"livehost/streams/kafka"
)

// runHarnessDryRun is `livehost harness dry-run`.
func runHarnessDryRun(ctx context.Context, o cli.DryRunOptions, std cli.IO) error {
	log := slog.New(slog.DiscardHandler)
	base, err := loadHarness(HarnessConfig{Dir: o.Dir})
	if err != nil {
		return err
	}
	if known := base.Releases(); o.Release != "" && !slices.Contains(known, o.Release) {
		return fmt.Errorf("--release: there is no release %q; there is %s", o.Release, strings.Join(known, ", "))
	}
	tried, names, err := withHooks(base, o.Hooks)
	if err != nil {
		return err
	}
	made, err := newReleases(tried, nil, log)
	if err != nil {
		return err
	}
	l, err := readRuns(ctx, o, std)
	if err != nil {
		return err
	}
	rep, err := replay.Try(ctx, replay.All(l), func(v event.Variant, m event.MerchantID) (replay.Candidate, error) {
		if o.Release != "" && v != event.Variant(o.Release) {
			return replay.Candidate{}, fmt.Errorf("only runs of %s are judged", o.Release)
		}
		rel, err := made.Resolve(v, m)
		if err != nil {
			return replay.Candidate{}, err
		}
		was, err := base.ForMerchant(rel.ID, m)
		if err != nil {
			return replay.Candidate{}, err
		}
		return replay.Candidate{Release: rel, Base: was.Hash}, nil
	}, log)
	if err != nil {
		return err
	}
	rep.Hooks = names
	if o.JSON {
		err = json.NewEncoder(std.Out).Encode(rep)
	} else {
		err = rep.Write(std.Out)
	}
	for _, kind := range o.FailOn {
		if err == nil && rep.Counts[kind] > 0 {
			err = cli.ErrReported
		}
	}
	return err
}

// withHooks is the harness with the hooks of a file or folder, and what is not as it
// was. Without a path it is the harness itself.
func withHooks(h *harness.Harness, path string) (*harness.Harness, []string, error) {
	names := []string{}
	if path == "" {
		return h, names, nil
	}
	hooks, folder, err := harness.LoadHooks(path, compiles)
	if err != nil {
		return nil, nil, err
	}
	was := h.Hooks()
	for _, k := range hooks {
		i := slices.IndexFunc(was, func(o *harness.Hook) bool { return o.Name == k.Name })
		switch {
		case i < 0:
			names = append(names, k.Name+" "+k.Version+" (new)")
		case !was[i].Same(k):
			names = append(names, k.Name+" "+k.Version+" (changed)")
		}
	}
	for _, k := range was {
		if folder && !slices.ContainsFunc(hooks, func(o *harness.Hook) bool { return o.Name == k.Name }) {
			names = append(names, k.Name+" "+k.Version+" (left out)")
		}
	}
	return h.UseHooks(hooks, folder), names, nil
}

// readRuns reads what a dry run needs of the log.
func readRuns(ctx context.Context, o cli.DryRunOptions, std cli.IO) (*audit.Log, error) {
	var l *audit.Log
	err := withReader(ctx, o.ShowOptions, std, func(ctx context.Context, r *kafka.Reader) (err error) {
		l, err = audit.ReadSince(ctx, r, time.Now().Add(-o.Since), event.TopicWindow, event.TopicReply, event.TopicTrajectory, event.TopicGuardrailHit)
		return err
	})
	return l, err
}
