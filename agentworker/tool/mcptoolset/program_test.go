package mcptoolset_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"livehost/agentworker/tool/mcptoolset"
)

// asProgram makes the test binary the MCP server that program is.
const asProgram = "MCPTOOLSET_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		program()
		return
	}
	goleak.VerifyTestMain(m)
}

// program is a server over standard input and output. Its tool "hold" is answered
// when "release" is called, "held" says how many calls wait so, and "refuse" fails with
// an error of the shop's own.
func program() {
	var held []json.RawMessage
	reply := func(id json.RawMessage, format string, a ...any) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, fmt.Sprintf(format, a...))
	}
	result := func(id json.RawMessage, n int) {
		reply(id, `"result":{"content":[{"type":"text","text":"{\"held\":%d}"}]}`, n)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		switch req.Method + " " + req.Params.Name {
		case "initialize ":
			reply(req.ID, `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"program","version":"1"}}`)
		case "tools/list ":
			reply(req.ID, `"result":{"tools":[{"name":"hold","inputSchema":{"type":"object"}}]}`)
		case "tools/call hold":
			held = append(held, req.ID)
		case "tools/call held":
			result(req.ID, len(held))
		case "tools/call release":
			for _, id := range append(held, req.ID) {
				result(id, 0)
			}
			held = nil
		case "tools/call refuse":
			reply(req.ID, `"error":{"code":-32000,"message":"out of stock"}`)
		default:
			reply(req.ID, `"error":{"code":-32601,"message":"unknown"}`)
		}
	}
}

// An error that a server answers a call with is that call's alone: the program goes
// on, and so do the others' calls on it.
func TestErrorsOfOneCallAreItsOwn(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ts := runWith(t, "", mcptoolset.Deps{Log: slog.New(slog.DiscardHandler)}, func(c *mcptoolset.Config) {
		c.Servers = []mcptoolset.Server{{Name: "s", Command: self, Env: []string{asProgram + "=1"}}}
	})
	other := make(chan string, 1)
	eventually(t, func() bool { return len(ts.Discovered("s")) == 1 })
	go func() {
		out, err := ts.Call(t.Context(), "s", "hold", nil, nil)
		other <- fmt.Sprint(out.Text, err)
	}()
	eventually(t, func() bool {
		out, err := ts.Call(t.Context(), "s", "held", nil, nil)
		return err == nil && out.Text == `{"held":1}`
	})
	out, err := ts.Call(t.Context(), "s", "refuse", nil, nil)
	if err != nil || !out.IsError || !strings.Contains(out.Text, `"UPSTREAM"`) || !strings.Contains(out.Text, "out of stock") {
		t.Errorf("the refused call: %+v, %v; want its error", out, err)
	}
	if _, err := ts.Call(t.Context(), "s", "release", nil, nil); err != nil {
		t.Errorf("the call after it: %v", err)
	}
	if got := <-other; got != `{"held":0}<nil>` {
		t.Errorf("the call beside it: %s", got)
	}
}
