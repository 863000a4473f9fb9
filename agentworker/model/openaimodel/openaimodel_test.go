package openaimodel_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/model/openaimodel"
	"livehost/internal/clock"
	"livehost/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers every request with the handler and gives the model that asks it.
func serve(t *testing.T, h http.HandlerFunc) *openaimodel.Model {
	t.Helper()
	return serveWith(t, openaimodel.Config{}, h)
}

func serveWith(t *testing.T, cfg openaimodel.Config, h http.HandlerFunc) *openaimodel.Model {
	t.Helper()
	srv := httptest.NewServer(h)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); srv.Close() })
	cfg.BaseURL, cfg.Model, cfg.APIKey = srv.URL+"/v1/", "m", "key"
	m, err := openaimodel.New(cfg, openaimodel.Deps{Transport: transport, Clock: clock.Real()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func stream(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.Conformance(t, func(t *testing.T, h http.Handler) model.Model { return serve(t, h.ServeHTTP) })
}

func TestManyKeepAlives(t *testing.T) {
	t.Parallel()
	body := strings.Repeat(": keep-alive\n\n", 2000) + `data: {"choices":[{"delta":{"content":"好"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n"
	if got, err := serve(t, stream(body)).Complete(t.Context(), model.Request{}); err != nil || got.Content != "好" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		body   string
		class  model.Class
		kind   fault.Kind
	}{
		{400, `{"object":"error","message":"context too long","code":400}`, model.Rejected, fault.Invalid},
		{400, `{"error":{"message":"bad","type":"invalid_request_error"}}`, model.Rejected, fault.Invalid},
		{401, `no`, model.Rejected, fault.Invalid},
		{429, `{"error":{"message":"slow down"}}`, model.RateLimited, fault.Exhausted},
		{500, `<html>`, model.Unreachable, fault.Unavailable},
		{503, ``, model.Unreachable, fault.Unavailable},
	} {
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		})
		_, err := m.Complete(t.Context(), model.Request{})
		if model.ClassOf(err) != tt.class || fault.KindOf(err) != tt.kind {
			t.Errorf("%d %s: %v: class %s, kind %v; want %s, %v", tt.status, tt.body, err, model.ClassOf(err), fault.KindOf(err), tt.class, tt.kind)
		}
	}
}

func TestWholeBody(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, "{\n \"choices\": [{\"message\": {\"content\": \"好\"},\n \"finish_reason\": \"stop\"}]}")
	})
	if got, err := m.Complete(t.Context(), model.Request{}); err != nil || got.Content != "好" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	var got map[string]any
	var id, auth string
	m := serveWith(t, openaimodel.Config{Abort: true}, func(w http.ResponseWriter, r *http.Request) {
		id, auth = r.Header.Get("X-Request-Id"), r.Header.Get("Authorization")
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("path %s", r.URL.Path)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		stream("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n")(w, r)
	})
	_, err := m.Complete(t.Context(), model.Request{
		ID: "w#1/1.1", MaxTokens: 64, Temperature: 1, TopP: 0.95, NoThinking: true, Tools: offered()[:1],
		Messages: []model.Message{
			{Role: model.System, Prefix: "<s>\n", Content: "\"s\""}, {Role: model.User, Content: "u"},
			{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "call_1_0", Name: "item", Arguments: "{}"}}},
			{Role: model.ToolRole, ToolCallID: "call_1_0", Content: "{}"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"model": "m", "stream": true, "rid": "w#1/1.1", "stream_options": {"include_usage": true}, "max_tokens": 64, "temperature": 1, "top_p": 0.95,
		"chat_template_kwargs": {"enable_thinking": false},
		"messages": [{"role":"system","content":"<s>\n\"s\""},{"role":"user","content":"u"},
			{"role":"assistant","content":"","tool_calls":[{"id":"call_1_0","type":"function","function":{"name":"item","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call_1_0","content":"{}"}],
		"tools": [{"type":"function","function":{"name":"item","parameters":{"type":"object","properties":{"number":{"type":"string"}}}}}]
	}`), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 })); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
	if id != "w#1/1.1" || auth != "Bearer key" {
		t.Errorf("request id %q, authorization %q", id, auth)
	}
}

// A temperature of 0 is sent, and a call is only required where there is one to make.
func TestRequestOfOneThatMustCall(t *testing.T) {
	t.Parallel()
	var got map[string]any
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = nil
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		stream("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n")(w, r)
	})
	for _, tools := range [][]model.Tool{nil, offered()[:1]} {
		if _, err := m.Complete(t.Context(), model.Request{Tools: tools, MustCall: true}); err != nil {
			t.Fatal(err)
		}
		if choice, ok := got["tool_choice"]; ok != (tools != nil) || ok && choice != "required" {
			t.Errorf("%d tools: tool_choice %v", len(tools), choice)
		}
		if temperature, ok := got["temperature"]; !ok || temperature != 0.0 {
			t.Errorf("temperature %v, want 0 to be sent", temperature)
		}
	}
}

// lateContext is over its deadline once done is closed, whatever time it is.
type lateContext struct {
	context.Context
	done chan struct{}
}

func (c *lateContext) Done() <-chan struct{} { return c.done }

func (c *lateContext) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestTimesOutAndCancels(t *testing.T) {
	t.Parallel()
	gone, began := make(chan struct{}, 2), make(chan struct{}, 2)
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
		w.(http.Flusher).Flush()
		began <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	late := &lateContext{Context: t.Context(), done: make(chan struct{})}
	go func() { <-began; <-time.After(100 * time.Millisecond); close(late.done) }()
	resp, err := m.Complete(late, model.Request{})
	if model.ClassOf(err) != model.Timeout || resp.Took < 100*time.Millisecond {
		t.Errorf("%v, took %v", err, resp.Took)
	}
	<-gone // the replica's work was cancelled
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-began; cancel() }()
	if _, err := m.Complete(ctx, model.Request{}); model.ClassOf(err) != model.Canceled || fault.KindOf(err) != fault.Canceled {
		t.Errorf("%v, want canceled", err)
	}
	<-gone
}

func TestConfig(t *testing.T) {
	t.Parallel()
	err := openaimodel.Config{BaseURL: "ftp://x"}.Validate()
	if err == nil || !strings.Contains(err.Error(), "base_url") || !strings.Contains(err.Error(), "model") {
		t.Errorf("Validate: %v, want both problems", err)
	}
}
