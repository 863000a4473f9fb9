package mcptoolset_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"livehost/agentworker/tool/mcptoolset"
	"livehost/internal/testkit"
)

// The public reference server, of one version, so that a new one does not break us.
const (
	everythingPackage = "@modelcontextprotocol/server-everything"
	everythingVersion = "2026.8.31"
)

// everything is the server's script, fetched by npm once into the cache folder.
func everything(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the public MCP server is not fetched")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skipf("no npm here: %s is not tested", everythingPackage)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder for the public MCP server: ", err)
	}
	dir := filepath.Join(cache, "livehost", "mcp", everythingVersion)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Skip("no cache folder for the public MCP server: ", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	done, script := filepath.Join(dir, ".done"), filepath.Join(dir, "node_modules", everythingPackage, "dist", "index.js")
	if _, err := os.Stat(done); err == nil {
		return script
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, everythingPackage+"@"+everythingVersion)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm cannot fetch %s@%s: %v\n%s", everythingPackage, everythingVersion, err, out)
	}
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return script
}

func toolsetFor(t *testing.T, s mcptoolset.Server) *mcptoolset.Toolset {
	t.Helper()
	cfg := mcptoolset.DefaultConfig()
	cfg.Servers = []mcptoolset.Server{s}
	cfg.Connect, cfg.BackoffMin, cfg.BackoffMax = 20*time.Second, 50*time.Millisecond, 500*time.Millisecond
	client := &http.Client{Transport: &http.Transport{}}
	ts, err := mcptoolset.New(cfg, mcptoolset.Deps{Log: slog.New(slog.DiscardHandler), HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = ts.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done; client.CloseIdleConnections() })
	return ts
}

// patient polls for what a busy machine may take long over.
func patient(t *testing.T, what string, ok func() bool) {
	t.Helper()
	testkit.Eventually(t, what, ok)
}

func echoes(t *testing.T, ts *mcptoolset.Toolset) bool {
	out, err := ts.Call(t.Context(), "s", "echo", map[string]any{"message": "亲"}, room)
	return err == nil && !out.IsError && strings.Contains(out.Text, "亲")
}

func TestEverythingOverStdio(t *testing.T) {
	t.Parallel()
	script := everything(t)
	pid := filepath.Join(t.TempDir(), "pid")
	ts := toolsetFor(t, mcptoolset.Server{
		Name: "s", Command: "sh", Args: []string{"-c", `echo $$ > "$PID_FILE"; exec node "$0" stdio`, script}, Env: []string{"PID_FILE=" + pid},
	})
	patient(t, "the first call", func() bool { return echoes(t, ts) })
	if !slices.Contains(ts.Discovered("s"), "echo") {
		t.Errorf("discovered %v", ts.Discovered("s"))
	}
	if out, err := ts.Call(t.Context(), "s", "no_such_tool", nil, room); err != nil || !out.IsError {
		t.Errorf("unknown tool: %+v, %v", out, err)
	}
	raw, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	patient(t, "a call after the program was killed", func() bool { return echoes(t, ts) })
}

func TestEverythingOverHTTP(t *testing.T) {
	t.Parallel()
	script := everything(t)
	port := strconv.Itoa(testkit.Port(t))
	start := func() (stop func()) {
		cmd := exec.Command("node", script, "streamableHttp")
		cmd.Env = append(os.Environ(), "PORT="+port)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	}
	stop := start()
	ts := toolsetFor(t, mcptoolset.Server{Name: "s", URL: "http://127.0.0.1:" + port + "/mcp"})
	patient(t, "the first call", func() bool { return echoes(t, ts) })
	stop()
	patient(t, "an error without the server", func() bool { return !echoes(t, ts) })
	stop = start()
	defer func() { stop() }()
	patient(t, "a call after the restart", func() bool { return echoes(t, ts) })
}
