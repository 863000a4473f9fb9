package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// drainWithin is how long a stage may take to end by itself.
const drainWithin = 75 * time.Second

// stage is one livehost process.
type stage struct {
	name string
	argv []string
	log  string

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
}

// newStage is `livehost serve --target=target` with the configuration, which is
// written as JSON: YAML holds it.
func newStage(dir, livehost, name, target string, config map[string]any) (*stage, error) {
	b, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return nil, err
	}
	return &stage{name: name, argv: []string{livehost, "serve", "--target", target, "--config", path}, log: filepath.Join(dir, name+".log")}, nil
}

// start starts the process if it does not run.
func (s *stage) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		select {
		case <-s.exited:
		default:
			return nil
		}
	}
	out, err := os.OpenFile(s.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(s.argv[0], s.argv[1:]...) //nolint:noctx // signals end it, at the times of the fault
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal at the terminal is ours alone
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	exited := make(chan struct{})
	s.cmd, s.exited = cmd, exited
	go func() {
		_ = cmd.Wait() // the state is read from cmd
		close(exited)
	}()
	return nil
}

// kill ends the process with SIGKILL.
func (s *stage) kill() error {
	_, err := s.end(syscall.SIGKILL)
	return err
}

// signal sends a signal that does not end the process.
func (s *stage) signal(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return fmt.Errorf("%s does not run", s.name)
	}
	if err := s.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// stop lets the process drain; one that fails to is an error.
func (s *stage) stop() error {
	state, err := s.end(syscall.SIGTERM)
	if err == nil && state != nil && state.ExitCode() != 0 {
		err = fmt.Errorf("%s: ended with %v after SIGTERM", s.name, state)
	}
	return err
}

func (s *stage) end(sig syscall.Signal) (*os.ProcessState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil, nil
	}
	cmd, exited := s.cmd, s.exited
	s.cmd = nil
	if err := cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	select {
	case <-exited:
		return cmd.ProcessState, nil
	case <-time.After(drainWithin):
		return nil, errors.Join(fmt.Errorf("%s does not end within %v of %v", s.name, drainWithin, sig), cmd.Process.Kill())
	}
}

// died says that the process ended although nobody ended it.
func (s *stage) died() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	select {
	case <-s.exited:
		return fmt.Errorf("%s died: %v; its log is %s", s.name, s.cmd.ProcessState, s.log)
	default:
		return nil
	}
}
