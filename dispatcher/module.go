package dispatcher

import (
	"log/slog"

	"go.uber.org/fx"

	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/streams"
)

// Module is the stage for internal/app.
var Module = fx.Module("dispatcher",
	fx.Decorate(func(l *slog.Logger) *slog.Logger { return l.With("component", "dispatcher") }),
	fx.Provide(provide, fx.Annotate((*Dispatcher).Binding, fx.ResultTags(`group:"bindings"`))),
	fx.Invoke(start),
)

type params struct {
	fx.In

	Config    Config
	Clock     *clock.Clock
	Publisher streams.Publisher
	Reader    streams.Reader
	Ledger    Ledger
	Outlets   Outlets
	Switch    Switch `optional:"true"`
	Log       *slog.Logger
}

func provide(p params) (*Dispatcher, error) {
	return New(p.Config, Deps{
		Clock: p.Clock, Publisher: p.Publisher, Reader: p.Reader,
		Ledger: p.Ledger, Outlets: p.Outlets, Switch: p.Switch, Log: p.Log,
	})
}

func start(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, d *Dispatcher) {
	lifecycle.Append(lc, sd, log, "dispatcher", d.Run)
}
