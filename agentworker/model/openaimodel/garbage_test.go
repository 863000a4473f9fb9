package openaimodel_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"livehost/agentworker/model"
)

// endless repeats a piece until the client is gone.
func endless(first, piece string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, first)
		block := []byte(strings.Repeat(piece, 1+(64<<10)/len(piece)))
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
}

// A replica that sends without end costs a bounded amount of memory, and is given up
// long before the call's budget.
func TestEndlessReplica(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"a line":   endless("data: ", "x"),
		"comments": endless("", ": keep-alive\n"),
		"tokens":   endless("", "data: {\"choices\":[{\"delta\":{\"content\":\"很长很长很长很长很长很长很长很长\"}}]}\n\n"),
		"an error": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			endless("", "x")(w, r)
		},
		"blank":      endless("", "\n"),
		"a whole":    func(w http.ResponseWriter, r *http.Request) { endless("", "{")(jsonWriter{w}, r) },
		"no newline": endless("", "\r"),
	} {
		t.Run(name, func(t *testing.T) {
			m := serve(t, h)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := m.Complete(ctx, model.Request{})
			runtime.ReadMemStats(&after)
			if err == nil || ctx.Err() != nil {
				t.Errorf("error %v, context %v", err, ctx.Err())
			}
			if more := int64(after.HeapSys-before.HeapSys) >> 20; more > 128 {
				t.Errorf("the heap grew by %d MB", more)
			}
		})
	}
}

// jsonWriter says that what follows is one JSON body.
type jsonWriter struct{ http.ResponseWriter }

func (j jsonWriter) Write(p []byte) (int, error) {
	j.Header().Set("Content-Type", "application/json")
	return j.ResponseWriter.Write(p)
}

// Garbage is an error or an answer, never a panic, and never markup of ours.
func TestGarbage(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"data: ", "data:", "event: x\n", "\n", "\r\n", ": c\n", "[DONE]", "{", "}", "[", "]", `"choices"`, ":", `[{"delta":{"content":"a"}}]`, "null", `"`,
		"\x00", "\xff\xfe", `{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"arguments":{"a":1}}}]}}]}`, `{"choices":[{"delta":null}]}`, `{"choices":{}}`,
		`{"error":{}}`, `{"error":"x"}`, `{"choices":[null]}`, `{"usage":{"prompt_tokens":-1}}`, `{"choices":[{"finish_reason":"stop"}]}`, "<think>", "</think>", "\n\n",
	}
	var body []byte
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.Copy(w, bytes.NewReader(body))
	})
	for range 500 {
		var b bytes.Buffer
		for range rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		body = b.Bytes()
		if resp, err := m.Complete(t.Context(), model.Request{}); err == nil && strings.Contains(resp.Content, "think>") {
			t.Errorf("%q comes to %q", body, resp.Content)
		}
	}
}
