package redisledger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	"livehost/dispatcher/ledgertest"
	"livehost/dispatcher/redisledger"
	"livehost/internal/fault"
	"livehost/streams/event"
)

func open(t *testing.T) (*miniredis.Miniredis, dispatcher.Ledger) {
	t.Helper()
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	l, err := redisledger.New(redisledger.DefaultConfig(), client)
	if err != nil {
		t.Fatal(err)
	}
	return server, l
}

func TestLedger(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) dispatcher.Ledger {
		server, l := open(t)
		go func() { // its keys expire when told to
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					server.FastForward(5 * time.Millisecond)
				case <-t.Context().Done():
					return
				}
			}
		}()
		return l
	})
}

func TestKeysExpireAndShareTheRoomsTag(t *testing.T) {
	t.Parallel()
	server, l := open(t)
	c := dispatcher.Claim{Room: "r}1", Channel: "console", Delivery: "w", Danmaku: []event.DanmakuID{"a"}}
	var err error
	if c.Fence, err = l.Acquire(t.Context(), c.Room); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Begin(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, k := range server.Keys() {
		if !strings.Contains(k, "{r%7D1}") || server.TTL(k) == 0 {
			t.Errorf("key %s: TTL %v", k, server.TTL(k))
		}
	}
	server.FastForward(2 * time.Hour)
	if keys := server.Keys(); len(keys) != 1 {
		t.Errorf("after two hours: %v, want the fence alone", keys)
	}
}

func TestRedisAway(t *testing.T) {
	t.Parallel()
	server, l := open(t)
	server.Close()
	_, err := l.Begin(t.Context(), dispatcher.Claim{Room: "r", Channel: "c", Delivery: "d", Danmaku: []event.DanmakuID{"a"}})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Begin: %v, want unavailable", err)
	}
	if _, err := redisledger.New(redisledger.Config{}, nil); err == nil {
		t.Error("an empty config was accepted")
	}
}

func BenchmarkBeginFinish(b *testing.B) {
	server := miniredis.RunT(b)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	b.Cleanup(func() { _ = client.Close() })
	l, err := redisledger.New(redisledger.DefaultConfig(), client)
	if err != nil {
		b.Fatal(err)
	}
	c := dispatcher.Claim{Room: "r", Channel: "private", Delivery: "w", Danmaku: []event.DanmakuID{"a"}, Fence: 1}
	for b.Loop() {
		if _, err := l.Begin(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		if err := l.Finish(b.Context(), c, dispatcher.ClaimReleased); err != nil {
			b.Fatal(err)
		}
	}
}
