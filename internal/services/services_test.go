package services

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"livehost/internal/testkit"
)

func TestProcessIsRememberedByItsStartTime(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	p := &process{Name: "sleeper", Argv: []string{"sleep", "60"}}
	if err := p.start(log); err != nil {
		t.Fatal(err)
	}
	if !p.running() {
		t.Fatal("the started process does not run")
	}
	other := &process{Name: "other", Pid: p.Pid, Started: p.Started + "0"} // the id was given to another process
	if other.running() {
		t.Error("a process that started at another time counts as ours")
	}
	if err := other.end(syscall.SIGKILL, time.Second); err != nil || !p.running() {
		t.Errorf("ending a process that is gone: %v; the one that has its id now runs: %v", err, p.running())
	}
	if err := p.end(syscall.SIGTERM, testkit.Patience); err != nil || p.running() {
		t.Errorf("end: %v, still running: %v", err, p.running())
	}
}

func TestProcessThatEndsWhileStartingSaysWhy(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	p := &process{Name: "broken", Argv: []string{"sh", "-c", "echo no such setting >&2; exit 1"}}
	if err := p.start(log); err != nil {
		t.Fatal(err)
	}
	err := p.until(t.Context(), log, func(context.Context) error { return errors.New("not yet") })
	if err == nil || !strings.Contains(err.Error(), "no such setting") {
		t.Errorf("%v does not say why", err)
	}
}

func TestSetWithRedisOnly(t *testing.T) {
	t.Parallel()
	redis, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed")
	}
	dir := t.TempDir()
	port := strconv.Itoa(testkit.Port(t)) // it comes back to it
	addr := "127.0.0.1:" + port
	s := &Set{dir: dir, state: state{Redis: addr, Processes: []*process{{
		Name: Redis, Argv: []string{redis, "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", ""},
	}}}}
	if err := s.startAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir) // as another program
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Kill(Redis); err != nil {
		t.Fatal(err)
	}
	if redisReady(t.Context(), addr) == nil {
		t.Error("Redis answers after it was killed")
	}
	if err := again.Start(t.Context(), Redis); err != nil {
		t.Fatal(err)
	}
	if err := again.Down(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the state is still there: %v", err)
	}
	if err := again.Kill("nothing"); err == nil || !strings.Contains(err.Error(), Redis) {
		t.Errorf("%v does not name what there is", err)
	}
}
