package aggregator

import (
	"log/slog"

	"go.uber.org/fx"

	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/streams"
)

// Module is the stage for internal/app.
var Module = fx.Module("aggregator",
	fx.Decorate(func(l *slog.Logger) *slog.Logger { return l.With("component", "aggregator") }),
	fx.Provide(provide, fx.Annotate((*Aggregator).Binding, fx.ResultTags(`group:"bindings"`))),
	fx.Invoke(start),
)

type params struct {
	fx.In

	Config    Config
	Clock     *clock.Clock
	Publisher streams.Publisher
	Reader    streams.Reader
	Assigner  Assigner
	Log       *slog.Logger
}

func provide(p params) (*Aggregator, error) {
	return New(p.Config, Deps{Clock: p.Clock, Publisher: p.Publisher, Reader: p.Reader, Assigner: p.Assigner, Log: p.Log})
}

func start(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, a *Aggregator) {
	lifecycle.Append(lc, sd, log, "aggregator", a.Run)
}
