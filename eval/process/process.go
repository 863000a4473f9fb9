package process

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

// Process is one stage, which can be started again and again. It is safe for concurrent
// use.
type Process struct {
	Name string
	Log  string // the file that its output is appended to

	argv []string

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
}

// New is `livehost serve --target target` of the binary, not started yet, with the
// configuration, which is written into dir as JSON: YAML holds it.
func New(dir, livehost, name, target string, config map[string]any) (*Process, error) {
	b, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return nil, err
	}
	return &Process{Name: name, Log: filepath.Join(dir, name+".log"), argv: []string{livehost, "serve", "--target", target, "--config", path}}, nil
}

// Start starts the process if it does not run.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		select {
		case <-p.exited:
		default:
			return nil
		}
	}
	out, err := os.OpenFile(p.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(p.argv[0], p.argv[1:]...) //nolint:noctx // signals end it, when the suite wants it
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal at the terminal is ours alone
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	exited := make(chan struct{})
	p.cmd, p.exited = cmd, exited
	go func() {
		_ = cmd.Wait() // the state is read from cmd
		close(exited)
	}()
	return nil
}

// Kill ends the process with SIGKILL.
func (p *Process) Kill() error {
	_, err := p.end(syscall.SIGKILL)
	return err
}

// Signal sends a signal that does not end the process.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("%s does not run", p.Name)
	}
	if err := p.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// Stop lets the process drain; one that fails to is an error.
func (p *Process) Stop() error {
	state, err := p.end(syscall.SIGTERM)
	if err == nil && state != nil && state.ExitCode() != 0 {
		err = fmt.Errorf("%s: ended with %v after SIGTERM", p.Name, state)
	}
	return err
}

func (p *Process) end(sig syscall.Signal) (*os.ProcessState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil, nil
	}
	cmd, exited := p.cmd, p.exited
	p.cmd = nil
	if err := cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	select {
	case <-exited:
		return cmd.ProcessState, nil
	case <-time.After(drainWithin):
		return nil, errors.Join(fmt.Errorf("%s does not end within %v of %v", p.Name, drainWithin, sig), cmd.Process.Kill())
	}
}

// Died says that the process ended although nobody ended it.
func (p *Process) Died() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	select {
	case <-p.exited:
		return fmt.Errorf("%s died: %v; its log is %s", p.Name, p.cmd.ProcessState, p.Log)
	default:
		return nil
	}
}
