package services

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"livehost/internal/embedded/engine"
)

// Config is what to start and where.
type Config struct {
	Dir      string // state: data, logs, process ids
	Cache    string // what is fetched, shared by all sets
	Livehost string // the livehost binary, which is the ClickHouse engine's; empty: no ClickHouse
	Brokers  int    // of Kafka: 1 or 3
	Port     int    // first of 10 successive loopback ports; 0: any free ones
	// Proxies are where clients reach the brokers through proxies of the caller's, one
	// address a broker: a broker tells those who come that way to go on that way. The
	// proxies forward to BehindProxies. Empty: there are none.
	Proxies []string
}

// DefaultConfig is one broker, with the state in the user's cache folder.
func DefaultConfig() (Config, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return Config{}, fmt.Errorf("services: no cache folder: %w; set XDG_CACHE_HOME", err)
	}
	base = filepath.Join(base, "livehost")
	return Config{Dir: filepath.Join(base, "services"), Cache: base, Brokers: 1, Port: 19090}, nil
}

// Validate reports every problem.
func (c Config) Validate() error {
	var errs []error
	if c.Dir == "" || c.Cache == "" {
		errs = append(errs, errors.New("services: dir and cache must be named"))
	}
	if c.Brokers != 1 && c.Brokers != 3 {
		errs = append(errs, fmt.Errorf("services: %d brokers; 1 or 3 make a quorum", c.Brokers))
	}
	if n := len(c.Proxies); n != 0 && n != c.Brokers {
		errs = append(errs, fmt.Errorf("services: %d proxies for %d brokers; one each, or none", n, c.Brokers))
	}
	return errors.Join(errs...)
}

const (
	// startWithin bounds the wall time a server may take to answer.
	startWithin = 90 * time.Second
	// stopWithin bounds the wall time a server may take to end by itself.
	stopWithin = 20 * time.Second
	stateFile  = "services.json"
)

// The names of the servers beside the brokers, which are kafka-1, kafka-2, ...
const (
	Redis      = "redis"
	ClickHouse = "clickhouse"
)

// broker is where one Kafka node listens.
type broker struct {
	Addr       string `json:"addr"`
	Controller string `json:"controller"`
	Proxy      string `json:"proxy,omitempty"`  // of the caller's, before Behind
	Behind     string `json:"behind,omitempty"` // for those who come through Proxy
}

type state struct {
	Kafka      []broker   `json:"kafka"`
	Redis      string     `json:"redis"`                // host:port
	ClickHouse string     `json:"clickhouse,omitempty"` // host:port of its HTTP protocol
	Processes  []*process `json:"processes"`
}

// Set is a set of running servers. Not safe for concurrent use.
type Set struct {
	dir   string
	state state
}

// Up starts the servers, fetching what is missing, and returns when all answer.
// A set that runs below the directory already is gone on with. What it does goes
// to out.
func Up(ctx context.Context, cfg Config, out io.Writer) (*Set, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s, err := Open(cfg.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		s, err = create(ctx, cfg, out)
	}
	if err != nil {
		return nil, err
	}
	if err := s.startAll(ctx); err != nil {
		return nil, errors.Join(err, s.Down())
	}
	return s, nil
}

// Open is the set below the directory; an error that is fs.ErrNotExist when there is none.
func Open(dir string) (*Set, error) {
	b, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return nil, fmt.Errorf("services: %w", err)
	}
	s := &Set{dir: dir}
	if err := json.Unmarshal(b, &s.state); err != nil {
		return nil, fmt.Errorf("services: %s is damaged: %w; remove the folder", dir, err)
	}
	return s, nil
}

