package app

import (
	"context"
	"fmt"
	"log/slog"

	"go.uber.org/fx"

	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/streams"
	"livehost/web"
)

// webTarget is the console. "all" does not mean it: it opens a port of this machine.
const webTarget = "web"

var webModule = fx.Options(fx.Provide(provideConsole), fx.Invoke(startConsole))

// provideConsole makes the console; it has its address from its start on.
func provideConsole(lc fx.Lifecycle, cfg Config, clk *clock.Clock, rd streams.Reader, log *slog.Logger) (*web.Server, error) {
	s, err := web.New(cfg.Web, web.Deps{Log: log.With("component", "web"), Clock: clk, Live: rd})
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StartStopHook(s.Listen, s.Close))
	return s, nil
}

func startConsole(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, s *web.Server) {
	lc.Append(fx.StartHook(func() { log.Info("console", "url", s.URL()) }))
	lifecycle.Append(lc, sd, log, "console", s.Run)
}

// console is the console's part of the demo, a free port of this machine unless
// one is wanted. It reads the whole log, which is as short as the demo.
func (r *demoRun) console() (want []string, option fx.Option) {
	if r.opts.NoConsole {
		return targets, fx.Options()
	}
	r.cfg.Web.Addr = fmt.Sprintf("127.0.0.1:%d", r.opts.Console)
	r.cfg.Web.FromStart, r.cfg.Web.Restricted = true, r.opts.Restricted
	return append([]string{webTarget}, targets...), fx.Invoke(func(lc fx.Lifecycle, s *web.Server) {
		lc.Append(fx.StartHook(func() { fmt.Fprintf(r.std.Err, "console: %s\n", s.URL()) }))
	})
}

// stay keeps the console up after the end until ctx does.
func (r *demoRun) stay(ctx context.Context) {
	if r.opts.NoConsole || !r.opts.Stay || ctx.Err() != nil {
		return
	}
	fmt.Fprintln(r.std.Err, "the room is over; the console stays until Ctrl-C, then comes the summary")
	<-ctx.Done()
}
