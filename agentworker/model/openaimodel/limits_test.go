package openaimodel_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"livehost/agentworker/model"
	"livehost/agentworker/model/openaimodel"
)

// hanging streams the pieces and then nothing until the client is gone or aborts.
func hanging(pieces string, aborted chan<- string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/abort_request" {
			aborted <- string(body)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, pieces)
		w.(http.Flusher).Flush()
		keep := time.NewTicker(time.Millisecond)
		defer keep.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-keep.C:
				_, _ = io.WriteString(w, ": keep-alive\n\n")
				w.(http.Flusher).Flush()
			}
		}
	}
}

func TestTokensThatDoNotCome(t *testing.T) {
	t.Parallel()
	token := `data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n"
	empty := `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n"
	for _, tt := range []struct {
		name, pieces string
		cfg          openaimodel.Config
	}{
		{"first", empty, openaimodel.Config{FirstToken: 30 * time.Millisecond, Idle: time.Minute}},
		{"next", token, openaimodel.Config{FirstToken: time.Minute, Idle: 30 * time.Millisecond}},
	} {
		aborted := make(chan string, 1)
		tt.cfg.Abort = true
		resp, err := serveWith(t, tt.cfg, hanging(tt.pieces, aborted)).Complete(t.Context(), model.Request{ID: "w#1/1.1."})
		if model.ClassOf(err) != model.Stalled || (resp.FirstToken > 0) != (tt.name == "next") {
			t.Errorf("%s: %v, first token after %v", tt.name, err, resp.FirstToken)
		}
		if got := <-aborted; got != `{"rid":"w#1/1.1."}` {
			t.Errorf("%s: aborted %s", tt.name, got)
		}
	}
}

func TestCase24CancelledRequestsAreAborted(t *testing.T) {
	t.Parallel()
	aborted := make(chan string, 1)
	hang := hanging("", aborted)
	ctx, cancel := context.WithCancel(t.Context())
	m := serveWith(t, openaimodel.Config{Abort: true}, func(w http.ResponseWriter, r *http.Request) {
		cancel() // only now is there something to abort
		hang(w, r)
	})
	if _, err := m.Complete(ctx, model.Request{ID: "w#1/1.1."}); model.ClassOf(err) != model.Canceled {
		t.Errorf("%v", err)
	}
	if got := <-aborted; got != `{"rid":"w#1/1.1."}` {
		t.Errorf("aborted %s", got)
	}
}

// A replica whose stream is given up goes on generating unless it is told.
func TestStreamsGivenUpAreAborted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		chunk string
		class model.Class
	}{
		"no chunk":        {`{"choices":[{"delta":3}]}`, model.Malformed},
		"an error":        {`{"error":{"message":"one replica of two is gone"}}`, model.StreamError},
		"unknown reason":  {`{"choices":[{"delta":{},"finish_reason":"tired"}]}`, model.Malformed},
		"longer than any": {strings.Repeat("x", 4<<20), model.Malformed},
	} {
		aborted := make(chan string, 1)
		m := serveWith(t, openaimodel.Config{Abort: true}, hanging("data: "+tt.chunk+"\n\n", aborted))
		if _, err := m.Complete(t.Context(), model.Request{ID: "w#1/1.1."}); model.ClassOf(err) != tt.class {
			t.Errorf("%s: %v, want %s", name, err, tt.class)
		}
		if got := <-aborted; got != `{"rid":"w#1/1.1."}` {
			t.Errorf("%s: aborted %s", name, got)
		}
	}
}

func TestNothingIsAbortedWhereTheEngineCannot(t *testing.T) {
	t.Parallel()
	seen := make(chan map[string]any, 4)
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/abort_request" {
			t.Error("aborted")
		}
		var req map[string]any
		_ = json.NewDecoder(r.Body).Decode(&req)
		seen <- req
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var req map[string]any
	go func() { req = <-seen; cancel() }()
	_, err := m.Complete(ctx, model.Request{ID: "a", Messages: []model.Message{{Role: model.User, Content: "x"}}})
	if model.ClassOf(err) != model.Canceled || req["rid"] != nil || req["temperature"] != 0.0 {
		t.Errorf("%v, %v: want no rid, and the temperature of 0 said", err, req)
	}
}

func BenchmarkEncode(b *testing.B) {
	body := `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n"
	transport := roundTrip(func(req *http.Request) (*http.Response, error) {
		_, err := io.Copy(io.Discard, req.Body)
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: io.NopCloser(strings.NewReader(body)), Request: req,
		}, err
	})
	m, err := openaimodel.New(openaimodel.Config{BaseURL: "http://replica/v1", Model: "m"}, openaimodel.Deps{Transport: transport})
	if err != nil {
		b.Fatal(err)
	}
	req := model.Request{Tools: offered(), Messages: []model.Message{
		{Role: model.System, Prefix: strings.Repeat("主播的规则。\n", 1000), Content: "status"}, {Role: model.User, Content: "多少钱"},
	}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Complete(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func offered() []model.Tool {
	return []model.Tool{
		{Name: "item", Parameters: json.RawMessage(`{"type":"object","properties":{"number":{"type":"string"}}}`)},
		{Name: "order", Parameters: json.RawMessage(`{"type":"object"}`)},
	}
}
