package ops_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"livehost/internal/ops"
)

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	return string(b)
}

func TestHealthAndMetrics(t *testing.T) {
	t.Parallel()
	s, err := ops.New(ops.Config{Addr: "127.0.0.1:0"}, ops.Consumers(func() []ops.Progress {
		return []ops.Progress{{Group: "agentworker", Topic: "window.v1", Partition: 3, Lag: 7, Unfinished: 2, Lost: 1, Oldest: time.Now().Add(-time.Minute), Paused: true}}
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	if got := get(t, "http://"+s.Addr()+"/healthz"); got != "ok\n" {
		t.Errorf("healthz: %q", got)
	}
	metrics := get(t, "http://"+s.Addr()+"/metrics")
	for _, want := range []string{
		`live_streams_lag_records{group="agentworker",partition="3",topic="window.v1"} 7`,
		`live_streams_unfinished_records{group="agentworker",partition="3",topic="window.v1"} 2`,
		`live_streams_lost_records_total{group="agentworker",partition="3",topic="window.v1"} 1`,
		`live_streams_paused{group="agentworker",partition="3",topic="window.v1"} 1`,
		`live_streams_oldest_unfinished_seconds{group="agentworker",partition="3",topic="window.v1"} 60.`,
		"go_goroutines ",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("%q is not in the metrics", want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	s, err := ops.New(ops.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	defer func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	if _, err := ops.New(ops.Config{Addr: s.Addr()}); err == nil || !strings.Contains(err.Error(), "ops.addr") {
		t.Errorf("%v does not say what to do", err)
	}
}
