package app

import (
	"io"
	"testing"

	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/embedded/policy/latency"
)

// The address goes with the servers: what listens there later is somebody else's.
func TestKeptRedisAddr(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := catalogOf(h)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := embeddedOptions{dataDir: dir, profile: latency.Instant, catalog: catalog}
	log := newLogger(LogConfig{Level: "error", Format: "text"}, io.Discard)
	e, err := startEmbedded(o, clock.Real(), log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := startEmbedded(o, clock.Real(), log); err == nil {
		t.Error("a second one started on the same data")
	}
	if got, err := keptRedisAddr(dir); got != e.redis.Addr() || err != nil {
		t.Errorf("while they run: %q, %v; want %s", got, err, e.redis.Addr())
	}
	e.close()
	if got, err := keptRedisAddr(dir); got != "" || err != nil {
		t.Errorf("after their end: %q, %v; want none", got, err)
	}
}
