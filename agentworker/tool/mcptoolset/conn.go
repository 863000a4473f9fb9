package mcptoolset

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/internal/clock"
)

// wall is the clock of protocol timeouts, which no speed of a recording shortens.
var wall = clock.Real()

var errNotConnected = errors.New("not connected")

// conn is the connection to one server. mu guards what follows it.
type conn struct {
	server Server
	cfg    Config
	deps   Deps
	log    *slog.Logger
	wake   chan struct{} // size 1: connect again now

	mu      sync.Mutex
	client  *client.Client // nil: not connected
	attempt chan struct{}  // closed when the connection attempt under way, or to come at once, has ended
	tools   []string
}

func newConn(s Server, cfg Config, deps Deps) *conn {
	return &conn{
		server: s, cfg: cfg, deps: deps, log: deps.Log.With("server", s.Name),
		wake: make(chan struct{}, 1), attempt: make(chan struct{}),
	}
}

// run connects, refreshes, and connects again until ctx ends.
func (c *conn) run(ctx context.Context) {
	defer c.close()
	wait := c.cfg.BackoffMin
	for {
		connected := c.refresh(ctx)
		c.endAttempt()
		pause := c.cfg.Refresh
		if connected {
			wait = c.cfg.BackoffMin
		} else {
			pause = wait
			wait = min(2*wait, c.cfg.BackoffMax)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-c.wake:
			timer.Stop()
		}
	}
}

// refresh makes sure that there is a client and discovers the tools.
func (c *conn) refresh(ctx context.Context) bool {
	ctx, cancel := wall.WithTimeout(ctx, c.cfg.Connect)
	defer cancel()
	cl := c.current()
	fresh := cl == nil
	if fresh {
		var err error
		if cl, err = c.connect(ctx); err != nil {
			c.log.WarnContext(ctx, "MCP server cannot be reached", "err", err)
			return false
		}
	}
	list, err := cl.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		c.log.WarnContext(ctx, "MCP discovery failed", "err", err)
		if fresh {
			_ = cl.Close()
		}
		c.drop(cl)
		return false
	}
	c.discovered(ctx, cl, list.Tools)
	return true
}

func (c *conn) connect(ctx context.Context) (*client.Client, error) {
	tr, err := transport.NewStreamableHTTP(c.server.URL,
		transport.WithHTTPBasicClient(c.deps.HTTP), transport.WithHTTPLogger(c.log))
	if err != nil {
		return nil, err
	}
	// Half the time for the probe of the newest protocol, so that an older server
	// is still reached within the attempt.
	cl := client.NewClient(tr, client.WithDiscoverTimeout(c.cfg.Connect/2))
	if err := cl.Start(ctx); err != nil {
		return nil, err
	}
	var req mcp.InitializeRequest
	req.Params.ClientInfo = mcp.Implementation{Name: "livehost", Version: "1"}
	if _, err := cl.Initialize(ctx, req); err != nil {
		_ = cl.Close()
		return nil, err
	}
	return cl, nil
}

// discovered publishes a client with its tools, and reports what the releases
// need and the server lacks: the release's own schema stays in force.
func (c *conn) discovered(ctx context.Context, cl *client.Client, list []mcp.Tool) {
	names := make([]string, len(list))
	byName := map[string]mcp.Tool{}
	for i, t := range list {
		names[i], byName[t.Name] = t.Name, t
	}
	slices.Sort(names)
	c.mu.Lock()
	changed := !slices.Equal(c.tools, names)
	c.client, c.tools = cl, names
	c.mu.Unlock()
	if !changed {
		return
	}
	c.log.InfoContext(ctx, "MCP tools discovered", "tools", len(names))
	for _, t := range c.deps.Tools {
		if t.Binding.Kind != harness.BindMCP || t.Binding.Server != c.server.Name {
			continue
		}
		name := t.Binding.Tool
		if name == "" {
			name = t.Name
		}
		theirs, ok := byName[name]
		if !ok {
			c.log.ErrorContext(ctx, "the server lacks a tool that a release binds", "tool", name)
			continue
		}
		if missing := unfilled(t, theirs); len(missing) > 0 {
			c.log.ErrorContext(ctx, "the server requires parameters that the release's tool has not", "tool", name, "parameters", missing)
		}
	}
}

