package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.uber.org/fx"
)

// Runner is a long-lived part: it returns when ctx ends, or early with the
// reason why it cannot go on.
type Runner func(ctx context.Context) error

// Append schedules run in lc under name. fx stops hooks in reverse order, so
// append what is downstream first: intake then stops first and the rest drains.
func Append(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, name string, run Runner) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	lc.Append(fx.Hook{
		OnStart: func(context.Context) error {
			go func() {
				err := run(ctx)
				if ctx.Err() == nil {
					log.Error("stopped early", "part", name, "err", err)
					if serr := sd.Shutdown(fx.ExitCode(1)); serr != nil {
						log.Error("shutdown failed", "part", name, "err", serr)
					}
				}
				done <- err
			}()
			return nil
		},
		OnStop: func(stop context.Context) error {
			cancel()
			select {
			case err := <-done:
				if err != nil && !errors.Is(err, context.Canceled) {
					return fmt.Errorf("%s: %w", name, err)
				}
				return nil
			case <-stop.Done():
				return fmt.Errorf("%s did not stop in time: %w", name, stop.Err())
			}
		},
	})
}
