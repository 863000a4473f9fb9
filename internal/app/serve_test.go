package app

import (
	"bytes"
	"strings"
	"testing"

	"livehost/internal/cli"
	"livehost/internal/clock"
)

// What serve --embedded logs goes where its caller wants it.
func TestServeEmbeddedLogs(t *testing.T) {
	t.Parallel()
	cfg, dir, said := DefaultConfig(), t.TempDir(), &bytes.Buffer{}
	e, err := serveEmbedded(cli.ServeOptions{Data: dir}, &cfg, clock.Real(), newLogger(cfg.Log, said))
	if err != nil {
		t.Fatal(err)
	}
	e.close()
	if !strings.Contains(said.String(), dir) {
		t.Errorf("the log does not say where the data is: %s", said)
	}
}
