package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config is how the parent runs the engine.
type Config struct {
	Library     string        // path of the library, see Installed
	DataDir     string        // kept between runs
	Port        int           // loopback port for analysts' tools; 0: none
	MemoryBytes int64         // the engine's own memory limit
	Connections int           // statements at once
	StartWithin time.Duration // wall time the child may take to serve
}

// DefaultConfig leaves Library and DataDir to be filled in.
func DefaultConfig() Config {
	return Config{MemoryBytes: 1 << 30, Connections: 4, StartWithin: 30 * time.Second}
}

// ChildCommand is the hidden command of this binary that runs Serve. Its flags
// are the names of ChildConfig's fields in lower case.
const ChildCommand = "engine-child"

// Engine keeps one child alive. Make it with Start; Run notices a child that
// died and starts the next one on the same data.
type Engine struct {
	cfg    Config
	log    *slog.Logger
	socket string
	dir    string // holds the socket; short, as unix socket paths must be

	mu    sync.Mutex
	child *child
}

// allocator tells the library's jemalloc to keep little of what it has freed: one
// process on a laptop, not a server.
const allocator = "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0"

type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *tail
	exited chan struct{} // closed after Wait
}

// Start starts the child and returns when it serves.
func Start(ctx context.Context, cfg Config, log *slog.Logger) (*Engine, error) {
	dir, err := os.MkdirTemp("", "livehost-ch-")
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	e := &Engine{cfg: cfg, log: log, dir: dir, socket: filepath.Join(dir, "s")}
	if err := e.spawn(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := e.announce(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Dial connects to the engine, for clickhouse-go's DialContext.
func (e *Engine) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", e.socket)
}

// Pid is the present child's process id.
func (e *Engine) Pid() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.child.cmd.Process.Pid
}

func (e *Engine) spawn(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	cmd := exec.Command(self, ChildCommand, //nolint:noctx // the child outlives the context of its start; it ends with its standard input
		"--library", e.cfg.Library, "--datadir", e.cfg.DataDir, "--socket", e.socket,
		"--port", strconv.Itoa(e.cfg.Port), "--memorybytes", strconv.FormatInt(e.cfg.MemoryBytes, 10),
		"--connections", strconv.Itoa(e.cfg.Connections))
	cmd.Env = append(os.Environ(), "JE_MALLOC_CONF="+allocator, "MALLOC_CONF="+allocator)
	// SIGINT at the terminal goes to the whole foreground group; the child must
	// outlive it until its parent has drained.
	cmd.SysProcAttr = ownGroup()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	c := &child{cmd: cmd, stdin: stdin, stderr: &tail{}, exited: make(chan struct{})}
	cmd.Stderr = c.stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	line := make(chan string, 1)
	go func() {
		s, _ := bufio.NewReader(stdout).ReadString('\n')
		line <- strings.TrimSpace(s)
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait()
		close(c.exited)
	}()
	t := time.NewTimer(e.cfg.StartWithin)
	defer t.Stop()
	select {
	case s := <-line:
		if s == ready {
			e.mu.Lock()
			e.child = c
			e.mu.Unlock()
			return nil
		}
		<-c.exited
		return fmt.Errorf("the ClickHouse engine did not start: %s", c.stderr.lastLine())
	case <-t.C:
		return errors.Join(fmt.Errorf("the ClickHouse engine did not start within %v", e.cfg.StartWithin), c.stop(0))
	case <-ctx.Done():
		return errors.Join(ctx.Err(), c.stop(0))
	}
}

// Run replaces a child that died, until ctx ends; then it stops the child.
func (e *Engine) Run(ctx context.Context) error {
	backoff := 100 * time.Millisecond
	for {
		e.mu.Lock()
		c := e.child
		e.mu.Unlock()
		select {
		case <-ctx.Done():
			return e.Close()
		case <-c.exited:
		}
		e.log.Error("the ClickHouse engine died; starting it again", "state", c.cmd.ProcessState.String(), "stderr", c.stderr.lastLine())
		for {
			err := e.spawn(ctx)
			if err == nil {
				break
			}
			e.log.Error("the ClickHouse engine did not start", "err", err)
			select {
			case <-ctx.Done():
				return os.RemoveAll(e.dir)
			case <-time.After(backoff):
				backoff = min(2*backoff, 10*time.Second)
			}
		}
		backoff = 100 * time.Millisecond
	}
}

// Close stops the child: its input ends, it finishes what it runs and exits. Not
// needed after Run.
func (e *Engine) Close() error {
	e.mu.Lock()
	c := e.child
	e.mu.Unlock()
	return errors.Join(c.stop(10*time.Second), os.RemoveAll(e.dir))
}

func (c *child) stop(patience time.Duration) error {
	err := c.stdin.Close()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-c.exited:
	case <-t.C:
		err = errors.Join(err, c.cmd.Process.Kill())
		<-c.exited
	}
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// tail keeps the end of the child's standard error.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if over := len(t.b) - 4096; over > 0 {
		t.b = t.b[over:]
	}
	return len(b), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.b), []byte("\n"))
	return string(lines[len(lines)-1])
}