// unfilled is what the server's schema requires and our tool cannot give.
func unfilled(t *harness.Tool, theirs mcp.Tool) []string {
	given := map[string]bool{}
	for name := range t.Schema.Properties {
		if renamed := t.Binding.Params[name]; renamed != "" {
			name = renamed
		}
		given[name] = true
	}
	var missing []string
	for _, name := range theirs.InputSchema.Required {
		if !given[name] {
			missing = append(missing, name)
		}
	}
	return missing
}

func (c *conn) current() *client.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

// drop forgets a client that failed. It is not closed: that would abort other
// calls on it, and its session is one the server does not know or cannot be told.
func (c *conn) drop(failed *client.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == failed {
		c.client = nil
	}
}

func (c *conn) close() {
	c.mu.Lock()
	cl := c.client
	c.client = nil
	c.mu.Unlock()
	if cl != nil {
		_ = cl.Close()
	}
}

// reconnect asks run for an attempt at once, and returns what ends with it.
func (c *conn) reconnect() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.attempt:
		c.attempt = make(chan struct{})
	default:
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return c.attempt
}

func (c *conn) endAttempt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.attempt:
	default:
		close(c.attempt)
	}
}

// ready is the client, after the attempt under way when there is none.
func (c *conn) ready(ctx context.Context) (*client.Client, error) {
	c.mu.Lock()
	cl, attempt := c.client, c.attempt
	c.mu.Unlock()
	if cl != nil {
		return cl, nil
	}
	select {
	case <-attempt:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if cl = c.current(); cl == nil {
		return nil, errNotConnected
	}
	return cl, nil
}

func (c *conn) call(ctx context.Context, name string, args, meta map[string]any) (tool.Output, error) {
	cl, err := c.ready(ctx)
	if err != nil {
		return tool.Output{}, err
	}
	out, err := callOn(ctx, cl, name, args, meta)
	if err == nil || ctx.Err() != nil {
		return out, err
	}
	c.drop(cl)
	attempt := c.reconnect()
	if !errors.Is(err, transport.ErrSessionTerminated) {
		return tool.Output{}, err // it may have been executed
	}
	// The server restarted and refused the call: once more when it is there again.
	select {
	case <-attempt:
	case <-ctx.Done():
		return tool.Output{}, ctx.Err()
	}
	if cl = c.current(); cl == nil {
		return tool.Output{}, errNotConnected
	}
	return callOn(ctx, cl, name, args, meta)
}

// rpcErrors are the protocol errors that say something about the call rather than
// the connection, with their codes.
var rpcErrors = []struct {
	err  error
	code tool.Code
}{
	{mcp.ErrInvalidParams, tool.BadArgs},
	{mcp.ErrMethodNotFound, tool.Upstream},
	{mcp.ErrInvalidRequest, tool.Upstream},
	{mcp.ErrInternalError, tool.Upstream},
	{mcp.ErrResourceNotFound, tool.NotFound},
}

func callOn(ctx context.Context, cl *client.Client, name string, args, meta map[string]any) (tool.Output, error) {
	var req mcp.CallToolRequest
	req.Params.Name = name
	req.Params.Arguments = args
	req.Params.Meta = mcp.NewMetaFromMap(meta)
	res, err := cl.CallTool(ctx, req)
	if err != nil {
		for _, known := range rpcErrors {
			if errors.Is(err, known.err) {
				b, _ := json.Marshal(map[string]string{"error": string(known.code), "message": known.err.Error()})
				return tool.Output{Text: string(b), IsError: true}, nil
			}
		}
		return tool.Output{}, err
	}
	return tool.Output{Text: resultText(res), IsError: res.IsError}, nil
}

// resultText is the structured content when there is some, else the texts.
func resultText(res *mcp.CallToolResult) string {
	if len(res.RawStructuredContent) > 0 {
		return string(res.RawStructuredContent)
	}
	var texts []string
	for _, c := range res.Content {
		if t, ok := c.(mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}
