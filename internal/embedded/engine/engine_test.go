package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"livehost/internal/embedded/engine"
	"livehost/internal/testkit"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == engine.ChildCommand {
		os.Exit(engine.ChildMain(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if code, ok := other(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func config(t *testing.T) engine.Config {
	t.Helper()
	cache, err := engine.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cfg := engine.DefaultConfig()
	if cfg.Library, err = engine.Installed(cache); err != nil {
		t.Fatal(err)
	}
	cfg.DataDir = t.TempDir()
	return cfg
}

func start(t *testing.T, cfg engine.Config) *engine.Engine {
	t.Helper()
	e, err := engine.Start(t.Context(), cfg, discard())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func dial(t *testing.T, e *engine.Engine) driver.Conn {
	t.Helper()
	c, err := clickhouse.Open(&clickhouse.Options{
		Protocol: clickhouse.HTTP, Addr: []string{"engine"},
		DialContext: func(ctx context.Context, _ string) (net.Conn, error) { return e.Dial(ctx) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func exec(t *testing.T, c driver.Conn, sql string, args ...any) {
	t.Helper()
	if err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func count(t *testing.T, c driver.Conn, sql string) uint64 {
	t.Helper()
	var n uint64
	if err := c.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func TestClickhouseGoUnchanged(t *testing.T) {
	e := start(t, config(t))
	defer e.Close()
	c := dial(t, e)
	exec(t, c, "CREATE DATABASE d")
	exec(t, c, "CREATE TABLE d.t (a UInt64, b String, at DateTime64(3, 'UTC'), tags Array(String)) ENGINE = MergeTree ORDER BY a")
	batch, err := c.PrepareBatch(t.Context(), "INSERT INTO d.t (a, b, at, tags)")
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Close()
	at := time.UnixMilli(1_800_000_000_123).UTC()
	hostile := "x\n\n; DROP TABLE d.t; 你好'\\"
	for i := range 1000 {
		if err := batch.Append(uint64(i), hostile, at, []string{"p", "q"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
	var b string
	var gotAt time.Time
	var tags []string
	if err := c.QueryRow(t.Context(), "SELECT b, at, tags FROM d.t WHERE a = ?", 7).Scan(&b, &gotAt, &tags); err != nil {
		t.Fatal(err)
	}
	if b != hostile || !gotAt.Equal(at) || len(tags) != 2 {
		t.Errorf("got %q %v %v", b, gotAt, tags)
	}
	if n := count(t, c, "SELECT count() FROM d.t"); n != 1000 {
		t.Errorf("%d rows, want 1000", n)
	}
	var named uint64
	if err := c.QueryRow(t.Context(), "SELECT count() FROM d.t WHERE a < {limit:UInt64}", clickhouse.Named("limit", "10")).Scan(&named); err != nil || named != 10 {
		t.Errorf("named parameter: %d, %v", named, err)
	}
	err = c.QueryRow(t.Context(), "SELECT nothing FROM d.t").Scan(&named)
	var ex *clickhouse.Exception
	if !errors.As(err, &ex) || ex.Code != 47 {
		t.Errorf("unknown identifier: %v, want a clickhouse.Exception with code 47", err)
	}
}

// chDB ends inline data at a blank line and runs the rest as statements.
func TestInsertBodyIsNeverParsed(t *testing.T) {
	e := start(t, config(t))
	defer e.Close()
	exec(t, dial(t, e), "CREATE TABLE t (b String) ENGINE = MergeTree ORDER BY b")
	if got := post(t, e, "", "INSERT INTO t FORMAT TSV\nfirst\n\nDROP TABLE t;\n"); got != "" {
		t.Fatalf("insert: %s", got)
	}
	if got := post(t, e, "", "INSERT INTO t VALUES ('a'), ('b\n\n;DROP TABLE t')"); got != "" {
		t.Fatalf("insert: %s", got)
	}
	if got := post(t, e, "INSERT INTO t FORMAT JSONEachRow", `{"b":"c"}`+"\n\n"+`{"b":"d"}`); got != "" {
		t.Fatalf("insert: %s", got)
	}
	if got := post(t, e, "", "SELECT count() FROM t"); got != "7\n" {
		t.Errorf("rows: %q, want 7", got)
	}
}

func TestSeveralStatementsAreRefused(t *testing.T) {
	e := start(t, config(t))
	defer e.Close()
	exec(t, dial(t, e), "CREATE TABLE t (b String) ENGINE = MergeTree ORDER BY b")
	for _, sql := range []string{"SELECT 1; DROP TABLE t", "DROP TABLE IF EXISTS nothing; DROP TABLE t", "SELECT 1;\n\nDROP TABLE t"} {
		if got := post(t, e, "", sql); !strings.Contains(got, "Code: 62") {
			t.Errorf("%q: %q, want a syntax error", sql, got)
		}
	}
	if got := post(t, e, "", "EXISTS TABLE t"); got != "1\n" {
		t.Errorf("the table is gone: %q", got)
	}
	if got := post(t, e, "", "nonsense"); !strings.Contains(got, "Code:") {
		t.Errorf("a bare word was accepted: %q", got)
	}
}

func TestSettingsEndWithTheirRequest(t *testing.T) {
	e := start(t, func() engine.Config { c := config(t); c.Connections = 1; return c }())
	defer e.Close()
	want := post(t, e, "", "SELECT getSetting('max_block_size')")
	if got := postWith(t, e, "max_block_size=7", "SELECT getSetting('max_block_size')"); got != "7\n" {
		t.Errorf("setting not applied: %q", got)
	}
	if got := post(t, e, "", "SELECT getSetting('max_block_size')"); got != want {
		t.Errorf("setting leaked into the next request: %q, want %q", got, want)
	}
	if got := postWith(t, e, "no_such_setting=1", "SELECT 1"); !strings.Contains(got, "Code: 115") {
		t.Errorf("unknown setting: %q", got)
	}
}

func TestCancelKillsTheStatement(t *testing.T) {
	e := start(t, func() engine.Config { c := config(t); c.Connections = 1; return c }())
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c := dial(t, e)
	if err := c.Exec(ctx, "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)"); err == nil {
		t.Fatal("no error")
	}
	ctx2, cancel2 := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel2()
	if err := c.QueryRow(ctx2, "SELECT toUInt64(1)").Scan(new(uint64)); err != nil {
		t.Errorf("the only connection is still busy: %v", err)
	}
}

func TestKilledChildLosesNothingAcknowledged(t *testing.T) {
	cfg := config(t)
	e := start(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	c := dial(t, e)
	exec(t, c, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 1000")
	var acked uint64
	for round := range 3 {
		for i := range 5 {
			sql := fmt.Sprintf("INSERT INTO t SELECT number + %d FROM numbers(100)", (round*5+i)*100)
			if c.Exec(t.Context(), sql) == nil {
				acked += 100
			}
		}
		pid := e.Pid()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the child is started again", func() bool { return e.Pid() != pid && c.Ping(t.Context()) == nil })
	}
	if n := count(t, c, "SELECT count() FROM t"); n < acked {
		t.Errorf("%d rows, %d were acknowledged", n, acked)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestDataDirectoryIsLocked(t *testing.T) {
	cfg := config(t)
	e := start(t, cfg)
	defer e.Close()
	_, err := engine.Start(t.Context(), cfg, discard())
	if err == nil || !strings.Contains(err.Error(), cfg.DataDir) || !strings.Contains(err.Error(), "in use") {
		t.Errorf("second engine on one directory: %v", err)
	}
}

func post(t *testing.T, e *engine.Engine, query, body string) string {
	t.Helper()
	return request(t, e, "query="+strings.ReplaceAll(query, " ", "+"), body)
}

func postWith(t *testing.T, e *engine.Engine, params, body string) string {
	t.Helper()
	return request(t, e, params, body)
}

func request(t *testing.T, e *engine.Engine, params, body string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Dial(ctx) }}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://engine/?"+params, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
