package app

import (
	"context"
	"fmt"
	"log/slog"

	"go.uber.org/fx"

	"livehost/analytics/clickhouse"
	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/streams"
	"livehost/web"
)

// webTarget is the console. "all" does not mean it: it opens a port of this machine.
const webTarget = "web"

var webModule = fx.Options(fx.Provide(provideConsole), fx.Invoke(startConsole))

type consoleParams struct {
	fx.In

	Lifecycle fx.Lifecycle
	Config    Config
	Clock     *clock.Clock
	Reader    streams.Reader
	Store     *clickhouse.Client `optional:"true"` // the sink's, in its process
	Log       *slog.Logger
}

// provideConsole makes the console; it has its address from its start on.
func provideConsole(p consoleParams) (*web.Server, error) {
	deps := web.Deps{Log: p.Log.With("component", "web"), Clock: p.Clock, Live: p.Reader}
	client, err := consoleStore(p)
	if err != nil {
		return nil, err
	}
	if client != nil {
		store := webStore{client}
		deps.Minutes, deps.Incidents, deps.Traces, deps.Experiments = store, store, store, store
	}
	s, err := web.New(p.Config.Web, deps)
	if err != nil {
		return nil, err
	}
	p.Lifecycle.Append(fx.StartStopHook(s.Listen, s.Close))
	return s, nil
}

// consoleStore is the sink's store, or a reader of the configured one; nil: none.
func consoleStore(p consoleParams) (*clickhouse.Client, error) {
	if p.Store != nil || p.Config.ClickHouse.DSN == "" || p.Config.ClickHouse.DSN == engineDSN {
		return p.Store, nil
	}
	c, err := clickhouse.OpenReader(p.Config.ClickHouse, nil)
	if err != nil {
		return nil, err
	}
	p.Lifecycle.Append(fx.StopHook(c.Close))
	return c, nil
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

// stay keeps the console up after the end until ctx does, if that is wanted.
func (r *demoRun) stay(ctx context.Context) {
	switch {
	case r.opts.NoConsole || ctx.Err() != nil:
		return
	case !r.opts.Stay:
		fmt.Fprintln(r.std.Err, "the console ends with the demo; --stay (make demo ARGS=--stay) keeps it up")
		return
	}
	fmt.Fprintln(r.std.Err, "the room is over; the console stays until Ctrl-C")
	<-ctx.Done()
}
