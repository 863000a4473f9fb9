package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// process is one dispatcher; it is started again and again. Not safe for concurrent use.
type process struct {
	name string
	argv []string
	log  string

	cmd    *exec.Cmd
	exited chan struct{}
}

// newProcess is `livehost serve --target dispatcher` with the configuration, which is
// written as JSON: YAML holds it.
func newProcess(dir, livehost, name string, config map[string]any) (*process, error) {
	b, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return nil, err
	}
	return &process{name: name, argv: []string{livehost, "serve", "--target", "dispatcher", "--config", path}, log: filepath.Join(dir, name+".log")}, nil
}

func (p *process) start() error {
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(p.argv[0], p.argv[1:]...) //nolint:noctx // it is killed by the plan, not by a context
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal at the terminal is ours alone
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	exited := make(chan struct{})
	p.cmd, p.exited = cmd, exited
	go func() {
		_ = cmd.Wait() // how it ended is of no interest: we end it
		close(exited)
	}()
	return nil
}

// died says that the process ended although nobody ended it.
func (p *process) died() error {
	if p.cmd == nil {
		return nil
	}
	select {
	case <-p.exited:
		return fmt.Errorf("%s died: %v; its log is %s", p.name, p.cmd.ProcessState, p.log)
	default:
		return nil
	}
}

// kill ends the process with SIGKILL and waits for that.
func (p *process) kill() error {
	if p.cmd == nil {
		return nil
	}
	err := p.signal(syscall.SIGKILL)
	<-p.exited
	p.cmd = nil
	return err
}

func (p *process) signal(sig syscall.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}
