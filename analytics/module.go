package analytics

import (
	"log/slog"

	"go.uber.org/fx"

	"livehost/internal/clock"
	"livehost/internal/lifecycle"
)

// Module is the stage for internal/app.
var Module = fx.Module("analytics",
	fx.Decorate(func(l *slog.Logger) *slog.Logger { return l.With("component", "analytics") }),
	fx.Provide(provide, fx.Annotate((*Sink).Binding, fx.ResultTags(`group:"bindings"`))),
	fx.Invoke(start),
)

type params struct {
	fx.In

	Config Config
	Store  Store
	Clock  *clock.Clock
	Log    *slog.Logger
}

func provide(p params) (*Sink, error) {
	return New(p.Config, Deps{Store: p.Store, Clock: p.Clock, Log: p.Log})
}

func start(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, s *Sink) {
	lifecycle.Append(lc, sd, log, "analytics", s.Run)
}
