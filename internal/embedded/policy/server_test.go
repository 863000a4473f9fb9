package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"livehost/internal/clock"
	"livehost/internal/embedded/policy"
	"livehost/internal/embedded/policy/latency"
	"livehost/internal/testkit"
)

// frozen is a clock so slow that nothing simulated ends within a test.
func frozen(t *testing.T) *clock.Clock { return speed(t, 1e-6) }

func speed(t *testing.T, x float64) *clock.Clock {
	t.Helper()
	c, err := clock.New(time.UnixMilli(1_700_000_000_000), x)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// simulated gives the fleet its latency back.
func simulated(c *policy.Config) { c.Profile = latency.H20MTP }

// ready is a request that needs no more tools: the price skill is in the prompt.
func ready(text string) openai.ChatCompletionRequest {
	s := shop{name: plain, mode: "single"}
	req := s.ask(nil, danmaku("d1", text, "")).req
	req.Messages[0].Content += "<block name=\"x\">\n" + s.skills()["pricing"] + "</block>"
	req.Tools = req.Tools[1:] // no load_skill
	return req
}

func post(t *testing.T, r policy.Replica, path, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSuffix(r.BaseURL, "/v1")+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := httpClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

func get(t *testing.T, r policy.Replica, path string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(r.BaseURL, "/v1")+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

// inFlight polls the replica's health until n requests hold a slot.
func inFlight(t *testing.T, r policy.Replica, n int) {
	t.Helper()
	want := fmt.Sprintf(`"in_flight":%d`, n)
	testkit.Eventually(t, "health with "+want, func() bool {
		_, body := get(t, r, "/health")
		return strings.Contains(body, want)
	})
}

func TestStreamAndWholeAreTheSame(t *testing.T) {
	t.Parallel()
	_, c := start(t, simulated, speed(t, 1000))
	for name, req := range map[string]openai.ChatCompletionRequest{
		"content": ready("多少钱"),
		"calls":   shop{name: plain, mode: "single"}.ask(nil, danmaku("d1", "5号多少钱", "")+danmaku("d2", "我的快递到哪了", "")).req,
	} {
		streamed, err := stream(t.Context(), c, req)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := c.CreateChatCompletion(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		m := whole.Choices[0].Message
		if d := cmp.Diff(streamed.content, m.Content); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if streamed.finish != string(whole.Choices[0].FinishReason) {
			t.Errorf("%s: finish %q and %q", name, streamed.finish, whole.Choices[0].FinishReason)
		}
		if len(streamed.calls) != len(m.ToolCalls) {
			t.Fatalf("%s: %d and %d calls", name, len(streamed.calls), len(m.ToolCalls))
		}
		for i := range m.ToolCalls {
			if d := cmp.Diff(streamed.calls[i].Function, m.ToolCalls[i].Function); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
		if whole.Model != policy.ModelID || whole.SystemFingerprint != policy.ModelName {
			t.Errorf("%s: model %q, fingerprint %q", name, whole.Model, whole.SystemFingerprint)
		}
		for _, u := range []*openai.Usage{streamed.usage, &whole.Usage} {
			if u == nil || u.PromptTokens < 100 || u.CompletionTokens < 3 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
				t.Errorf("%s: usage %+v", name, u)
			}
		}
		if streamed.usage.CompletionTokens > 60 && !strings.Contains(streamed.reasoning, "simulated") {
			t.Errorf("%s: the simulated tail is not streamed as reasoning: %q", name, streamed.reasoning)
		}
	}
}

func TestNoUsageUnlessAsked(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil, clock.Real())
	req := ready("多少钱")
	req.Stream = true
	b, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	resp, body := post(t, f.Replicas()[0], "/v1/chat/completions", string(b))
	if strings.Contains(body, `"usage"`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("stream:\n%s", body)
	}
	if got := resp.Header.Get("X-Policy"); got != policy.ModelName {
		t.Errorf("X-Policy = %q", got)
	}
}

func TestModelsSayWhatItIs(t *testing.T) {
	t.Parallel()
	f, c := start(t, nil, clock.Real())
	list, err := c.ListModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Models) != 1 || list.Models[0].ID != policy.ModelID {
		t.Errorf("models: %+v", list.Models)
	}
	if _, body := get(t, f.Replicas()[0], "/v1/models"); !strings.Contains(body, "not a language model") {
		t.Errorf("models: %s", body)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil, clock.Real())
	r := f.Replicas()[0]
	for _, tt := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"no JSON", "/v1/chat/completions", `{`, 400, "no valid JSON"},
		{"no messages", "/v1/chat/completions", `{"model":"scripted-policy"}`, 400, "messages is empty"},
		{"other model", "/v1/chat/completions", `{"model":"gpt","messages":[{"role":"user","content":"x"}]}`, 404, "rule-based, not a language model"},
		{"odd content", "/v1/chat/completions", `{"model":"scripted-policy","messages":[{"role":"user","content":3}]}`, 400, "no valid JSON"},
		{"abort nothing", "/abort_request", `{}`, 400, "want a JSON object with rid"},
		{"abort unknown", "/abort_request", `{"rid":"r"}`, 200, `"aborted":0`},
		{"elsewhere", "/v1/embeddings", `{}`, 404, ""},
	} {
		resp, body := post(t, r, tt.path, tt.body)
		if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) {
			t.Errorf("%s: %d %s, want %d with %q", tt.name, resp.StatusCode, body, tt.status, tt.says)
		}
	}
}

