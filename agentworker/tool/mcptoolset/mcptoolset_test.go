package mcptoolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"livehost/agentworker/tool"
	"livehost/agentworker/tool/mcptoolset"
	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/internal/clock"
	"livehost/internal/embedded/commerce"
	"livehost/internal/fault"
	"livehost/internal/testkit"
)

// run starts a toolset for one server named "s".
func run(t *testing.T, url string, edit func(*mcptoolset.Config)) *mcptoolset.Toolset {
	t.Helper()
	return runWith(t, url, mcptoolset.Deps{Log: slog.New(slog.DiscardHandler)}, edit)
}

func runWith(t *testing.T, url string, deps mcptoolset.Deps, edit func(*mcptoolset.Config)) *mcptoolset.Toolset {
	t.Helper()
	cfg := mcptoolset.DefaultConfig()
	cfg.Servers = []mcptoolset.Server{{Name: "s", URL: url}}
	cfg.BackoffMin = 10 * time.Millisecond
	if edit != nil {
		edit(&cfg)
	}
	if deps.HTTP == nil {
		deps.HTTP = &http.Client{Transport: &http.Transport{}}
	}
	ts, err := mcptoolset.New(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = ts.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done; deps.HTTP.CloseIdleConnections() })
	return ts
}

func shop(t *testing.T, addr string) (url string, stop func()) {
	t.Helper()
	s, err := commerce.New(commerce.Config{Addr: addr}, commerce.Deps{Log: slog.New(slog.DiscardHandler), Clock: clock.Real(), Catalog: harnesstest.Catalog(t)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Run(ctx) }()
	return s.URL(), func() { cancel(); <-done }
}

var room = map[string]any{"livehost/room_id": "r", "livehost/viewer_id": "u"}

func TestCall(t *testing.T) {
	t.Parallel()
	url, stop := shop(t, fmt.Sprintf("127.0.0.1:%d", testkit.Port(t))) // it comes back to it
	ts := run(t, url, nil)
	out, err := ts.Call(t.Context(), "s", "get_product", map[string]any{"link_id": "1"}, room)
	if err != nil || out.IsError || !strings.Contains(out.Text, "控油清爽面霜") {
		t.Fatalf("get_product: %+v, %v", out, err)
	}
	if out, err := ts.Call(t.Context(), "s", "get_product", map[string]any{"link_id": "404"}, room); err != nil || !out.IsError {
		t.Errorf("unknown link: %+v, %v", out, err)
	}
	if out, err := ts.Call(t.Context(), "s", "no_such_tool", nil, room); err != nil || !out.IsError {
		t.Errorf("unknown tool: %+v, %v", out, err)
	}
	if _, err := ts.Call(t.Context(), "other", "x", nil, nil); !errors.Is(err, tool.ErrUnknownServer) {
		t.Errorf("unknown server: %v", err)
	}
	if n := len(ts.Discovered("s")); n != 12 {
		t.Errorf("discovered %d tools, want 12", n)
	}
	stop()
	_, err = ts.Call(t.Context(), "s", "get_product", map[string]any{"link_id": "1"}, room)
	if err == nil || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("server gone: %v, want unavailable", err)
	}
	_, stop = shop(t, strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"))
	defer stop()
	eventually(t, func() bool {
		out, err := ts.Call(t.Context(), "s", "get_product", map[string]any{"link_id": "1"}, room)
		return err == nil && !out.IsError
	})
}

// TestShippedTools: the reference server has every tool the release binds, with
// parameters that the release's tools can give; another release is reported.
func TestShippedTools(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Release("harness")
	if err != nil {
		t.Fatal(err)
	}
	url, stop := shop(t, "127.0.0.1:0")
	defer stop()
	complaints := func(tools []*harness.Tool) string {
		var log syncBuffer
		cfg := mcptoolset.DefaultConfig()
		cfg.Servers = []mcptoolset.Server{{Name: "commerce", URL: url}}
		httpClient := &http.Client{Transport: &http.Transport{}}
		ts, err := mcptoolset.New(cfg, mcptoolset.Deps{
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})), HTTP: httpClient, Tools: tools,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = ts.Run(ctx) }()
		if _, err := ts.Call(t.Context(), "commerce", "get_membership", nil, room); err != nil {
			t.Error(err)
		}
		cancel()
		<-done
		httpClient.CloseIdleConnections()
		return log.String()
	}
	if got := complaints(r.Tools); got != "" {
		t.Errorf("the shipped tools do not fit the reference server:\n%s", got)
	}
	renamed, narrow := *r.Tools[0], *r.Tools[0]
	renamed.Binding = harness.Binding{Kind: harness.BindMCP, Server: "commerce", Tool: "no_such_tool"}
	narrow.Binding = harness.Binding{Kind: harness.BindMCP, Server: "commerce", Tool: "get_product"}
	got := complaints([]*harness.Tool{&renamed, &narrow})
	for _, want := range []string{"no_such_tool", "link_id is required"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not reported in %q", want, got)
		}
	}
}

// syncBuffer is a buffer that a logger and a test share.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// eventually is for what a server's state comes to.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	testkit.Eventually(t, "the toolset sees it", ok)
}

// counting sends requests, each on a connection of its own, and counts them.
type counting struct{ sent *atomic.Int64 }

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}

