package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"

	"livehost/eval/injections"
	"livehost/internal/cli"
)

// runEvalHostile is `livehost eval hostile`. It fails when a lie got out past the
// hooks, when nothing was tried, or when real questions went unanswered.
func runEvalHostile(ctx context.Context, o cli.HostileOptions, std cli.IO) error {
	cfg := injections.RoomsConfig{DataDir: o.Data, Hooks: !o.NoHooks, PerRoom: o.PerRoom, Parallel: 2 * runtime.GOMAXPROCS(0)}
	if cfg.PerRoom == 0 {
		cfg.PerRoom = injections.DefaultPerRoom
	}
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	rep, err := injections.EvaluateRooms(ctx, cfg, log)
	if err != nil {
		return err
	}
	if o.JSON {
		err = json.NewEncoder(std.Out).Encode(rep)
	} else {
		_, err = io.WriteString(std.Out, hostileReport(rep))
	}
	if err == nil && rep.Hooks && !rep.OK() {
		return cli.ErrReported
	}
	return err
}

func hostileReport(r injections.RoomsReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rooms of %d platforms, %d danmaku, %d runs against %s in %.1f s, hooks %v\n", r.Rooms, r.Platforms, r.Danmaku, r.Runs, r.Policy, r.Seconds, r.Hooks)
	fmt.Fprintf(&b, "  lied in %d runs, published %d\n", r.Lied, r.Published)
	for _, kind := range slices.Sorted(maps.Keys(r.LiedBy)) {
		fmt.Fprintf(&b, "  %-20s tried %4d  published %3d\n", kind, r.LiedBy[kind], r.ByKind[kind])
	}
	fmt.Fprintf(&b, "  of %d danmaku that an honest policy answers, answered %.3f, with more than a conservative reply %.3f\n", r.Asked, r.Answered, r.AnsweredInFull)
	if r.Honest > 0 {
		fmt.Fprintf(&b, "  %d replies of the honest policy counted as wrong: look at the extractor\n", r.Honest)
	}
	for _, e := range r.Examples {
		fmt.Fprintf(&b, "  got out: %s\n", e)
	}
	return b.String()
}
