package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"

	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/embedded/commerce"
	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/embedded/policy"
	"livehost/internal/embedded/policy/latency"
	"livehost/internal/embedded/redisserver"
	"livehost/streams"
	"livehost/streams/event"
)

// embedded is the servers of a process that needs none outside. They speak the
// real protocols; the process's clients reach them over loopback.
type embedded struct {
	log      *slog.Logger
	dataDir  string
	kafka    *kafkaserver.Server
	redis    *redisserver.Server
	policy   *policy.Fleet // nil where another policy is configured
	commerce *commerce.Server
}

// embeddedOptions is how they are started.
type embeddedOptions struct {
	dataDir string
	profile string // latency profile of policy and tools
	catalog *harness.Catalog
	policy  PolicyConfig // when it names replicas, the scripted policy is not started
}

func startEmbedded(o embeddedOptions, clk *clock.Clock, log *slog.Logger) (_ *embedded, err error) {
	e := &embedded{log: log, dataDir: o.dataDir}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if err := makeDataDir(o.dataDir); err != nil {
		return nil, err
	}
	kc := kafkaserver.DefaultConfig()
	kc.DataDir = filepath.Join(o.dataDir, "kafka")
	if e.kafka, err = kafkaserver.Start(kc, log); err != nil {
		return nil, err
	}
	if e.redis, err = redisserver.Start(redisserver.DefaultConfig()); err != nil {
		return nil, err
	}
	if err := keepRedisAddr(o.dataDir, e.redis.Addr()); err != nil {
		return nil, err
	}
	pc := policy.DefaultConfig()
	pc.Profile = o.profile
	if len(o.policy.Replicas) == 0 {
		if e.policy, err = policy.Start(pc, clk, log); err != nil {
			return nil, err
		}
	}
	cc := commerce.DefaultConfig()
	deps := commerce.Deps{Log: log, Clock: clk, Catalog: o.catalog}
	if o.profile != latency.Instant {
		deps.Latency = latency.ToolLatency(pc.Seed, clk.Now)
	}
	e.commerce, err = commerce.New(cc, deps)
	return e, err
}

// dataRoom is what a data directory has to have room for at the least, in bytes: the
// engine alone begins with as much.
const dataRoom = 4 << 20

// makeDataDir says at once, in one line, when nothing can be kept there.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data directory: %w; name another with --data", err)
	}
	f, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return fmt.Errorf("data directory %s is not writable: %w; name another with --data", dir, err)
	}
	_, err = f.Write(make([]byte, dataRoom)) // on a full disk an empty file can still be made
	if err = errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("data directory: %w; make room there, or name another with --data", err)
	}
	return nil
}

// holdDataDir makes a data directory this process's own until release or the end of
// the process, before anything in it is read or written: a second run would
// otherwise turn the clock of the first.
func holdDataDir(dir string) (release func(), err error) {
	if err := makeDataDir(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "demo.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w; name another with --data", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("another demo is running in it")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("data directory %s: %w; name another with --data", dir, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// configure points cfg at the servers.
func (e *embedded) configure(cfg *Config) {
	cfg.Kafka.Brokers = e.kafka.Addrs()
	cfg.Kafka.InstanceID = "embedded"
	cfg.Redis.Addrs = []string{e.redis.Addr()}
	if e.policy != nil {
		cfg.Policy.Model, cfg.Policy.SharedSlots = policy.ModelID, false // the replicas are this process's
		for _, r := range e.policy.Replicas() {
			cfg.Policy.Replicas = append(cfg.Policy.Replicas, PolicyReplica{Name: r.Name, BaseURL: r.BaseURL, Slots: r.Slots})
		}
	}
	cfg.MCP = withCommerce(cfg.MCP, e.commerce.URL())
}

// withCommerce is the configured tool servers with the embedded commerce server in the
// place of theirs.
func withCommerce(servers []MCPServer, url string) []MCPServer {
	const name = "commerce"
	others := slices.DeleteFunc(slices.Clone(servers), func(s MCPServer) bool { return s.Name == name })
	return append(others, MCPServer{Name: name, URL: url})
}

// policyName says what answers.
func (e *embedded) policyName(cfg PolicyConfig) string {
	if e.policy != nil {
		return "scripted, rule-based; not a language model. Latencies are simulated."
	}
	return cfg.Model
}

// run drives the servers until ctx ends. The commerce server follows the log, as
// a merchant's system would know its own prices.
func (e *embedded) run(ctx context.Context, reader streams.Reader) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.kafka.Run(ctx) })
	g.Go(func() error { return e.redis.Run(ctx) })
	g.Go(func() error { return e.commerce.Run(ctx) })
	g.Go(func() error {
		return reader.Follow(ctx, []string{event.TopicRoomEvent, event.TopicOrder}, false, func(r streams.Record) { feedCommerce(e.commerce, r) })
	})
	return g.Wait()
}

// close stops what was started; run must have returned.
func (e *embedded) close() {
	if e.policy != nil {
		if err := e.policy.Close(); err != nil {
			e.log.Warn("policy did not close", "err", err)
		}
	}
	if e.redis != nil {
		e.redis.Close()
		forgetRedisAddr(e.dataDir)
	}
	if e.kafka != nil {
		e.kafka.Close()
	}
}