func TestUnreadableHarnessIsNotTheEnd(t *testing.T) {
	t.Parallel()
	_, c := start(t, nil, clock.Real())
	req := ready("多少钱")
	req.Messages[0].Content += "<block name=\"y\">\n## Examples\n```yaml\n- viewer: [\n```\n</block>"
	tn, err := stream(t.Context(), c, req)
	if err != nil {
		t.Fatal(err)
	}
	if tn.content != "您问几号呀" {
		t.Errorf("got %+v", tn)
	}
}

// hold starts a completion that stays in its slot; done gives how it ended.
func hold(ctx context.Context, c *openai.Client, rid string) (done chan string) {
	done = make(chan string, 1)
	req := ready("多少钱")
	req.User = rid
	go func() {
		tn, err := stream(ctx, c, req)
		if err != nil {
			done <- err.Error()
			return
		}
		done <- tn.finish
	}()
	return done
}

func TestSlotsAndAbort(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		f, c := start(t, func(cfg *policy.Config) { simulated(cfg); cfg.Queue, cfg.Overload = 0, status }, frozen(t))
		r := f.Replicas()[0]
		ctx, gone := context.WithCancel(t.Context())
		first, second := hold(t.Context(), c, "run-a/1"), hold(ctx, c, "run-b/1")
		inFlight(t, r, 2)

		_, err := c.CreateChatCompletion(t.Context(), ready("多少钱"))
		var api *openai.APIError
		if !errors.As(err, &api) || api.HTTPStatusCode != status || !strings.Contains(api.Message, "busy") {
			t.Errorf("third request: %v, want status %d", err, status)
		}

		if _, body := post(t, r, "/abort_request", `{"rid":"run-a/1"}`); !strings.Contains(body, `"aborted":1`) {
			t.Errorf("abort: %s", body)
		}
		if got := <-first; got != "abort" {
			t.Errorf("the aborted stream ended with %q", got)
		}
		inFlight(t, r, 1)
		gone() // the other client hangs up
		<-second
		inFlight(t, r, 0)
	}
}

func TestQueueGetsTheNextSlot(t *testing.T) {
	t.Parallel()
	f, c := start(t, func(cfg *policy.Config) { simulated(cfg); cfg.Slots, cfg.Queue = 1, 1 }, frozen(t))
	r := f.Replicas()[0]
	first := hold(t.Context(), c, "a")
	inFlight(t, r, 1)
	ctx, cancel := context.WithCancel(t.Context())
	second := hold(ctx, c, "b")
	post(t, r, "/abort_request", `{"rid":"a"}`)
	if got := <-first; got != "abort" {
		t.Errorf("first ended with %q", got)
	}
	inFlight(t, r, 1)
	cancel()
	<-second
	inFlight(t, r, 0)
}