func create(ctx context.Context, cfg Config, out io.Writer) (*Set, error) {
	classPath, err := fetchKafka(ctx, cfg.Cache, out)
	if err != nil {
		return nil, err
	}
	redis, err := findRedis(ctx, out)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("services: %w", err)
	}
	s := &Set{dir: cfg.Dir}
	addrs, err := addresses(cfg.Port, 2*cfg.Brokers+2+len(cfg.Proxies))
	if err != nil {
		return nil, err
	}
	s.state.Redis, s.state.ClickHouse, addrs = addrs[0], addrs[1], addrs[2:]
	for i := range cfg.Brokers {
		b := broker{Addr: addrs[2*i], Controller: addrs[2*i+1]}
		if len(cfg.Proxies) > 0 {
			b.Proxy, b.Behind = cfg.Proxies[i], addrs[2*cfg.Brokers+i]
		}
		s.state.Kafka = append(s.state.Kafka, b)
	}
	if err := s.kafkaProcesses(ctx, classPath); err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(s.state.Redis)
	data := mkdir(filepath.Join(cfg.Dir, Redis))
	s.state.Processes = append(s.state.Processes, &process{Name: Redis, Argv: []string{
		redis, "--bind", "127.0.0.1", "--port", port, "--dir", data, "--save", "", "--appendonly", "no", "--daemonize", "no",
	}})
	if err := s.engineProcess(ctx, cfg, out); err != nil {
		return nil, err
	}
	return s, s.save()
}

// engineProcess is the ClickHouse engine on a port; nothing without a livehost binary.
func (s *Set) engineProcess(ctx context.Context, cfg Config, out io.Writer) error {
	if cfg.Livehost == "" {
		s.state.ClickHouse = ""
		return nil
	}
	cache, err := engine.CacheDir()
	if err != nil {
		return err
	}
	library, err := engine.Install(ctx, cache, out)
	if err != nil {
		return err
	}
	dir := mkdir(filepath.Join(s.dir, ClickHouse))
	pipe := filepath.Join(dir, "stdin")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("clickhouse: %w", err)
	}
	_, port, _ := net.SplitHostPort(s.state.ClickHouse)
	s.state.Processes = append(s.state.Processes, &process{Name: ClickHouse, Input: pipe, Argv: []string{
		cfg.Livehost, engine.ChildCommand, "--library", library, "--datadir", filepath.Join(dir, "data"),
		"--socket", filepath.Join(dir, "s"), "--port", port, "--memorybytes", "1073741824", "--connections", "4",
	}})
	return nil
}

// addresses are n loopback addresses, successive from first or any free ones.
func addresses(first, n int) ([]string, error) {
	var out []string
	for i := range n {
		port := 0
		if first != 0 {
			port = first + i
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return nil, fmt.Errorf("services: %w; choose other ports", err)
		}
		defer l.Close() // all at once, so that no port comes twice
		out = append(out, l.Addr().String())
	}
	return out, nil
}

// findRedis is the path of redis-server, installed from the distribution's
// packages when it is missing and we may.
func findRedis(ctx context.Context, out io.Writer) (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	if os.Getuid() != 0 {
		return "", errors.New("services: redis-server is not installed; install your distribution's package redis-server")
	}
	fmt.Fprintln(out, "installing redis-server")
	for _, args := range [][]string{{"update", "-q"}, {"install", "-y", "-q", "--no-install-recommends", "redis-server"}} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1") // no service of the system's
		if b, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("services: apt-get %s: %w\n%s", args[0], err, b)
		}
	}
	return exec.LookPath("redis-server")
}

func (s *Set) save() error {
	b, err := json.MarshalIndent(s.state, "", "  ")
	if err != nil {
		return fmt.Errorf("services: %w", err)
	}
	path := filepath.Join(s.dir, stateFile)
	if err := os.WriteFile(path+".tmp", b, 0o600); err != nil {
		return fmt.Errorf("services: %w", err)
	}
	return os.Rename(path+".tmp", path)
}

