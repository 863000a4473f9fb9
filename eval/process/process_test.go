package process_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"livehost/eval/process"
	"livehost/internal/testkit"
)

// program is a stage that says that it runs, and ends as on says when it is told to.
func program(t *testing.T, on string) *process.Process {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "livehost")
	script := "#!/bin/sh\ntrap '" + on + "' TERM\necho up $*\nwhile :; do sleep 0.02; done\n"
	if err := os.WriteFile(binary, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := process.New(dir, binary, "stage-1", "dispatcher", map[string]any{"log": "x"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// starts starts it and returns when it has said so n times in all.
func starts(t *testing.T, p *process.Process, n int) {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "it says that it runs", func() bool {
		b, _ := os.ReadFile(p.Log)
		return strings.Count(string(b), "up serve --target dispatcher --config") == n
	})
}

func TestStartedKilledAndStarted(t *testing.T) {
	t.Parallel()
	p := program(t, "exit 0")
	if err := p.Signal(syscall.SIGCONT); err == nil {
		t.Error("a signal reached nobody")
	}
	starts(t, p, 1)
	starts(t, p, 1) // it runs already
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := p.Signal(sig); err != nil {
			t.Error(err)
		}
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("killed twice: %v", err)
	}
	starts(t, p, 2)
	if err := p.Died(); err != nil {
		t.Error(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

func TestBadEndsAreTold(t *testing.T) {
	t.Parallel()
	p := program(t, "exit 3")
	starts(t, p, 1)
	if err := p.Stop(); err == nil {
		t.Error("a stage that drained with exit code 3 is no error")
	}
	starts(t, p, 2)
	if err := p.Signal(syscall.SIGKILL); err != nil { // somebody else's doing
		t.Fatal(err)
	}
	testkit.Eventually(t, "it died", func() bool { return p.Died() != nil })
}
