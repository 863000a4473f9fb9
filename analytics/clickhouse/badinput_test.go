package clickhouse_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"livehost/analytics/clickhouse"
	"livehost/internal/config"
	"livehost/internal/embedded/engine"
	"livehost/internal/embedded/engine/enginetest"
	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

func TestWrongDSNs(t *testing.T) {
	t.Parallel()
	e := enginetest.Start(t, enginetest.Config(t))
	for name, tt := range map[string]struct {
		dsn, database string
		dial          clickhouse.Dial
		want          []string
		kind          fault.Kind
	}{
		"no scheme":    {dsn: "localhost", want: []string{"dsn"}, kind: fault.Invalid},
		"secret":       {dsn: "clickhouse://u:hunter2@ho st/x", want: []string{"dsn"}, kind: fault.Invalid},
		"nobody there": {dsn: "http://127.0.0.1:1", want: []string{"127.0.0.1:1", "refused"}, kind: fault.Unavailable},
		"no such host": {dsn: "http://no-such-host.invalid:8123", want: []string{"no-such-host.invalid"}, kind: fault.Unavailable},
		"odd database": {dsn: "http://engine", database: "a b", dial: e.Dial, want: []string{"database", "a b"}, kind: fault.Invalid},
		"empty":        {dsn: "", want: []string{"dsn", "--embedded"}, kind: fault.Invalid},
	} {
		cfg := clickhouse.DefaultConfig()
		cfg.DSN = config.Secret(tt.dsn)
		if tt.database != "" {
			cfg.Database = tt.database
		}
		c, err := clickhouse.Open(t.Context(), cfg, tt.dial)
		if err == nil {
			c.Close()
			t.Errorf("%s: opened", name)
			continue
		}
		msg := err.Error()
		if strings.Contains(msg, "\n") || strings.Contains(msg, "hunter2") {
			t.Errorf("%s: more than a line, or a password: %q", name, msg)
		}
		for _, w := range tt.want {
			if !strings.Contains(msg, w) {
				t.Errorf("%s: %q does not say %q", name, msg, w)
			}
		}
		if k := fault.KindOf(err); k != tt.kind {
			t.Errorf("%s: %v, want %v: %v", name, k, tt.kind, err)
		}
	}
}

// fill writes files into dir until the disk is full.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			break
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// Only root may make a small disk; TestServerRefusesForWantOfSpace is for everybody.
func TestFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	disk := filepath.Join(cfg.DataDir, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=96m"); err != nil {
		if errors.Is(err, unix.EPERM) {
			t.Log("not root: no small disk")
			return
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	cfg.DataDir = filepath.Join(disk, "data")
	e := enginetest.Start(t, cfg)
	c := open(t, e)
	k := newSink(t, c)
	k.store(t, scene(500)...)
	empty := fill(t, disk)
	events := scene(3000)
	k.put(t, events...)
	stuck := time.NewTimer(2 * time.Second)
	<-stuck.C
	if n, errs := k.count(); len(errs) > 0 || n >= 500+len(events) {
		t.Errorf("on a full disk %d were acknowledged and %v given up", n, errs)
	}
	empty()
	testkit.Eventually(t, "all are stored once there is room", func() bool { n, _ := k.count(); return n == len(scene(500))+len(events) })
	if n := number(t, c, "SELECT count() FROM v_danmaku_outcomes"); n != 3000 {
		t.Errorf("%d rows, want 3000", n)
	}
}

func TestServerRefusesForWantOfSpace(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	set := func(v string) {
		if err := c.Conn().Exec(t.Context(), "ALTER TABLE danmaku_outcomes MODIFY SETTING min_free_disk_bytes_to_perform_insert = "+v); err != nil {
			t.Fatal(err)
		}
	}
	set("1000000000000000")
	k := newSink(t, c)
	k.put(t, outcome(1, event.Answered))
	wait := time.NewTimer(500 * time.Millisecond)
	<-wait.C
	if n, errs := k.count(); n != 0 || len(errs) > 0 {
		t.Errorf("%d acknowledged, %v given up", n, errs)
	}
	set("0")
	testkit.Eventually(t, "it is stored once there is room", func() bool { n, _ := k.count(); return n == 1 })
}

func TestUnwritableAndLockedDataDirectories(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	enginetest.Start(t, cfg)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	notDir := cfg
	notDir.DataDir = filepath.Join(file, "data")
	for name, tt := range map[string]struct {
		cfg  engine.Config
		want string
	}{
		"locked":   {cfg, "in use by another process"},
		"a file":   {notDir, file},
		"no space": {engine.Config{Library: cfg.Library, DataDir: "/proc/nothing", MemoryBytes: 1 << 30, Connections: 1, StartWithin: time.Minute}, "/proc/nothing"},
	} {
		e, err := engine.Start(t.Context(), tt.cfg, silent)
		if err == nil {
			t.Errorf("%s: started", name)
			_ = e.Close()
			continue
		}
		if msg := err.Error(); !strings.Contains(msg, tt.want) || strings.Contains(msg, "\n") {
			t.Errorf("%s: %q, want one line with %q", name, msg, tt.want)
		}
	}
}
