package aggregator

import (
	"log/slog"

	"go.uber.org/fx"

	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/internal/telemetry"
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
	Telemetry *telemetry.Instruments `optional:"true"`
}

func provide(p params) (*Aggregator, error) {
	a, err := New(p.Config, Deps{Clock: p.Clock, Publisher: p.Publisher, Reader: p.Reader, Assigner: p.Assigner, Log: p.Log})
	if err != nil {
		return nil, err
	}
	return a, p.Telemetry.Rooms(func() (active, quiet, parked int64) {
		s := a.Stats()
		return s.Rooms - s.Quiet, s.Quiet, s.Parked
	})
}

func start(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, a *Aggregator) {
	lifecycle.Append(lc, sd, log, "aggregator", a.Run)
}
