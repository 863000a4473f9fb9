package redisslots_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"livehost/agentworker/redisslots"
	"livehost/agentworker/routing"
	"livehost/agentworker/routing/slotstest"
	"livehost/internal/fault"
	"livehost/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, addr string) *redisslots.Slots {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	s, err := redisslots.New(redisslots.DefaultConfig(), redisslots.Deps{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMiniredis(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	slotstest.Run(t, open(t, server.Addr()), server.FlushAll)
}

func TestRealServer(t *testing.T) {
	addr := testkit.RealServer(t, testkit.RedisAddr)
	client := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { _ = client.Close() })
	slotstest.Run(t, open(t, addr), func() {
		keys, err := client.Keys(t.Context(), redisslots.DefaultConfig().Prefix+":*").Result()
		if err == nil {
			err = client.Del(t.Context(), keys...).Err()
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func TestAway(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	s := open(t, server.Addr())
	server.Close()
	_, err := s.Take(t.Context(), routing.Ask{Ticket: "t", Avoid: -1, Replicas: []routing.Want{{Replica: "a", Slots: 1}}})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("take without a server: %v, want unavailable", err)
	}
	if err := s.Give(t.Context(), routing.Lease{Replica: "a", Ticket: "t"}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("give without a server: %v, want unavailable", err)
	}
}
