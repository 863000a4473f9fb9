package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"time"

	"go.uber.org/fx"

	"livehost/analytics"
	"livehost/analytics/clickhouse"
	"livehost/analytics/query"
	"livehost/analytics/schema"
	"livehost/eval/audit"
	"livehost/internal/config"
	"livehost/internal/embedded/engine"
	"livehost/internal/lifecycle"
	"livehost/streams/event"
)

// analyticsTarget is the sink; "all" means it where there is a store.
const analyticsTarget = "analytics"

// analyticsModule takes the store from whoever opened it: openStore for a server
// of its own, the demo for the embedded engine.
var analyticsModule = fx.Options(analytics.Module, fx.Provide(
	func(c *clickhouse.Client) analytics.Store { return c },
))

// engineDSN stands in for an address: the embedded engine is dialled by its socket.
const engineDSN = "http://embedded"

// openStore connects to ClickHouse and brings its schema up to date.
func openStore(ctx context.Context, cfg clickhouse.Config, dial clickhouse.Dial, log *slog.Logger) (*clickhouse.Client, error) {
	c, err := clickhouse.Open(ctx, cfg, dial)
	if err != nil {
		return nil, err
	}
	if err := schema.Migrate(ctx, c.DB(), log); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// embeddedStore is the ClickHouse engine in a child process and a client of it.
type embeddedStore struct {
	engine *engine.Engine
	client *clickhouse.Client
}

// startEngine starts the engine on dir; port 0: no port for analysts' tools.
func startEngine(ctx context.Context, dir string, port int, log *slog.Logger) (*embeddedStore, error) {
	cache, err := engine.CacheDir()
	if err != nil {
		return nil, err
	}
	ec := engine.DefaultConfig()
	if ec.Library, err = engine.Installed(cache); err != nil {
		return nil, err
	}
	ec.DataDir, ec.Port = filepath.Join(dir, "clickhouse"), port
	e, err := engine.Start(ctx, ec, log)
	if err != nil {
		return nil, err
	}
	cc := clickhouse.DefaultConfig()
	cc.DSN = engineDSN
	client, err := openStore(ctx, cc, e.Dial, log)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &embeddedStore{engine: e, client: client}, nil
}

// close ends client and engine, also when the application has done so already.
func (s *embeddedStore) close() error { return errors.Join(s.client.Close(), s.engine.Close()) }

// option gives the store to the application and keeps the engine alive in it.
func (s *embeddedStore) option(log *slog.Logger) fx.Option {
	return fx.Options(fx.Supply(s.client), fx.Invoke(func(lc fx.Lifecycle, sd fx.Shutdowner) {
		lifecycle.Append(lc, sd, log, "clickhouse engine", s.engine.Run)
		lc.Append(fx.StopHook(s.client.Close))
	}))
}

// newHashKey is a key of viewers' pseudonyms for a data directory.
func newHashKey() config.Secret { return config.Secret(rand.Text()) }

// stored is what ClickHouse holds of a run, in the summary.
type stored struct {
	Outcomes   map[event.State]int64 `json:"outcomes"`
	Conflicts  int64                 `json:"conflicts"`
	EqualToLog bool                  `json:"equal_to_log"`
}

// storeWithin is how long the sink may take, in wall time, for the last rows.
const storeWithin = 20 * time.Second

// compare waits until ClickHouse holds what the log does, and says what it holds.
func compare(ctx context.Context, client *clickhouse.Client, s audit.Summary) (*stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	want := query.NewCounts()
	for state, n := range s.Outcomes {
		want.Outcomes[state] = int64(n)
	}
	var out *stored
	for {
		got, err := client.Counts(ctx, query.Scope{})
		switch {
		case err != nil && out != nil && ctx.Err() != nil: // the time ran out in the middle of a question
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("read the summary back from ClickHouse: %w", err)
		}
		out = &stored{Outcomes: got.Outcomes, Conflicts: got.Conflicts, EqualToLog: maps.Equal(got.Outcomes, want.Outcomes) && got.Conflicts == 0}
		if out.EqualToLog {
			return out, nil
		}
		select {
		case <-ctx.Done():
			return out, nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}
