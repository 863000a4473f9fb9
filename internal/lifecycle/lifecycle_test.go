package lifecycle_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/goleak"

	"livehost/internal/lifecycle"
	"livehost/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func app(run lifecycle.Runner) *fx.App {
	log := slog.New(slog.DiscardHandler)
	return fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle, sd fx.Shutdowner) {
		lifecycle.Append(lc, sd, log, "part", run)
	}))
}

func TestEarlyReturnShutsDownWithExitCode1(t *testing.T) {
	t.Parallel()
	a := app(func(context.Context) error { return errors.New("no") })
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case s := <-a.Wait():
		if s.ExitCode != 1 {
			t.Errorf("exit code %d, want 1", s.ExitCode)
		}
	case <-time.After(testkit.Patience):
		t.Fatal("no shutdown signal")
	}
	if err := a.Stop(context.WithoutCancel(t.Context())); err == nil {
		t.Error("Stop hid the runner's error")
	}
}

func TestStopCancelsAndWaits(t *testing.T) {
	t.Parallel()
	stopped := false
	a := app(func(ctx context.Context) error { <-ctx.Done(); stopped = true; return ctx.Err() })
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !stopped {
		t.Error("Stop returned before the runner did")
	}
}
