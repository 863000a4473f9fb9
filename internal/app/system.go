package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"livehost/abtest"
	"livehost/abtest/redisstore"
	"livehost/agentworker"
	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/aggregator"
	"livehost/aggregator/intent"
	"livehost/dispatcher"
	"livehost/dispatcher/redisledger"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/internal/redisclient"
	"livehost/internal/telemetry"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// stopTimeout is above the longest run and the longest sentence, so that a stop
// drains.
const stopTimeout = 60 * time.Second

// stageModules is what each target adds.
var stageModules = map[string]fx.Option{
	"dispatcher":    fx.Options(fx.Module("dispatcher parts", dispatcherParts), dispatcher.Module),
	"agentworker":   fx.Options(fx.Module("agentworker parts", agentworkerParts), agentworker.Module),
	analyticsTarget: analyticsModule,
	webTarget:       webModule,
	"aggregator":    fx.Options(fx.Module("aggregator parts", fx.Provide(provideAssigner), fx.Invoke(startAssigner)), aggregator.Module),
}

// system is the fx application of the wanted targets. More options come first:
// they stop last.
func system(cfg Config, want []string, clk *clock.Clock, log *slog.Logger, outlets dispatcher.Outlets, more ...fx.Option) *fx.App {
	cfg.Aggregator.Settings, cfg.Dispatcher.Defaults = cfg.RoomDefaults, cfg.RoomDefaults
	opts := append([]fx.Option{
		fx.WithLogger(func() fxevent.Logger {
			l := &fxevent.SlogLogger{Logger: log}
			l.UseLogLevel(slog.LevelDebug)
			l.UseErrorLevel(slog.LevelDebug) // whoever starts and stops the application gets and prints them
			return l
		}),
		fx.RecoverFromPanics(),
		fx.StartTimeout(stopTimeout), fx.StopTimeout(stopTimeout),
		fx.Supply(cfg, cfg.Kafka, cfg.Redis, cfg.ABTest, cfg.Aggregator, cfg.Agentworker, cfg.Dispatcher, cfg.Analytics, clk, log, outlets),
		fx.Provide(provideRedis, provideHarness, provideTelemetry(want), (*telemetry.Telemetry).Instruments),
		fx.Decorate(func(p streams.Publisher, in *telemetry.Instruments) streams.Publisher { return in.Publisher(p) }),
		kafka.Module,
		// A module, as the stages are: fx invokes all modules before what is in none,
		// and what was started first stops last.
		fx.Module("surroundings", more...),
	}, fx.Module("ops", fx.Invoke(startOps)))
	for _, t := range want {
		part, ok := simulatorModules[t]
		if !ok {
			part = stageModules[t]
		}
		opts = append(opts, fx.Module(t+" target", part))
	}
	if slices.Contains(want, "agentworker") {
		opts = append(opts, fx.Invoke(func(h *harness.Harness) error { return cfg.fits(want, h) }))
	}
	return fx.New(append(opts, kafka.Consumers)...)
}

func provideRedis(lc fx.Lifecycle, cfg redisclient.Config) redisclient.Client {
	c := redisclient.New(cfg)
	lc.Append(fx.StopHook(c.Close))
	return c
}

// provideTelemetry ends what it made after everything that records.
func provideTelemetry(want []string) func(fx.Lifecycle, Config, *clock.Clock, *slog.Logger) (*telemetry.Telemetry, error) {
	return func(lc fx.Lifecycle, cfg Config, clk *clock.Clock, log *slog.Logger) (*telemetry.Telemetry, error) {
		t, err := telemetry.New(context.Background(), cfg.Telemetry, telemetry.Deps{Clock: clk, Log: log, Scraped: cfg.Ops.Addr != "", Targets: want})
		if err == nil {
			lc.Append(fx.StopHook(t.Shutdown))
		}
		return t, err
	}
}

// provideHarness loads the content once.
func provideHarness(cfg Config) (*harness.Harness, error) { return loadHarness(cfg.Harness) }

func loadHarness(cfg HarnessConfig) (*harness.Harness, error) {
	load := harness.Default
	if cfg.Dir != "" {
		in, err := os.Stat(cfg.Dir)
		if err == nil && !in.IsDir() {
			err = fmt.Errorf("%s is a file", cfg.Dir)
		}
		if err != nil {
			return nil, fmt.Errorf("harness: %w; name an existing folder", err)
		}
		load = func() (*harness.Harness, error) { return harness.Load(os.DirFS(cfg.Dir), known()) }
	}
	h, err := load()
	if err != nil {
		return nil, err
	}
	if cfg.Catalog == "" {
		return h, nil
	}
	c, err := harness.LoadCatalog(cfg.Catalog)
	if err != nil {
		return nil, err
	}
	return h.UseCatalog(c), nil
}

// known is what content is held against that is not in it.
func known() harness.Known {
	k := harness.Known{Compile: compiles}
	for _, i := range intent.All() {
		k.Intents = append(k.Intents, string(i))
	}
	return k
}

// compiles says what is wrong with a hook's condition.
func compiles(h *harness.Hook) error {
	_, err := hook.New([]*harness.Hook{h}, guardrail.Checks())
	return err
}

func provideLedger(client redisclient.Client) (dispatcher.Ledger, error) {
	return redisledger.New(redisledger.DefaultConfig(), client)
}

// assigner gives the aggregator what abtest knows.
type assigner struct{ *abtest.Assigner }

// Assign implements aggregator.Assigner.
func (a assigner) Assign(room event.RoomID, viewer event.ViewerID) aggregator.Assignment {
	return aggregator.Assignment(a.Assigner.Assign(room, viewer))
}

func provideAssigner(cfg abtest.Config, client redisclient.Client, log *slog.Logger) (*abtest.Assigner, aggregator.Assigner, error) {
	store := redisstore.New(client)
	a, err := abtest.New(cfg, abtest.Deps{Definitions: store, Overrides: store, Log: log})
	return a, assigner{a}, err
}

// startAssigner loads the layer's experiment before anybody is assigned, and keeps
// it fresh. Without Redis the assigner goes on with what it has.
func startAssigner(lc fx.Lifecycle, sd fx.Shutdowner, a *abtest.Assigner, log *slog.Logger) {
	lc.Append(fx.StartHook(func(ctx context.Context) {
		if err := a.Refresh(ctx); err != nil {
			log.Warn("experiment not loaded", "err", err)
		}
	}))
	lifecycle.Append(lc, sd, log, "abtest", a.Run)
}

// provision creates the topics that are missing.
func provision(ctx context.Context, cfg Config, log *slog.Logger) error {
	p, err := kafka.Provision(ctx, cfg.Kafka, topic.All(topic.DefaultPartitions))
	if err != nil {
		return fmt.Errorf("topics: %w", err)
	}
	for _, d := range p.Differs {
		log.Warn("topic differs from the catalogue", "what", d)
	}
	return nil
}

// runApp starts app, waits for ctx or an early end, and stops it.
func runApp(ctx context.Context, app *fx.App) error {
	if err := app.Err(); err != nil {
		return err
	}
	if err := app.Start(ctx); err != nil {
		return err
	}
	var failed error
	select {
	case <-ctx.Done():
	case s := <-app.Wait():
		if s.ExitCode != 0 {
			failed = errors.New("a part stopped early; the log says which")
		}
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(failed, app.Stop(stop))
}
