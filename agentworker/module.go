package agentworker

import (
	"log/slog"

	"go.uber.org/fx"

	"livehost/agentworker/runner"
	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/internal/telemetry"
	"livehost/streams"
)

// Module is the stage for internal/app.
var Module = fx.Module("agentworker",
	fx.Decorate(func(l *slog.Logger) *slog.Logger { return l.With("component", "agentworker") }),
	fx.Provide(provide, fx.Annotate((*Agent).Binding, fx.ResultTags(`group:"bindings"`))),
	fx.Invoke(start),
)

type params struct {
	fx.In

	Config    Config
	Clock     *clock.Clock
	Log       *slog.Logger
	Publisher streams.Publisher
	Reader    streams.Reader
	Claims    Claims
	Releases  Releases
	Runner    *runner.Runner
	Telemetry *telemetry.Instruments `optional:"true"`
}

func provide(p params) (*Agent, error) {
	return New(p.Config, Deps{
		Clock: p.Clock, Log: p.Log, Publisher: p.Publisher, Reader: p.Reader,
		Claims: p.Claims, Releases: p.Releases, Runner: p.Runner, Telemetry: p.Telemetry,
	})
}

func start(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, a *Agent) {
	lifecycle.Append(lc, sd, log, "agentworker", a.Run)
}
