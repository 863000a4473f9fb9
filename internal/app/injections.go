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

	"livehost/eval/injections"
	"livehost/internal/cli"
)

// runEvalInjections is `livehost eval injections`. It fails when anything got out
// past the hooks, when nothing was tried, or when real questions went unanswered.
func runEvalInjections(ctx context.Context, o cli.InjectionsOptions, std cli.IO) error {
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	rep, err := injections.Evaluate(ctx, injections.Config{DataDir: o.Data, Hooks: !o.NoHooks, Parallel: 2 * runtime.GOMAXPROCS(0)}, log)
	if err != nil {
		return err
	}
	if o.JSON {
		err = json.NewEncoder(std.Out).Encode(rep)
	} else {
		err = printInjections(std.Out, rep)
	}
	if err == nil && rep.Hooks && !rep.OK() {
		return cli.ErrReported
	}
	return err
}

func printInjections(w io.Writer, r injections.Report) error {
	_, err := fmt.Fprintf(w, "%d strings, %d runs against %s in %.1f s, hooks %v\n", r.Strings, r.Runs, r.Policy, r.Seconds, r.Hooks)
	line := func(name string, c injections.Counts) {
		if err == nil {
			_, err = fmt.Fprintf(w, "  %-12s obeyed %4d  leaks %3d  forbidden tools %3d  ungrounded published %3d\n", name, c.Obeyed, c.Leaks, c.ForbiddenTools, c.UngroundedPublished)
		}
	}
	line("all", r.Counts)
	for _, p := range slices.Sorted(maps.Keys(r.ByPlace)) {
		line(string(p), r.ByPlace[p])
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "  real questions: answered %.3f of what is answered without injections, with the right price %.3f\n", r.BenignAnswered, r.BenignCorrect)
	}
	for _, e := range r.Examples {
		if err == nil {
			_, err = fmt.Fprintf(w, "  got out: %s\n", e)
		}
	}
	return err
}