// TestDeadFromTheStart: nothing listens, then something that accepts and is silent.
func TestDeadFromTheStart(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent := l.Addr().String()
	defer func() { _ = l.Close() }()
	for name, url := range map[string]string{"refused": "http://127.0.0.1:1/mcp", "silent": "http://" + silent + "/mcp"} {
		var sent atomic.Int64
		ts := runWith(t, url, mcptoolset.Deps{Log: slog.New(slog.DiscardHandler), HTTP: &http.Client{Transport: counting{&sent}}},
			func(c *mcptoolset.Config) {
				c.Connect = 100 * time.Millisecond
				c.BackoffMin, c.BackoffMax = time.Hour, time.Hour
			})
		if _, err := ts.Call(t.Context(), "s", "x", nil, nil); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: first call: %v, want unavailable", name, err)
		}
		before := sent.Load()
		if _, err := ts.Call(t.Context(), "s", "x", nil, nil); err == nil || sent.Load() != before {
			t.Errorf("%s: second call: %v after %d requests, want an error without one", name, err, sent.Load()-before)
		}
	}
}

// legacy is a server of an older protocol: sessions that a restart forgets, and
// server/discover unknown.
type legacy struct {
	generation atomic.Int64
	executed   atomic.Int64
	inits      atomic.Int64
	hang       chan struct{} // closed: calls answer
	refusal    string        // body for a session it does not know, with status 400; empty: it says so with 404
}

func (l *legacy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&req) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	session := fmt.Sprint(l.generation.Load())
	reply := func(body string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, req.ID, body)
	}
	switch {
	case req.Method == "server/discover":
		reply(`"error":{"code":-32601,"message":"unknown method"}`)
	case req.Method == "initialize":
		l.inits.Add(1)
		w.Header().Set("Mcp-Session-Id", session)
		reply(`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
	case r.Header.Get("Mcp-Session-Id") != session && l.refusal != "":
		w.WriteHeader(http.StatusBadRequest)
		reply(l.refusal)
	case r.Header.Get("Mcp-Session-Id") != session:
		w.WriteHeader(http.StatusNotFound)
	case req.Method == "tools/list":
		reply(`"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`)
	case req.Method == "tools/call":
		select {
		case <-l.hang:
		case <-r.Context().Done():
			return
		}
		l.executed.Add(1)
		reply(`"result":{"content":[{"type":"text","text":"{\"ok\":true}"}]}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func TestRestartedServerIsInitialisedAgain(t *testing.T) {
	t.Parallel()
	old := &legacy{hang: make(chan struct{})}
	close(old.hang)
	srv := httptest.NewServer(old)
	defer srv.Close()
	ts := run(t, srv.URL, nil)
	for i := range 3 {
		out, err := ts.Call(t.Context(), "s", "x", nil, nil)
		if err != nil || out.Text != `{"ok":true}` {
			t.Fatalf("call %d: %+v, %v", i, out, err)
		}
		old.generation.Add(1) // the server restarts and forgets the session
	}
	if n := old.executed.Load(); n != 3 {
		t.Errorf("%d calls executed, want each of 3 once", n)
	}
	if n := old.inits.Load(); n != 3 {
		t.Errorf("initialised %d times, want 3", n)
	}
}

// A server that says in an error of its own that it forgot the session is found out
// by the discovery that follows.
func TestRestartedServerThatSaysItInItsOwnWords(t *testing.T) {
	t.Parallel()
	old := &legacy{hang: make(chan struct{}), refusal: `"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}`}
	close(old.hang)
	srv := httptest.NewServer(old)
	defer srv.Close()
	ts := run(t, srv.URL, func(c *mcptoolset.Config) { c.Refresh = time.Hour })
	if _, err := ts.Call(t.Context(), "s", "x", nil, nil); err != nil {
		t.Fatal(err)
	}
	old.generation.Add(1)
	if out, err := ts.Call(t.Context(), "s", "x", nil, nil); err == nil && !out.IsError {
		t.Errorf("a call of a forgotten session: %+v", out)
	}
	eventually(t, func() bool {
		out, err := ts.Call(t.Context(), "s", "x", nil, nil)
		return err == nil && out.Text == `{"ok":true}`
	})
	if n := old.inits.Load(); n != 2 {
		t.Errorf("initialised %d times, want 2", n)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	old := &legacy{hang: make(chan struct{})}
	srv := httptest.NewServer(old)
	defer srv.Close()
	ts := run(t, srv.URL, nil)
	eventually(t, func() bool { return len(ts.Discovered("s")) == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := ts.Call(ctx, "s", "x", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a hanging call: %v, want deadline exceeded", err)
	}
	close(old.hang)
	if _, err := ts.Call(t.Context(), "s", "x", nil, nil); err != nil {
		t.Errorf("after a timed-out call: %v", err)
	}
	if n := old.inits.Load(); n != 1 {
		t.Errorf("a timeout made %d connections, want 1", n)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	bad := mcptoolset.Config{Servers: []mcptoolset.Server{{Name: "a", URL: "ftp://x"}, {Name: "a", URL: "http://x"}}}
	err := bad.Validate()
	if err == nil {
		t.Fatal("a bad configuration is accepted")
	}
	for _, want := range []string{"servers[0].url", "servers[1].name", "refresh", "connect"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported in %v", want, err)
		}
	}
}
