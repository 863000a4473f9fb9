package engine

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// socketFile, in the data directory, says where its engine serves.
const socketFile = "livehost.socket"

// announce lets other processes of the same user find the engine of a data
// directory that they cannot open themselves.
func (e *Engine) announce() error {
	if err := os.WriteFile(filepath.Join(e.cfg.DataDir, socketFile), []byte(e.socket), 0o600); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	return nil
}

// Running finds the engine that serves a data directory now. It reports false
// when none does.
func Running(dataDir string) (dial func(context.Context) (net.Conn, error), ok bool) {
	b, err := os.ReadFile(filepath.Join(dataDir, socketFile))
	if err != nil {
		return nil, false
	}
	dial = func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", strings.TrimSpace(string(b)))
	}
	c, err := dial(context.Background())
	if err != nil {
		return nil, false
	}
	_ = c.Close()
	return dial, true
}