// startAll starts what does not run: all brokers together, since each waits for
// the others' quorum.
func (s *Set) startAll(ctx context.Context) error {
	for _, p := range s.state.Processes {
		if !p.running() {
			if err := p.start(s.log(p.Name)); err != nil {
				return err
			}
		}
	}
	if err := s.save(); err != nil {
		return err
	}
	for _, p := range s.state.Processes {
		if err := s.wait(ctx, p, len(s.state.Kafka)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) log(name string) string { return filepath.Join(s.dir, name+".log") }

// wait returns when the server answers.
func (s *Set) wait(ctx context.Context, p *process, brokers int) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return p.until(ctx, s.log(p.Name), func(ctx context.Context) error {
		switch p.Name {
		case Redis:
			return redisReady(ctx, s.state.Redis)
		case ClickHouse:
			return clickhouseReady(ctx, s.state.ClickHouse)
		default:
			return s.kafkaReady(ctx, brokers)
		}
	})
}

func redisReady(ctx context.Context, addr string) error {
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "+PONG") {
		err = fmt.Errorf("redis says %q", line)
	}
	return err
}

func clickhouseReady(ctx context.Context, addr string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/ping", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("clickhouse says %s", resp.Status)
	}
	return nil
}

// Names are the servers, in the order they are started.
func (s *Set) Names() []string {
	var out []string
	for _, p := range s.state.Processes {
		out = append(out, p.Name)
	}
	return out
}

// KafkaBrokers are the brokers' addresses: the n'th is that of kafka-n.
func (s *Set) KafkaBrokers() []string {
	var out []string
	for _, b := range s.state.Kafka {
		out = append(out, b.Addr)
	}
	return out
}

// BehindProxies is where the brokers listen for what comes through Config.Proxies.
func (s *Set) BehindProxies() []string {
	var out []string
	for _, b := range s.state.Kafka {
		out = append(out, b.Behind)
	}
	return out
}

// RedisAddr is where Redis listens.
func (s *Set) RedisAddr() string { return s.state.Redis }

// ClickHouseDSN names the ClickHouse engine, "" when there is none.
func (s *Set) ClickHouseDSN() string {
	if s.state.ClickHouse == "" {
		return ""
	}
	return "http://" + s.state.ClickHouse + "/default"
}

// Env is the variables with which the tests find the servers.
func (s *Set) Env() []string {
	env := []string{"TEST_KAFKA_BROKERS=" + strings.Join(s.KafkaBrokers(), ","), "TEST_REDIS_ADDR=" + s.RedisAddr()}
	if dsn := s.ClickHouseDSN(); dsn != "" {
		env = append(env, "TEST_CLICKHOUSE_DSN="+dsn)
	}
	return env
}

func (s *Set) find(name string) (*process, error) {
	for _, p := range s.state.Processes {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("services: there is no %q; there are %s", name, strings.Join(s.Names(), ", "))
}

// Kill ends a server with SIGKILL.
func (s *Set) Kill(name string) error { return s.endOne(name, syscall.SIGKILL) }

// Stop lets a server end by itself.
func (s *Set) Stop(name string) error { return s.endOne(name, syscall.SIGTERM) }

func (s *Set) endOne(name string, sig syscall.Signal) error {
	p, err := s.find(name)
	if err != nil {
		return err
	}
	return errors.Join(p.end(sig, stopWithin), s.save())
}

// Start starts a server that was ended, on its data, and returns when it answers.
// Redis keeps nothing: it comes back empty.
func (s *Set) Start(ctx context.Context, name string) error {
	p, err := s.find(name)
	if err != nil {
		return err
	}
	if !p.running() {
		if err := errors.Join(p.start(s.log(name)), s.save()); err != nil {
			return err
		}
	}
	up := 0
	for _, p := range s.state.Processes {
		if strings.HasPrefix(p.Name, "kafka-") && p.running() {
			up++
		}
	}
	return s.wait(ctx, p, up)
}

// Down ends every server, the brokers together, and forgets the data.
func (s *Set) Down() error {
	var errs []error
	for _, p := range s.state.Processes {
		if p.running() {
			_ = syscall.Kill(p.Pid, syscall.SIGTERM) // all at once; the wait is below
		}
	}
	for _, p := range s.state.Processes {
		errs = append(errs, p.end(syscall.SIGTERM, stopWithin))
	}
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, s.save()) // what still runs is still remembered
	}
	return os.RemoveAll(s.dir)
}
