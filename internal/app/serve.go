package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/fx"

	"livehost/dispatcher/outlet"
	"livehost/harness"
	"livehost/internal/cli"
	"livehost/internal/clock"
	"livehost/internal/config"
	"livehost/internal/embedded/policy"
	"livehost/internal/lifecycle"
	"livehost/streams/kafka"
)

// runServe is `livehost serve`.
func runServe(ctx context.Context, o cli.ServeOptions, std cli.IO) error {
	cfg, want, err := loadConfig(o)
	if err != nil {
		return err
	}
	log := newLogger(cfg.Log, std.Err)
	clk := clock.Real()
	var more []fx.Option
	if o.Embedded {
		servers, err := serveEmbedded(o, &cfg, clk, log)
		if err != nil {
			return err
		}
		defer servers.close()
		more = append(more, fx.Invoke(func(lc fx.Lifecycle, sd fx.Shutdowner, rd *kafka.Reader) {
			lifecycle.Append(lc, sd, log, "servers", func(ctx context.Context) error { return servers.run(ctx, rd) })
		}))
	}
	if err := cfg.Validate(want); err != nil {
		return err
	}
	if slices.Contains(want, analyticsTarget) {
		store, closeStore, err := serveStore(ctx, o, cfg, log)
		if err != nil {
			return whileStarting(ctx, err)
		}
		defer closeStore()
		more = append(more, store)
	}
	if usesKafka, _ := needs(want); usesKafka {
		if err := provision(ctx, cfg, log); err != nil {
			return whileStarting(ctx, err)
		}
	}
	outlets, err := outlet.New(cfg.Outlet, clk, std.Out, log)
	if err != nil {
		return err
	}
	log.Info("serving", "targets", want, "brokers", cfg.Kafka.Brokers, "embedded", o.Embedded)
	return runApp(ctx, system(cfg, want, clk, log, outlets, more...))
}

// serveStore is the ClickHouse of --target=analytics: the embedded engine, or the
// configured server. It is closed in the end, also when the application never ran.
func serveStore(ctx context.Context, o cli.ServeOptions, cfg Config, log *slog.Logger) (option fx.Option, closeStore func(), err error) {
	if !o.Embedded {
		c, err := openStore(ctx, cfg.ClickHouse, nil, log)
		if err != nil {
			return nil, nil, err
		}
		return fx.Supply(c), func() { _ = c.Close() }, nil
	}
	dir, err := serveDataDir(o)
	if err != nil {
		return nil, nil, err
	}
	store, err := startEngine(ctx, dir, 0, log)
	if err != nil {
		return nil, nil, err
	}
	return store.option(log), func() {
		if err := store.close(); err != nil {
			log.Warn("ClickHouse did not close", "err", err)
		}
	}, nil
}

// keptHashKey is the key kept in a file, made on first use: a new one would make
// everyone a stranger.
func keptHashKey(path string) (config.Secret, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		key := newHashKey()
		return key, os.WriteFile(path, []byte(key), 0o600)
	}
	return config.Secret(b), err
}

// serveDataDir is where the embedded servers of serve keep their data.
func serveDataDir(o cli.ServeOptions) (string, error) {
	if o.Data != "" {
		return o.Data, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("data directory: %w; name one with --data", err)
	}
	return filepath.Join(base, "livehost", "data"), nil
}

// serveEmbedded starts the embedded servers for serve --embedded, at speed 1.
func serveEmbedded(o cli.ServeOptions, cfg *Config, clk *clock.Clock, log *slog.Logger) (*embedded, error) {
	dir, err := serveDataDir(o)
	if err != nil {
		return nil, err
	}
	h, err := loadHarness(cfg.Harness)
	if err != nil {
		return nil, err
	}
	catalog, err := catalogOf(h)
	if err != nil {
		return nil, err
	}
	e, err := startEmbedded(embeddedOptions{dataDir: dir, profile: policy.DefaultConfig().Profile, catalog: catalog, policy: cfg.Policy}, clk, log)
	if err != nil {
		return nil, err
	}
	e.configure(cfg)
	cfg.ClickHouse.DSN = engineDSN
	if cfg.Analytics.HashKey == "" {
		if cfg.Analytics.HashKey, err = keptHashKey(filepath.Join(dir, "hash.key")); err != nil {
			e.close()
			return nil, err
		}
	}
	log.Info("embedded servers", "data", dir, "kafka", cfg.Kafka.Brokers, "policy", e.policyName(cfg.Policy))
	return e, nil
}

// catalogOf is the catalogue of a harness's first release: the embedded commerce
// server serves one.
func catalogOf(h *harness.Harness) (*harness.Catalog, error) {
	rel, err := h.Release(h.Releases()[0])
	if err != nil {
		return nil, err
	}
	return rel.Catalog, nil
}

// runCheck is `livehost check`: every problem, each on a line.
func runCheck(ctx context.Context, o cli.ServeOptions, std cli.IO) error {
	cfg, want, err := loadConfig(o)
	if o.Embedded {
		// Placeholders for what the embedded servers will answer with.
		cfg.Kafka.Brokers, cfg.Redis.Addrs = []string{"embedded:0"}, []string{"embedded:0"}
		if len(cfg.Policy.Replicas) == 0 {
			cfg.Policy.Model, cfg.Policy.Replicas = policy.ModelID, []PolicyReplica{{Name: "embedded", BaseURL: "http://embedded/v1", Slots: 1}}
		}
		cfg.MCP = withCommerce(cfg.MCP, "http://embedded/mcp")
	}
	h, harnessErr := loadHarness(cfg.Harness)
	if harnessErr == nil && slices.Contains(want, "agentworker") {
		harnessErr = cfg.fits(want, h)
	}
	if err := errors.Join(err, cfg.Validate(want), harnessErr); err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "the configuration is good for %v\n", want)
	return nil
}

// runHarnessValidate is `livehost harness validate`.
func runHarnessValidate(_ context.Context, dir string, std cli.IO) error {
	h, err := loadHarness(HarnessConfig{Dir: dir})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "the harness is good: releases %v\n", h.Releases())
	return nil
}

// runHarnessHash is `livehost harness hash`.
func runHarnessHash(_ context.Context, dir string, std cli.IO) error {
	h, err := loadHarness(HarnessConfig{Dir: dir})
	if err != nil {
		return err
	}
	for _, id := range h.Releases() {
		rel, err := h.Release(id)
		if err != nil {
			return err
		}
		fmt.Fprintf(std.Out, "%s %s\n", rel.Hash, id)
	}
	return nil
}

const showTimeout = time.Minute
