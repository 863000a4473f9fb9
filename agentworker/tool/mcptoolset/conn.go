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
	moved  chan struct{} // size 1: look again soon, as the server's tools or its session may have changed
	ending sync.WaitGroup

	mu      sync.Mutex
	client  *client.Client // nil: not connected
	hangUp  func()         // ends what the client keeps open
	attempt chan struct{}  // closed when the connection attempt under way, or to come at once, has ended
	tools   []string
	seen    string // fingerprint of the tools
}

func newConn(s Server, cfg Config, deps Deps) *conn {
	return &conn{
		server: s, cfg: cfg, deps: deps, log: deps.Log.With("server", s.Name),
		wake: make(chan struct{}, 1), moved: make(chan struct{}, 1), attempt: make(chan struct{}),
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
		if !c.pause(ctx, pause) {
			return
		}
	}
}

// pause waits until the next discovery is due: after the time, at once when a call
// found the server gone, and a little after a word that something of it has changed,
// however often there is one. It reports whether ctx goes on.
func (c *conn) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	moved := c.moved
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-c.wake:
			return true
		case <-moved:
			timer.Reset(c.cfg.Debounce)
			moved = nil // the rest of a flood is the next pause's first
		}
	}
}

// refresh makes sure that there is a client and discovers the tools.
func (c *conn) refresh(life context.Context) bool {
	ctx, cancel := wall.WithTimeout(life, c.cfg.Connect)
	defer cancel()
	cl := c.current()
	fresh := cl == nil
	hangUp := func() {}
	if fresh {
		var err error
		if cl, hangUp, err = c.connect(life, ctx); err != nil {
			c.log.WarnContext(ctx, "MCP server cannot be reached", "err", err)
			return false
		}
	}
	list, err := cl.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		c.log.WarnContext(ctx, "MCP discovery failed", "err", err)
		if fresh {
			hangUp()
			_ = cl.Close()
		}
		if c.server.Command == "" || ofConnection(err) { // a program that answers is there
			c.drop(cl)
		}
		return false
	}
	if fresh {
		c.mu.Lock()
		c.hangUp = hangUp
		c.mu.Unlock()
	}
	c.discovered(ctx, cl, list.Tools)
	return true
}

// connect initialises a client within ctx; what it keeps open lives as long as
// life, or until hangUp.
func (c *conn) connect(life, ctx context.Context) (cl *client.Client, hangUp func(), err error) {
	tr, err := c.transport()
	if err != nil {
		return nil, nil, err
	}
	life, stop := context.WithCancel(life)
	defer func() {
		if err != nil {
			stop()
		}
	}()
	// Half the time for the probe of the newest protocol, so that an older server
	// is still reached within the attempt.
	cl = client.NewClient(tr, client.WithDiscoverTimeout(c.cfg.Connect/2))
	cl.OnNotification(func(n mcp.JSONRPCNotification) { // must not call the client: it would deadlock
		if n.Method == mcp.MethodNotificationToolsListChanged {
			c.lookAgain()
		}
	})
	if err := cl.Start(life); err != nil {
		return nil, nil, err
	}
	var req mcp.InitializeRequest
	req.Params.ClientInfo = mcp.Implementation{Name: "livehost", Version: "1"}
	if _, err := cl.Initialize(ctx, req); err != nil {
		_ = cl.Close()
		return nil, nil, err
	}
	c.listen(life, cl)
	return cl, stop, nil
}

func (c *conn) transport() (transport.Interface, error) {
	quiet := slog.New(slog.DiscardHandler) // what matters is in our own errors
	if c.server.Command != "" {
		return transport.NewStdioWithOptions(c.server.Command, c.server.Env, c.server.Args, transport.WithCommandLogger(quiet)), nil
	}
	return transport.NewStreamableHTTP(c.server.URL, transport.WithHTTPBasicClient(bounded(c.deps.HTTP)),
		transport.WithHTTPLogger(quiet),
		transport.WithContinuousListening()) //nolint:staticcheck // servers of protocols before 2026-07-28 tell of list changes in no other way
}

// listen opens the stream of list changes where the protocol wants it asked for;
// older ones have it open, or have none.
func (c *conn) listen(life context.Context, cl *client.Client) {
	tools := cl.GetServerCapabilities().Tools
	if tools == nil || !tools.ListChanged {
		return
	}
	c.ending.Go(func() {
		err := cl.Listen(life, mcp.SubscriptionFilter{ToolsListChanged: true})
		if err != nil && life.Err() == nil {
			c.log.DebugContext(life, "no stream of list changes; discovery goes on at intervals", "err", err)
		}
	})
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
	seen := fingerprint(list)
	c.mu.Lock()
	changed := c.seen != seen
	c.client, c.tools, c.seen = cl, names, seen
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
		if d := differences(t, theirs); len(d) > 0 {
			c.log.ErrorContext(ctx, "the server's schema differs from the release's, which stays in force", "tool", name, "differences", d)
		}
	}
}

func (c *conn) current() *client.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

// drop forgets a client that failed. One over HTTP is not closed: that would abort
// other calls on it, and its session is one the server does not know or cannot be
// told. A program is ended, and reaped.
func (c *conn) drop(failed *client.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != failed || failed == nil {
		return
	}
	c.client = nil
	c.hangUp()
	if c.server.Command != "" {
		c.ending.Go(func() { _ = failed.Close() })
	}
}

func (c *conn) close() {
	c.mu.Lock()
	cl := c.client
	c.client = nil
	if cl != nil {
		c.hangUp()
	}
	c.mu.Unlock()
	if cl != nil {
		_ = cl.Close()
	}
	c.ending.Wait()
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
	out, err := c.callOn(ctx, cl, name, args, meta)
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
	return c.callOn(ctx, cl, name, args, meta)
}

// rpcErrors are the protocol errors whose code says what is wrong with the call.
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

// callOn makes a call on a client. Its error is one of the connection: one that the
// server answers with is the call's outcome.
func (c *conn) callOn(ctx context.Context, cl *client.Client, name string, args, meta map[string]any) (tool.Output, error) {
	var req mcp.CallToolRequest
	req.Params.Name = name
	req.Params.Arguments = args
	req.Params.Meta = mcp.NewMetaFromMap(meta)
	res, err := cl.CallTool(ctx, req)
	if err == nil {
		return tool.Output{Text: resultText(res), IsError: res.IsError}, nil
	}
	for _, known := range rpcErrors {
		if errors.Is(err, known.err) {
			return failed(known.code, err), nil
		}
	}
	if ofConnection(err) {
		return tool.Output{}, err
	}
	c.doubt()
	return failed(tool.Upstream, err), nil
}

func failed(code tool.Code, err error) tool.Output {
	b, _ := json.Marshal(map[string]string{"error": string(code), "message": err.Error()}) // texts always can be
	return tool.Output{Text: string(b), IsError: true}
}

// ofConnection reports whether an error came about on the way, rather than being
// what the server answers.
func ofConnection(err error) bool {
	var broken *transport.Error
	return errors.As(err, &broken)
}

// doubt has the next discovery come soon: some servers say in an error of their own
// that they do not know the session, which only ends with a new one. A program has none.
func (c *conn) doubt() {
	if c.server.Command == "" {
		c.lookAgain()
	}
}

// lookAgain asks for a discovery a little later, however often it is called.
func (c *conn) lookAgain() {
	select {
	case c.moved <- struct{}{}:
	default:
	}
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