func TestQueueWaitIsBounded(t *testing.T) {
	t.Parallel()
	// The queue waits a microsecond of wall time, the generation far longer.
	f, c := start(t, func(cfg *policy.Config) {
		simulated(cfg)
		cfg.Slots, cfg.Queue, cfg.QueueWait = 1, 1, time.Nanosecond
	}, speed(t, 1e-3))
	first := hold(t.Context(), c, "a")
	inFlight(t, f.Replicas()[0], 1)
	_, err := c.CreateChatCompletion(t.Context(), ready("多少钱"))
	var api *openai.APIError
	if !errors.As(err, &api) || api.HTTPStatusCode != http.StatusTooManyRequests {
		t.Errorf("waiting request: %v", err)
	}
	post(t, f.Replicas()[0], "/abort_request", `{"abort_all":true}`)
	<-first
}

func TestMaxTokensCutsTheAnswer(t *testing.T) {
	t.Parallel()
	_, c := start(t, nil, clock.Real())
	req := ready("多少钱")
	req.MaxCompletionTokens = 2
	tn, err := stream(t.Context(), c, req)
	if err != nil {
		t.Fatal(err)
	}
	if tn.finish != "length" || tn.content == "" || !strings.HasPrefix("您问几号呀", tn.content) || tn.usage.CompletionTokens != 2 {
		t.Errorf("got %+v", tn)
	}
	req = ready("5号多少钱")
	req.MaxCompletionTokens = 11
	if tn, err = stream(t.Context(), c, req); err != nil {
		t.Fatal(err)
	}
	if tn.finish != "length" || len(tn.calls) != 1 || json.Valid([]byte(tn.calls[0].Function.Arguments)) {
		t.Errorf("got %+v", tn)
	}
}

func TestMaxTokensShortensReasoningFirst(t *testing.T) {
	t.Parallel()
	_, c := start(t, simulated, speed(t, 1000))
	req := ready("多少钱")
	req.MaxCompletionTokens = 10
	tn, err := stream(t.Context(), c, req)
	if err != nil {
		t.Fatal(err)
	}
	if tn.content != "您问几号呀" || tn.finish != "stop" || tn.usage.CompletionTokens > 10 {
		t.Errorf("got %+v", tn)
	}
}

func TestThinkingCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	_, c := start(t, simulated, speed(t, 1000))
	req := ready("多少钱")
	req.ChatTemplateKwargs = map[string]any{"enable_thinking": false}
	tn, err := stream(t.Context(), c, req)
	if err != nil {
		t.Fatal(err)
	}
	if tn.content != "您问几号呀" || tn.reasoning != "" || tn.usage.CompletionTokens > 10 {
		t.Errorf("got %+v", tn)
	}
}

func TestClosingCutsStreams(t *testing.T) {
	t.Parallel()
	f, c := start(t, simulated, frozen(t))
	done := hold(t.Context(), c, "a")
	inFlight(t, f.Replicas()[0], 1)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got == "stop" || got == "abort" || got == "" {
		t.Errorf("the cut stream ended with %q", got)
	}
}

func TestConfigListsEveryProblem(t *testing.T) {
	t.Parallel()
	if err := policy.DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	err := policy.Config{Queue: -1, QueueWait: -1, Profile: "fast"}.Validate()
	for _, want := range []string{"replicas", "slots", "queue:", "queue_wait", "overload", "profile"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no word of %s in %v", want, err)
		}
	}
}

func BenchmarkCompletion(b *testing.B) {
	cfg := policy.DefaultConfig()
	cfg.Replicas, cfg.Profile = 1, latency.Instant
	f, err := policy.Start(cfg, clock.Real(), discard())
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	req := ready("5号多少钱")
	req.Stream = true
	body, err := json.Marshal(req)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, f.Replicas()[0].BaseURL+"/chat/completions", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestReplicasOnSuccessivePorts(t *testing.T) {
	t.Parallel()
	cfg := policy.DefaultConfig()
	cfg.Addr = "127.0.0.1:port"
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "addr") {
		t.Errorf("%v does not complain of the address", err)
	}
}
