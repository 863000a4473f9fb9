package redisvoice_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"livehost/dispatcher"
	"livehost/dispatcher/redisvoice"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) (*miniredis.Miniredis, *redisvoice.Switch) {
	t.Helper()
	m := miniredis.RunT(t)
	c := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = c.Close() })
	return m, redisvoice.New(c, slog.New(slog.DiscardHandler))
}

func TestStopAndResume(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	all := dispatcher.Stop{Reason: "drill", By: "op", SinceMs: 5}
	room := dispatcher.Stop{Room: "r{1}", Reason: "wrong price", SinceMs: 6}
	variant := dispatcher.Stop{Variant: "harness", Reason: "rollback", SinceMs: 7}
	for _, stop := range []dispatcher.Stop{variant, {Room: "r{1}", Reason: "typo"}, room, all} {
		if err := s.Stop(t.Context(), stop); err != nil {
			t.Fatal(err)
		}
	}
	wantList(t, s, all, room, variant)
	for _, want := range []bool{true, false} {
		if was, err := s.Resume(t.Context(), dispatcher.Stop{Room: "r{1}"}); err != nil || was != want {
			t.Errorf("Resume = %v, %v, want %v", was, err, want)
		}
	}
	wantList(t, s, all, variant)
}

func wantList(t *testing.T, s *redisvoice.Switch, want ...dispatcher.Stop) {
	t.Helper()
	got, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stops (-want +got):\n%s", diff)
	}
}

// TestWatch: a stop is known within a second, garbage stops nothing, and the last stops
// stay in force while Redis is away.
func TestWatch(t *testing.T) {
	t.Parallel()
	m, s := open(t)
	m.HSet("livehost:voice:stops", "room/x", "{", "all", `{"room":"y"}`)
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(chan []dispatcher.Stop)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, func(stops []dispatcher.Stop) {
			select {
			case seen <- stops:
			case <-ctx.Done():
			}
		})
	}()
	if first := <-seen; len(first) != 0 {
		t.Errorf("at first %v, want nothing", first)
	}
	if err := s.Stop(t.Context(), dispatcher.Stop{Reason: "drill"}); err != nil {
		t.Fatal(err)
	}
	for looks := 0; len(<-seen) == 0; looks++ {
		if looks == 2 { // one may have been under way, one is every 200 ms
			t.Error("two looks have not seen the stop")
		}
	}
	m.SetError("LOADING")
	select {
	case stops := <-seen:
		if len(stops) != 1 { // one look may have been under way
			t.Errorf("with Redis away: %v", stops)
		}
	case <-time.After(500 * time.Millisecond):
	}
	m.SetError("")
	if stops := <-seen; len(stops) != 1 {
		t.Errorf("after Redis is back: %v", stops)
	}
	cancel()
	<-done
}
