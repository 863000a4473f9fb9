package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	osexec "os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"livehost/internal/embedded/engine"
	"livehost/internal/testkit"
)

// The first argument of the test binary makes it something else than the tests.
const (
	faultCommand  = "engine-fault"  // library, directory
	parentCommand = "engine-parent" // library, directory
)

// other is what the test binary is when it is not the tests or the child.
func other(args []string) (code int, ok bool) {
	if len(args) < 4 {
		return 0, false
	}
	switch args[1] {
	case faultCommand:
		if err := engine.FaultAfterConnect(args[2], args[3], os.Stdout); err != nil {
			fmt.Println(err)
			return 1, true
		}
		return 0, true
	case parentCommand: // a parent that is killed
		cfg := engine.DefaultConfig()
		cfg.Library, cfg.DataDir = args[2], args[3]
		e, err := engine.Start(context.Background(), cfg, discard())
		if err != nil {
			fmt.Println(err)
			return 1, true
		}
		fmt.Println(e.Pid(), e.Socket())
		select {}
	}
	return 0, false
}

// With the library's own signal handlers in place the process hangs.
func TestPitfallSignalHandlersARecoverableFaultDoesNotHang(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	out, err := osexec.CommandContext(ctx, self(t), faultCommand, cfg.Library, cfg.DataDir).CombinedOutput()
	if err != nil || strings.Count(string(out), "recovered: runtime error: invalid memory address") != 3 || !strings.Contains(string(out), "answers") {
		t.Errorf("%v:\n%s", err, out)
	}
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// Pdeathsig would fire when the parent's thread ends, so the child watches its
// standard input.
func TestPitfallStdinTheChildEndsWithAParentThatIsKilled(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]bool{"idle": false, "with a statement running": true} {
		cfg := config(t)
		parent := osexec.Command(self(t), parentCommand, cfg.Library, cfg.DataDir)
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		var socket string
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		} else if _, err := fmt.Sscan(line, &pid, &socket); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if busy {
			go get(context.WithoutCancel(t.Context()), socket, "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)")
			testkit.Eventually(t, "the statement runs", func() bool {
				return strings.TrimSpace(get(t.Context(), socket, "SELECT count() > 1 FROM system.processes")) == "1"
			})
		}
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = parent.Wait()
		testkit.Eventually(t, "the child ends", func() bool { return gone(pid) })
		e := start(t, cfg) // the directory is free
		if err := e.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// gone says whether the process has ended, reaped or not.
func gone(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	after := string(b[strings.LastIndex(string(b), ")")+1:])
	return strings.HasPrefix(strings.TrimSpace(after), "Z")
}

func get(ctx context.Context, socket, sql string) string {
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine/?query="+url.QueryEscape(sql), nil)
	if err != nil {
		return err.Error()
	}
	res, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return string(b)
}

// A block retried in-process must count once in materialised views too.
func TestPitfallTokenARetriedBlockCountsOnceInMaterialisedViews(t *testing.T) {
	t.Parallel()
	e := start(t, config(t))
	defer e.Close()
	c := dial(t, e)
	run := func(sql string) { t.Helper(); exec(t, c, sql) }
	run("CREATE TABLE src (k UInt64, v UInt64) ENGINE = MergeTree ORDER BY k SETTINGS non_replicated_deduplication_window = 100")
	run("CREATE TABLE sums (k UInt64, v UInt64) ENGINE = SummingMergeTree ORDER BY k SETTINGS non_replicated_deduplication_window = 100")
	run("CREATE MATERIALIZED VIEW mv TO sums AS SELECT k, sum(v) AS v FROM src GROUP BY k")
	for _, token := range []string{"a", "a", "b", "a"} {
		body := strings.Repeat("1\t1\n", 10)
		q := url.Values{"query": {"INSERT INTO src FORMAT TSV"}, "insert_deduplication_token": {token}, "deduplicate_blocks_in_dependent_materialized_views": {"1"}}
		if got := request(t, e, q.Encode(), body); got != "" {
			t.Fatal(got)
		}
	}
	if n := count(t, c, "SELECT toUInt64(sum(v)) FROM sums"); n != 20 {
		t.Errorf("the view has %d, want 20: two blocks of ten", n)
	}
}

func TestPitfallMemoryAQueryTooBigIsRefusedAndTheEngineLives(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.MemoryBytes = 400 << 20
	e := start(t, cfg)
	defer e.Close()
	pid := e.Pid()
	if got := post(t, e, "", "SELECT length(groupArray(number)) FROM numbers(300000000)"); !strings.Contains(got, "Code: 241") {
		t.Errorf("%q, want MEMORY_LIMIT_EXCEEDED", got)
	}
	if got := post(t, e, "", "SELECT 1"); got != "1\n" || e.Pid() != pid {
		t.Errorf("%q afterwards", got)
	}
}

func TestPitfallPoolMoreStatementsThanConnections(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Connections = 2
	e := start(t, cfg)
	defer e.Close()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if got := post(t, e, "", fmt.Sprintf("SELECT sum(number) + %d FROM numbers(100000)", i)); got != fmt.Sprint(4999950000+i, "\n") {
				t.Errorf("%d: %q", i, got)
			}
		})
	}
	wg.Wait()
}

// chdb-go's package init panics without the library; ours says what is missing.
func TestPitfallNoLibraryIsAnError(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Library += ".missing"
	_, err := engine.Start(t.Context(), cfg, discard())
	if err == nil || !strings.Contains(err.Error(), cfg.Library) {
		t.Errorf("%v", err)
	}
}

func TestPitfallSigintAtTheTerminalLeavesTheChild(t *testing.T) {
	t.Parallel()
	e := start(t, config(t))
	defer e.Close()
	pgid, err := syscall.Getpgid(e.Pid())
	if err != nil || pgid == syscall.Getpgrp() {
		t.Errorf("the child is in its parent's group %d: %v", pgid, err)
	}
}

func TestDatabaseEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Connections = 1
	e := start(t, cfg)
	defer e.Close()
	exec(t, dial(t, e), "CREATE DATABASE other")
	got := []string{postWith(t, e, "database=other", "SELECT currentDatabase()"), post(t, e, "", "SELECT currentDatabase()")}
	if !slices.Equal(got, []string{"other\n", "default\n"}) {
		t.Errorf("%q", got)
	}
}

func TestAnotherProcessFindsTheEngineOfADataDirectory(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	if _, ok := engine.Running(cfg.DataDir); ok {
		t.Error("found one before there was one")
	}
	e := start(t, cfg)
	dial, ok := engine.Running(cfg.DataDir)
	if !ok {
		t.Fatal("not found")
	}
	c, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := engine.Running(cfg.DataDir); ok {
		t.Error("found one that has ended")
	}
}

// kill -9 of everything and a restart at once.
func TestANewParentWaitsForTheChildOfTheOldOne(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	old := start(t, cfg)
	ended := make(chan error, 1)
	soon := time.AfterFunc(300*time.Millisecond, func() { ended <- old.Close() })
	defer soon.Stop()
	e := start(t, cfg)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
