package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout bounds the wall time of the answer.
const healthTimeout = 3 * time.Second

func health(a Actions, io IO) *cobra.Command {
	url := "http://127.0.0.1:9464/healthz"
	c := &cobra.Command{
		Use: "health", Short: "Exit with 0 when a serving process answers (ops.addr)", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), healthTimeout)
			defer cancel()
			return a.Health(ctx, url, io)
		},
	}
	c.Flags().StringVar(&url, "url", url, "where it listens")
	return c
}
