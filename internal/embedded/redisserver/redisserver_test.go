package redisserver_test

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"livehost/internal/embedded/redisserver"
	"livehost/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestKeysExpireByWallTime(t *testing.T) {
	t.Parallel()
	srv, err := redisserver.Start(redisserver.Config{Tick: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- srv.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	}()
	c := redis.NewClient(&redis.Options{Addr: srv.Addr()})
	defer c.Close()
	const ttl = 150 * time.Millisecond
	start := time.Now()
	if err := c.Set(t.Context(), "lease", "me", ttl).Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Set(t.Context(), "forever", "me", 0).Err(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the key expires", func() bool { return c.Exists(t.Context(), "lease").Val() == 0 })
	if lived := time.Since(start); lived < ttl-10*time.Millisecond {
		t.Errorf("the key lived %v, want %v", lived, ttl)
	}
	if c.Exists(t.Context(), "forever").Val() != 1 {
		t.Error("a key without a time to live expired")
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	port := ln.Addr().(*net.TCPAddr).Port
	_, err = redisserver.Start(redisserver.Config{Port: port, Tick: time.Second})
	if err == nil || !strings.Contains(err.Error(), "port "+strconv.Itoa(port)+" is in use") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line that names the port", err)
	}
}

func TestValidateListsEveryProblem(t *testing.T) {
	t.Parallel()
	err := redisserver.Config{Port: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "port") || !strings.Contains(err.Error(), "tick") {
		t.Errorf("error %v, want port and tick", err)
	}
}
