package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"livehost/internal/clock"
	"livehost/internal/embedded/policy"
	"livehost/internal/embedded/policy/latency"
	"livehost/internal/testkit"
)

// gated is the scripted policy behind a gate: nothing is answered before it opens.
func gated(t *testing.T, gate <-chan struct{}) (base string) {
	t.Helper()
	cfg := policy.DefaultConfig()
	cfg.Replicas, cfg.Profile = 1, latency.Instant
	fleet, err := policy.Start(cfg, clock.Real(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fleet.Close() })
	target, err := url.Parse(strings.TrimSuffix(fleet.Replicas()[0].BaseURL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(target)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
			behind.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestVoiceCommandFindsTheEmbeddedRedis: an operator names the data directory of a running
// process at most. Stopped before anybody asks, its voices say nothing until they are
// resumed; private text goes on.
func TestVoiceCommandFindsTheEmbeddedRedis(t *testing.T) {
	dir := t.TempDir()
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	defer open()
	config := patient(t, fmt.Sprintf(`, model: %s, replicas: [{name: a, base_url: "%s/v1", slots: 2}]`, policy.ModelID, gated(t, gate)), "")
	type ended struct {
		code      int
		out, errs string
	}
	demo := make(chan ended, 1)
	go func() {
		code, out, errs := run(append([]string{"demo", "--room", write(t, "tiny.room.txtar", tinyRoom), "--data", dir, "--no-console"}, config...)...)
		demo <- ended{code, out, errs}
	}()
	testkit.Eventually(t, "the address is kept", func() bool {
		_, err := os.Stat(filepath.Join(dir, "redis.addr"))
		return err == nil
	})
	if code, out, errs := run("voice", "stop", "--data", dir, "--all", "--reason", "drill"); code != 0 || !strings.Contains(out, "stopped: all voices") {
		t.Fatalf("stop: %d %s %s", code, out, errs)
	}
	if code, out, errs := run("voice", "list", "--data", dir); code != 0 || !strings.Contains(out, "drill") {
		t.Errorf("list: %d %s %s", code, out, errs)
	}
	<-time.After(time.Second) // the dispatcher looks every 200 ms
	open()
	if got := <-demo; strings.Count(got.out, "没有说") != 2 || strings.Count(got.out, "私信") != 2 {
		t.Errorf("a stopped voice: exit %d\n%s\n%s", got.code, got.out, got.errs)
	}
}
