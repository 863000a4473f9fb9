package services

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is one server as it is remembered.
type process struct {
	Name    string   `json:"name"`
	Argv    []string `json:"argv"`
	Env     []string `json:"env,omitempty"` // beside our own
	Input   string   `json:"input,omitempty"`
	Pid     int      `json:"pid,omitempty"`
	Started string   `json:"started,omitempty"` // the kernel's start time, which no later process of that id has
}

// start starts the process in a session of its own: it outlives us. What it says
// goes to logPath.
func (p *process) start(logPath string) error {
	out, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	defer out.Close()
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...) //nolint:noctx // it outlives us
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if p.Input != "" {
		// A pipe that the process itself can write to never ends.
		in, err := os.OpenFile(p.Input, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		defer in.Close()
		cmd.Stdin = in
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.Pid = cmd.Process.Pid
	p.Started = startTime(p.Pid)
	go func() { _ = cmd.Wait() }() // while we live, no zombie stays
	return nil
}

// running says whether the process that was started still runs.
func (p *process) running() bool {
	return p.Pid > 0 && p.Started != "" && startTime(p.Pid) == p.Started
}

// end sends the signal and waits for the process to be gone; what does not go
// within patience is killed.
func (p *process) end(sig syscall.Signal, patience time.Duration) error {
	if p.running() {
		if err := syscall.Kill(p.Pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("%s: end process %d: %w", p.Name, p.Pid, err)
		}
	}
	for deadline := time.Now().Add(patience); p.running(); time.Sleep(10 * time.Millisecond) {
		if time.Now().Before(deadline) {
			continue
		}
		if sig == syscall.SIGKILL {
			return fmt.Errorf("%s: process %d does not end", p.Name, p.Pid)
		}
		return p.end(syscall.SIGKILL, patience)
	}
	p.Pid, p.Started = 0, ""
	return nil
}

// until asks ready again and again until it is nil, ctx ends, or the process does.
func (p *process) until(ctx context.Context, logPath string, ready func(context.Context) error) error {
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		if !p.running() {
			return fmt.Errorf("%s ended while starting: %s", p.Name, lastLine(logPath))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; its log is %s", p.Name, err, logPath)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// startTime is the kernel's start time of a live process, "" when there is none.
func startTime(pid int) string {
	b, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	if err != nil {
		return ""
	}
	// The name, in parentheses, may hold blanks; the state follows it.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 || (fields[0] == "Z" && threads(pid) <= 1) {
		return ""
	}
	return fields[19]
}

// threads counts the threads of a process: the first one may be gone while others
// still hold its files and locks.
func threads(pid int) int {
	tasks, err := os.ReadDir(filepath.Join("/proc", fmt.Sprint(pid), "task"))
	if err != nil {
		return 0
	}
	return len(tasks)
}

func lastLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}
