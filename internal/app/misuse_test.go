package app_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"livehost/internal/app"
)

// A command line that cannot be meant is an error with exit code 2, never help and success.
func TestMisuse(t *testing.T) {
	recording := write(t, "r.jsonl", `{"ts_ms":0,"user":"a","text":"3号多少钱"}`)
	script := write(t, "tiny.room.txtar", tinyRoom)
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", 0, ""},
		{"voice", 0, ""},
		{"nosuch", 2, `no command "nosuch"`},
		{"voice halt", 2, "resume, stop"},
		{"harness nosuch", 2, "dry-run"},
		{"danmaku show", 2, "need 1"},
		{"dlq list a b", 2, "at most 1"},
		{"dlq replay", 2, "at least 1"},
		{"dlq list", 1, "--config"},
		{"topics check", 1, "--config"},
		{"eval filters", 2, "--data"},
		{"eval intents", 2, "--labels"},
		{"eval intents --texts", 2, "--data"},
		{"eval intents --own a --json --data b", 2, "--json"},
		{"eval hostile", 2, "--data"},
		{"eval injections", 2, "--data"},
		{"eval hostile --data . --per-room -1", 2, "--per-room"},
		{"incidents list --data . --limit 0", 2, "--limit"},
		{"incidents list --data . --kind foo", 2, "guardrail, fallback, outcome"},
		{"ab report x --data . --split a=50abc", 2, "--split"},
		{"ab report x --data . --split a=Inf,b=1", 2, "--split"},
		{"ab report x --data . --split a=1,a=2", 2, "each variant once"},
		{"latency --data . --timeout -1s", 2, "--timeout"},
		{"sql --data . --limit -3 select", 2, "--limit"},
		{"demo --speed NaN", 2, "--speed"},
		{"demo --speed Inf", 2, "--speed"},
		{"demo --speed -1", 2, "--speed"},
		{"demo --from -1s", 2, "--from"},
		{"demo --busiest 1m --from 1s", 2, "--busiest"},
		{"demo --console 70000", 2, "--console"},
		{"demo --clickhouse-port -1", 2, "--clickhouse-port"},
		{"demo --profile nosuch", 1, "--profile: "},
		{"demo --cpuprofile /nowhere/cpu", 1, "--cpuprofile"},
		{"demo --room " + script + " --from 1s", 1, "for recordings"},
		{"demo --room " + recording + " --from 1h", 1, "choose another --from"},
		{"voice list --redis nonsense", 1, "host:port"},
		{"voice list --data /nowhere", 1, "/nowhere"},
		{"replay d-1 --data /nowhere --policy http://127.0.0.1:1/v1", 2, "--model"},
		{"danmaku show --data /nowhere \"\"", 1, "/nowhere"},
	} {
		code, out, errs := run(strings.Fields(tt.args)...)
		if code != tt.code || !strings.Contains(errs, tt.want) || code != 0 && out != "" {
			t.Errorf("%q: exit %d, want %d and %q: %s%s", tt.args, code, tt.code, tt.want, out, errs)
		}
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A demo whose lines cannot be written ends, and leaves nothing behind.
func TestDemoEndsWhenNothingCanBeWritten(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	room := write(t, "tiny.room.txtar", strings.Replace(tinyRoom, "at 0.2s", "at 1000s", 1))
	var errs strings.Builder
	code := app.Main([]string{"demo", "--no-console", "--profile", "instant", "--room", room}, strings.NewReader(""), io.Writer(fullDisk{}), &errs)
	if code != 1 || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	for _, pattern := range []string{"livehost-demo-*", "livehost-ch-*"} {
		if left, _ := filepath.Glob(filepath.Join(tmp, pattern)); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// A start that fails after the engine was started ends it too.
func TestDemoThatCannotStartLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	cfg := write(t, "c.yaml", "web: {addr: nonsense}\nagentworker: {run_limit: -1s}\n")
	code, _, errs := run("demo", "--config", cfg)
	if code != 1 || !strings.Contains(errs, "run_limit") {
		t.Errorf("exit %d: %s", code, errs)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A second demo on the data of a running one touches none of it, its clock least of all.
func TestSecondDemoOnTheSameDataIsRefused(t *testing.T) {
	data := t.TempDir()
	clock := `{"segments":[{"wall_ms":1,"room_ms":1,"speed":1}]}`
	for name, text := range map[string]string{"clock.json": clock, "demo.lock": ""} {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.Open(filepath.Join(data, "demo.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	code, _, errs := run("demo", "--no-console", "--data", data)
	if code != 1 || !strings.Contains(errs, "another demo is running") || strings.Contains(errs, "data kept") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if b, err := os.ReadFile(filepath.Join(data, "clock.json")); err != nil || string(b) != clock {
		t.Errorf("the clock is now %s, %v", b, err)
	}
}

// A serve whose port is taken ends the engine that it had started.
func TestServeThatCannotStartLeavesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("LIVEHOST_OPS__ADDR", l.Addr().String())
	code, _, errs := run("serve", "--embedded", "--target=all,analytics", "--data", t.TempDir())
	if code != 1 || !strings.Contains(errs, "address already in use") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
