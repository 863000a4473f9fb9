package mcptoolset_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"livehost/agentworker/tool/mcptoolset"
	"livehost/harness"
	"livehost/harness/harnesstest"
)

// TestListChangesAreHeardAndDebounced: a flood of changes is one discovery, and
// calls go on meanwhile.
func TestListChangesAreHeardAndDebounced(t *testing.T) {
	t.Parallel()
	const debounce = 100 * time.Millisecond
	var lists atomic.Int64
	hooks := &server.Hooks{}
	hooks.AddBeforeListTools(func(context.Context, any, *mcp.ListToolsRequest) { lists.Add(1) })
	m := server.NewMCPServer("changing", "1", server.WithToolCapabilities(true), server.WithHooks(hooks))
	answer := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("{}"), nil
	}
	m.AddTool(mcp.NewTool("first"), answer)
	srv := httptest.NewServer(server.NewStreamableHTTPServer(m))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	ts := run(t, srv.URL+"/mcp", func(c *mcptoolset.Config) { c.Refresh, c.Debounce = time.Hour, debounce })
	eventually(t, func() bool { return len(ts.Discovered("s")) == 1 })
	n := 0
	eventually(t, func() bool { // the stream may open a little after the first discovery
		n++
		m.AddTool(mcp.NewTool(fmt.Sprintf("probe_%d", n)), answer)
		return len(ts.Discovered("s")) > 1
	})
	before, began := lists.Load(), time.Now()
	for i := range 30 {
		m.AddTool(mcp.NewTool(fmt.Sprintf("more_%d", i)), answer)
		if _, err := ts.Call(t.Context(), "s", "first", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() bool { return slices.Contains(ts.Discovered("s"), "more_29") })
	if n, most := lists.Load()-before, int64(time.Since(began)/debounce)+8; n > most {
		t.Errorf("30 changes made %d discoveries, want one a %v and at most %d", n, debounce, most)
	}
}

// A server that changes the schema of a tool without another name is noticed: what
// no longer fits the release's schema is an error in the log, once, and the tool is
// called with the release's.
func TestChangedSchemaIsReported(t *testing.T) {
	t.Parallel()
	h, err := harness.Load(harnesstest.FS(t))
	if err != nil {
		t.Fatal(err)
	}
	rel, err := h.Release(harnesstest.Release)
	if err != nil {
		t.Fatal(err)
	}
	bound, _ := rel.Tool("get_product")
	ours := *bound
	ours.Binding.Server = "s"
	m := server.NewMCPServer("changing", "1", server.WithToolCapabilities(true))
	var args atomic.Value
	serve := func(opts ...mcp.ToolOption) {
		m.AddTool(mcp.NewTool("get_product", opts...), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args.Store(r.GetArguments())
			return mcp.NewToolResultText("{}"), nil
		})
	}
	serve(mcp.WithString("link_id", mcp.Required()))
	srv := httptest.NewServer(server.NewStreamableHTTPServer(m))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	var log syncBuffer
	ts := runWith(t, srv.URL+"/mcp", mcptoolset.Deps{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})), Tools: []*harness.Tool{&ours}},
		func(c *mcptoolset.Config) { c.Refresh = 20 * time.Millisecond })
	eventually(t, func() bool { return len(ts.Discovered("s")) == 1 })
	for _, step := range []struct {
		opts []mcp.ToolOption
		want string
	}{
		{[]mcp.ToolOption{mcp.WithNumber("link_id", mcp.Required())}, "link_id is [number] there, not [string]"},
		{[]mcp.ToolOption{mcp.WithString("link", mcp.Required())}, "link is required link_id is not there"},
	} {
		if strings.Contains(log.String(), step.want) {
			t.Errorf("%s is reported before it is so", step.want)
		}
		serve(step.opts...)
		eventually(t, func() bool { return strings.Contains(log.String(), step.want) })
	}
	if _, err := ts.Call(t.Context(), "s", "get_product", map[string]any{"link_id": "1"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(args.Load()); got != "map[link_id:1]" {
		t.Errorf("called with %s", got)
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 2 {
		t.Errorf("%d errors, want one a change:\n%s", n, log.String())
	}
}
