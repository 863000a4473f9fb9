package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"livehost/harness"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// Outage is a stretch of room time in which every call fails with UPSTREAM.
type Outage struct{ From, To time.Time }

// Config says where the server listens and when it fails.
type Config struct {
	Addr    string // host:port; port 0 takes a free one
	Outages []Outage
}

// DefaultConfig is a free loopback port and no outage.
func DefaultConfig() Config { return Config{Addr: "127.0.0.1:0"} }

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		errs = append(errs, fmt.Errorf("addr: %w", err))
	}
	for i, o := range c.Outages {
		if !o.From.Before(o.To) {
			errs = append(errs, fmt.Errorf("outages[%d]: from %s is not before to %s", i, o.From, o.To))
		}
	}
	return errors.Join(errs...)
}

// Deps are the server's collaborators, all required but Latency.
type Deps struct {
	Log     *slog.Logger
	Clock   *clock.Clock
	Catalog *harness.Catalog
	Latency func() time.Duration // room time one call takes; nil: none. Concurrency-safe.
}

// Server is the reference commerce MCP server.
type Server struct {
	cfg      Config
	deps     Deps
	listener net.Listener
	http     *http.Server
	search   *searchIndex
	outages  atomic.Pointer[[]Outage]

	mu    sync.Mutex
	rooms map[event.RoomID]*room
}

// New binds the address; Run serves it.
func New(cfg Config, deps Deps) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("commerce: %w", err)
	}
	s := &Server{cfg: cfg, deps: deps, search: newSearchIndex(deps.Catalog), rooms: map[event.RoomID]*room{}}
	s.Schedule()
	m := server.NewMCPServer("livehost reference commerce server", "1.0.0",
		server.WithToolCapabilities(false),
		server.WithInstructions("The reference commerce server of livehost: answers from a catalogue file and the room's events, not from a merchant's system."),
		server.WithRecovery())
	for _, t := range tools {
		m.AddTool(mcp.NewToolWithRawSchema(t.name, t.description, json.RawMessage(t.schema)), s.handler(t))
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("commerce: listen on %s: %w", cfg.Addr, err)
	}
	s.listener = l
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(m, server.WithStateLess(true), server.WithDisableStreaming(true), server.WithStreamableHTTPLogger(deps.Log)))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	return s, nil
}

// URL is where the tools are.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/mcp" }

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	s.deps.Log.InfoContext(ctx, "reference commerce server listens", "url", s.URL())
	done := make(chan error, 1)
	go func() { done <- s.http.Serve(s.listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("commerce: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := s.http.Shutdown(stop); err != nil {
		_ = s.http.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("commerce: %w", err)
	}
	return nil
}

// Close releases the address of a server whose Run is not called.
func (s *Server) Close() error { return s.listener.Close() }

// call is one tool call as the handlers see it. The server's lock is held.
type call struct {
	args    map[string]any
	viewer  event.ViewerID
	key     string // idempotency key of a write
	room    *room
	catalog *harness.Catalog
	search  *searchIndex
}

// The keys of a call's _meta.
const (
	metaRoom     = "livehost/room_id"
	metaViewer   = "livehost/viewer_id"
	metaWriteKey = "livehost/idempotency_key"
)

func (s *Server) handler(t toolDef) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if s.deps.Latency != nil {
			if err := s.deps.Clock.Sleep(ctx, s.deps.Latency()); err != nil {
				return failed(&toolError{code: codeTimeout, message: "the call was cancelled"}), nil
			}
		}
		if s.out(s.deps.Clock.Now()) {
			return failed(&toolError{code: codeUpstream, message: "the commerce system is not available"}), nil
		}
		meta := func(key string) string {
			if req.Params.Meta == nil {
				return ""
			}
			v, _ := req.Params.Meta.AdditionalFields[key].(string)
			return v
		}
		if meta(metaRoom) == "" {
			return failed(&toolError{code: codePermission, message: "_meta holds no " + metaRoom}), nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		res, err := t.run(&call{
			args: req.GetArguments(), viewer: event.ViewerID(meta(metaViewer)), key: meta(metaWriteKey),
			room: s.room(event.RoomID(meta(metaRoom))), catalog: s.deps.Catalog, search: s.search,
		})
		if err != nil {
			return failed(err), nil
		}
		return result(res, false), nil
	}
}

// Schedule adds outages to those of the configuration.
func (s *Server) Schedule(outages ...Outage) {
	all := append(slices.Clone(s.cfg.Outages), outages...)
	s.outages.Store(&all)
}

func (s *Server) out(now time.Time) bool {
	for _, o := range *s.outages.Load() {
		if !now.Before(o.From) && now.Before(o.To) {
			return true
		}
	}
	return false
}

// The error codes of docs/harness.md that this server uses.
const (
	codeNotFound   = "NOT_FOUND"
	codeBadArgs    = "BAD_ARGS"
	codeTimeout    = "TIMEOUT"
	codePermission = "PERMISSION"
	codeUpstream   = "UPSTREAM"
)

// toolError is a failure the model is told about.
type toolError struct {
	code, message string
	more          fields
}

func failed(e *toolError) *mcp.CallToolResult {
	f := fields{}
	for k, v := range e.more {
		f[k] = v
	}
	f["error"], f["message"] = e.code, e.message
	return result(f, true)
}

func result(f fields, isError bool) *mcp.CallToolResult {
	b, err := json.Marshal(f)
	if err != nil { // fields hold texts, numbers and lists of them
		return mcp.NewToolResultError(`{"error":"MALFORMED","message":"the result cannot be encoded"}`)
	}
	r := mcp.NewToolResultText(string(b))
	r.IsError = isError
	return r
}
