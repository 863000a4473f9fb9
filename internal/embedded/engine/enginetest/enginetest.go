package enginetest

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"livehost/internal/embedded/engine"
)

// Main is the beginning of TestMain: in the child process it serves and exits.
func Main() {
	if len(os.Args) > 1 && os.Args[1] == engine.ChildCommand {
		os.Exit(engine.ChildMain(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
}

// Config is a small engine with a data directory of the test.
func Config(t testing.TB) engine.Config {
	t.Helper()
	cache, err := engine.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cfg := engine.DefaultConfig()
	if cfg.Library, err = engine.Installed(cache); err != nil {
		t.Fatal(err)
	}
	cfg.DataDir = t.TempDir()
	return cfg
}

// Start runs an engine, restarted when it dies, until the test ends.
func Start(t testing.TB, cfg engine.Config) *engine.Engine {
	t.Helper()
	e, err := engine.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("engine: %v", err)
		}
	})
	return e
}
