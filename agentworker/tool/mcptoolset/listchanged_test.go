package mcptoolset_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"livehost/agentworker/tool/mcptoolset"
)

// TestListChangesAreHeardAndDebounced: a flood of changes is one discovery, and
// calls go on meanwhile.
func TestListChangesAreHeardAndDebounced(t *testing.T) {
	t.Parallel()
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
	ts := run(t, srv.URL+"/mcp", func(c *mcptoolset.Config) { c.Refresh, c.Debounce = time.Hour, 100*time.Millisecond })
	eventually(t, func() bool { return len(ts.Discovered("s")) == 1 })
	n := 0
	eventually(t, func() bool { // the stream may open a little after the first discovery
		n++
		m.AddTool(mcp.NewTool(fmt.Sprintf("probe_%d", n)), answer)
		return len(ts.Discovered("s")) > 1
	})
	before := lists.Load()
	for i := range 30 {
		m.AddTool(mcp.NewTool(fmt.Sprintf("more_%d", i)), answer)
		if _, err := ts.Call(t.Context(), "s", "first", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() bool { return slices.Contains(ts.Discovered("s"), "more_29") })
	if n := lists.Load() - before; n > 8 {
		t.Errorf("30 changes made %d discoveries", n)
	}
}
