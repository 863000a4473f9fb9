package mcptoolset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"livehost/internal/fault"
	"livehost/internal/testkit"
)

// hostile is a server of one tool that answers its calls as attack says.
type hostile struct {
	attack atomic.Pointer[func(w http.ResponseWriter, r *http.Request, id string)]
	calls  atomic.Int64
}

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&req) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	reply := func(body string) { _, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, req.ID, body) }
	switch req.Method {
	case "server/discover":
		reply(`"error":{"code":-32601,"message":"unknown method"}`)
	case "initialize":
		reply(`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
	case "tools/list":
		reply(`"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		h.calls.Add(1)
		if attack := h.attack.Load(); attack != nil {
			(*attack)(w, r, string(req.ID))
			return
		}
		reply(`"result":{"content":[{"type":"text","text":"{\"ok\":true}"}]}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// Whatever a server does with a call, the call ends with a typed error, was sent
// once, costs a bounded amount of memory, and the next one works.
func TestHostileServer(t *testing.T) {
	h := &hostile{}
	srv := httptest.NewServer(h)
	defer srv.Close()
	ts := run(t, srv.URL, nil)
	for name, attack := range map[string]func(w http.ResponseWriter, r *http.Request, id string){
		"cuts before its answer": func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
		"cuts inside its answer": func(w http.ResponseWriter, _ *http.Request, id string) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"te`, id)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"sends without end": func(w http.ResponseWriter, r *http.Request, id string) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
			block := []byte(strings.Repeat("x", 64<<10))
			for r.Context().Err() == nil {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		},
		"sends a stream without end": func(w http.ResponseWriter, r *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			block := []byte(strings.Repeat(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}`+"\n\n", 1000))
			for r.Context().Err() == nil {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		},
		"sends garbage":     func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = w.Write([]byte("\x00\xff{]")) },
		"sends nothing":     func(http.ResponseWriter, *http.Request, string) {},
		"sends a web page":  func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = w.Write([]byte("<html>")) },
		"is out of service": func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		t.Run(name, func(t *testing.T) {
			before := h.calls.Load()
			h.attack.Store(&attack)
			var was, is runtime.MemStats
			runtime.ReadMemStats(&was)
			ctx, cancel := context.WithTimeout(t.Context(), 5*testkit.Patience)
			defer cancel()
			_, err := ts.Call(ctx, "s", "x", nil, nil)
			runtime.ReadMemStats(&is)
			if fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%v, want unavailable", err)
			}
			if ctx.Err() != nil {
				t.Error("it does not end by itself")
			}
			if more := int64(is.HeapSys-was.HeapSys) >> 20; more > 128 {
				t.Errorf("the heap grew by %d MB", more)
			}
			if n := h.calls.Load() - before; n != 1 {
				t.Errorf("the call was sent %d times", n)
			}
			h.attack.Store(nil)
			eventually(t, func() bool {
				out, err := ts.Call(t.Context(), "s", "x", nil, nil)
				return err == nil && out.Text == `{"ok":true}`
			})
		})
	}
}
