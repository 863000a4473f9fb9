package mcptoolset

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/internal/fault"
)

// Server is one MCP server: an endpoint, or a program that speaks over its
// standard input and output.
type Server struct {
	Name    string   // as tools' bindings name it
	URL     string   // of the streamable HTTP endpoint; empty for a program
	Command string   // the program; empty for an endpoint
	Args    []string // of the program
	Env     []string // KEY=value, on top of our own environment
}

func (s Server) validate(at string) error {
	if s.Command != "" {
		if s.URL != "" {
			return fmt.Errorf("%s has a url and a command; name one of them", at)
		}
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%s.url %q is not an http or https address", at, s.URL)
	}
	return nil
}

// Config says which servers there are. All times are wall time.
type Config struct {
	Servers    []Server
	Refresh    time.Duration // between discoveries
	Connect    time.Duration // for one connection attempt
	Debounce   time.Duration // from a server's word that its tools have changed to the next discovery
	BackoffMin time.Duration // after the first failed attempt; doubles
	BackoffMax time.Duration
}

// DefaultConfig has no server.
func DefaultConfig() Config {
	return Config{
		Refresh: 30 * time.Second, Connect: 3 * time.Second, Debounce: 250 * time.Millisecond, BackoffMin: 200 * time.Millisecond, BackoffMax: 10 * time.Second,
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for i, s := range c.Servers {
		errs = append(errs, s.validate(fmt.Sprintf("servers[%d]", i)))
		if s.Name == "" || seen[s.Name] {
			errs = append(errs, fmt.Errorf("servers[%d].name %q is empty or there twice", i, s.Name))
		}
		seen[s.Name] = true
	}
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"refresh", c.Refresh}, {"connect", c.Connect}, {"debounce", c.Debounce}, {"backoff_min", c.BackoffMin}, {"backoff_max", c.BackoffMax}} {
		if d.d <= 0 {
			errs = append(errs, fmt.Errorf("%s %v is not positive", d.name, d.d))
		}
	}
	return errors.Join(errs...)
}

// Deps are the toolset's collaborators, all required.
type Deps struct {
	Log   *slog.Logger
	HTTP  *http.Client    // shared by all servers; its timeouts bound a single request
	Tools []*harness.Tool // what the releases bind; a server that lacks one is reported
}

// Toolset is the connections to all servers. Concurrency-safe.
type Toolset struct {
	servers map[string]*conn
}

var _ tool.Servers = (*Toolset)(nil)

// New makes a toolset; Run connects it.
func New(cfg Config, deps Deps) (*Toolset, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("mcptoolset: %w", err)
	}
	ts := &Toolset{servers: map[string]*conn{}}
	for _, s := range cfg.Servers {
		ts.servers[s.Name] = newConn(s, cfg, deps)
	}
	return ts, nil
}

// Run keeps the servers connected until ctx ends.
func (ts *Toolset) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, c := range ts.servers {
		wg.Go(func() { c.run(ctx) })
	}
	wg.Wait()
	return nil
}

// Call calls a tool of a server. Its error is fault.Unavailable when the server
// cannot be reached, and the context's when ctx ended.
func (ts *Toolset) Call(ctx context.Context, server, name string, args, meta map[string]any) (tool.Output, error) {
	c := ts.servers[server]
	if c == nil {
		return tool.Output{}, fmt.Errorf("%q: %w", server, tool.ErrUnknownServer)
	}
	out, err := c.call(ctx, name, args, meta)
	if err != nil {
		if ctx.Err() != nil {
			return tool.Output{}, fmt.Errorf("MCP server %s: %w", server, ctx.Err())
		}
		return tool.Output{}, fault.Errorf(fault.Unavailable, "MCP server %s: %w", server, err)
	}
	return out, nil
}

// Discovered is the names of the tools a server had at its last discovery, sorted;
// nil when it was never reached.
func (ts *Toolset) Discovered(server string) []string {
	c := ts.servers[server]
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tools)
}
