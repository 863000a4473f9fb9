package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestVoiceCommandFindsTheEmbeddedRedis: an operator names the data directory of a running
// process at most. Stopped before anybody asks, its voices say nothing until they are
// resumed; private text goes on.
func TestVoiceCommandFindsTheEmbeddedRedis(t *testing.T) {
	dir := t.TempDir()
	type ended struct {
		code      int
		out, errs string
	}
	demo := make(chan ended, 1)
	go func() {
		code, out, errs := run("demo", "--room", write(t, "tiny.room.txtar", tinyRoom), "--data", dir, "--no-console")
		demo <- ended{code, out, errs}
	}()
	for deadline := time.Now().Add(time.Minute); ; {
		if _, err := os.Stat(filepath.Join(dir, "redis.addr")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the address is not kept")
		}
		<-time.After(time.Millisecond)
	}
	if code, out, errs := run("voice", "stop", "--data", dir, "--all", "--reason", "drill"); code != 0 || !strings.Contains(out, "stopped: all voices") {
		t.Fatalf("stop: %d %s %s", code, out, errs)
	}
	if code, out, errs := run("voice", "list", "--data", dir); code != 0 || !strings.Contains(out, "drill") {
		t.Errorf("list: %d %s %s", code, out, errs)
	}
	if got := <-demo; strings.Count(got.out, "没有说") != 2 || strings.Count(got.out, "私信") != 2 {
		t.Errorf("a stopped voice: exit %d\n%s\n%s", got.code, got.out, got.errs)
	}
}
