package redisclaims_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"livehost/agentworker"
	"livehost/agentworker/claimstest"
	"livehost/agentworker/redisclaims"
	"livehost/internal/fault"
	"livehost/internal/testkit"
)

func open(t *testing.T, addr string) *redisclaims.Claims {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	c, err := redisclaims.New(redisclaims.DefaultConfig(), redisclaims.Deps{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMiniredis(t *testing.T) {
	t.Parallel()
	claimstest.Run(t, open(t, miniredis.RunT(t).Addr()))
}

func TestRealServer(t *testing.T) {
	claimstest.Run(t, open(t, testkit.RealServer(t, testkit.RedisAddr)))
}

func TestAway(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	c := open(t, server.Addr())
	server.Close()
	_, err := c.Claim(t.Context(), agentworker.Claim{RoomID: "r", WindowID: "w", Keys: []agentworker.ClaimKey{{DanmakuID: "a", Ask: 1}}})
	if err == nil || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("claim without a server: %v, want unavailable", err)
	}
}
