package runner_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/internal/clock"
	"livehost/internal/telemetry"
	"livehost/streams/event"
)

// traced is newRig whose runs are recorded as spans.
func traced(t *testing.T, m model.Model, s tool.Servers) (*rig, *tracetest.SpanRecorder) {
	t.Helper()
	r := newRig(t, m, s)
	rec := tracetest.NewSpanRecorder()
	tp := sdktrace.NewTracerProvider(append(telemetry.Linked(1), sdktrace.WithSpanProcessor(rec))...)
	in, err := telemetry.NewInstruments(tp, sdkmetric.NewMeterProvider(), clock.Real())
	if err != nil {
		t.Fatal(err)
	}
	r.Runner, err = runner.New(runner.DefaultConfig(), runner.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Model: m, Telemetry: in})
	if err != nil {
		t.Fatal(err)
	}
	return r, rec
}

// tree renders the spans: name, what is looked at of its attributes, and events, each
// below its parent, in order of their beginning.
func tree(rec *tracetest.SpanRecorder, look ...string) string {
	spans := rec.Ended()
	slices.SortStableFunc(spans, func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	var b strings.Builder
	var walk func(parent sdktrace.ReadOnlySpan, depth int)
	walk = func(parent sdktrace.ReadOnlySpan, depth int) {
		for _, s := range spans {
			if parent == nil && s.Parent().IsValid() || parent != nil && s.Parent().SpanID() != parent.SpanContext().SpanID() {
				continue
			}
			fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), s.Name())
			for _, a := range s.Attributes() {
				if slices.Contains(look, string(a.Key)) {
					fmt.Fprintf(&b, " %s=%s", a.Key, a.Value.String())
				}
			}
			b.WriteByte('\n')
			for _, e := range s.Events() {
				fmt.Fprintf(&b, "%s- %s", strings.Repeat("  ", depth+1), e.Name)
				for _, a := range e.Attributes {
					fmt.Fprintf(&b, " %s", a.Value.String())
				}
				b.WriteByte('\n')
			}
			walk(s, depth+1)
		}
	}
	walk(nil, 0)
	return b.String()
}

func TestSpans(t *testing.T) {
	t.Parallel()
	ask := modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`)
	usage := func(step modeltest.Step) modeltest.Step {
		return func(ctx context.Context, req model.Request) (model.Response, error) {
			resp, err := step(ctx, req)
			resp.Model, resp.Usage = "Qwen", model.Usage{Prompt: 900, Completion: 40}
			return resp, err
		}
	}
	look := []string{
		"error.type", "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.input_tokens",
		"gen_ai.usage.output_tokens", "gen_ai.response.finish_reasons", "gen_ai.conversation.id", "livehost.round", "livehost.route", "livehost.ending",
	}
	for _, tt := range []struct {
		name, want string
		steps      []modeltest.Step
	}{
		{
			"a run that answers", `invoke_agent full gen_ai.operation.name=invoke_agent gen_ai.conversation.id=r gen_ai.request.model=test-1 livehost.ending=reply livehost.route=
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=1 livehost.route= gen_ai.response.model=Qwen gen_ai.usage.input_tokens=900 gen_ai.usage.output_tokens=40 gen_ai.response.finish_reasons=["stop"]
  execute_tool use_skill gen_ai.operation.name=execute_tool gen_ai.tool.name=use_skill livehost.round=1
  execute_tool item gen_ai.operation.name=execute_tool gen_ai.tool.name=item livehost.round=1
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=2 livehost.route= gen_ai.response.model=Qwen gen_ai.usage.input_tokens=900 gen_ai.usage.output_tokens=40 gen_ai.response.finish_reasons=["stop"]
`, []modeltest.Step{usage(ask), modeltest.After(time.Second, usage(modeltest.Say("1号89元")))},
		},
		{
			"a run that fails", `invoke_agent full gen_ai.operation.name=invoke_agent gen_ai.conversation.id=r gen_ai.request.model=test-1 livehost.ending=reply livehost.route=conservative error.type=policy_timeout
  - fallback other_replica policy_unreachable
  - fallback compact policy_timeout
  - fallback conservative policy_timeout
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=1 livehost.route= error.type=unreachable
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=1 livehost.route= error.type=timeout
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=1 livehost.route=compact error.type=timeout
`, []modeltest.Step{modeltest.After(time.Second, modeltest.Fail(model.Unreachable)), modeltest.Hang()},
		},
		{
			"a tool that is none, and a rule that blocks", `invoke_agent full gen_ai.operation.name=invoke_agent gen_ai.conversation.id=r gen_ai.request.model=test-1 livehost.ending=reply livehost.route=conservative
  - hook grounding retry
  - hook grounding block
  - fallback conservative before_reply
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=1 livehost.route= gen_ai.response.model=Qwen gen_ai.usage.input_tokens=900 gen_ai.usage.output_tokens=40 gen_ai.response.finish_reasons=["stop"]
  execute_tool use_skill gen_ai.operation.name=execute_tool gen_ai.tool.name=use_skill livehost.round=1
  execute_tool unknown gen_ai.operation.name=execute_tool gen_ai.tool.name=unknown livehost.round=1 error.type=NOT_FOUND
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=2 livehost.route= gen_ai.response.model=Qwen gen_ai.usage.input_tokens=900 gen_ai.usage.output_tokens=40 gen_ai.response.finish_reasons=["stop"]
  chat test-1 gen_ai.operation.name=chat gen_ai.request.model=test-1 livehost.round=3 livehost.route= gen_ai.response.model=Qwen gen_ai.usage.input_tokens=900 gen_ai.usage.output_tokens=40 gen_ai.response.finish_reasons=["stop"]
`, []modeltest.Step{
				usage(modeltest.Call("use_skill", `{"which":"price"}`, "1号多少钱", `{}`)),
				modeltest.After(time.Second, usage(modeltest.Say("1号79元"))), modeltest.After(time.Second, usage(modeltest.Say("1号79元"))),
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, rec := traced(t, modeltest.New(tt.steps...), defaultShop)
				r.run(t, window(event.Single, member("d1", "1号多少钱", "price")))
				if d := cmp.Diff(tt.want, sorted(tree(rec, look...))); d != "" {
					t.Errorf("spans (-want +got):\n%s", d)
				}
				noContent(t, rec)
			})
		})
	}
}

// sorted puts the tools of one instant into the order of the calls' names: they run
// in parallel.
func sorted(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.SortStableFunc(lines, func(a, b string) int {
		if strings.Contains(a, "execute_tool") && strings.Contains(b, "execute_tool") {
			return strings.Compare(b, a)
		}
		return 0
	})
	return strings.Join(lines, "")
}

// noContent checks that nothing a viewer wrote, a tool gave or the host says is in
// any span.
func noContent(t *testing.T, rec *tracetest.SpanRecorder) {
	t.Helper()
	for _, s := range rec.Ended() {
		all := fmt.Sprint(s.Name(), s.Attributes(), s.Events(), s.Status())
		for _, secret := range []string{"多少钱", "89元", "79元", "围巾", "小雨"} {
			if strings.Contains(all, secret) {
				t.Errorf("%q is in the span %s", secret, all)
			}
		}
	}
}

// A run that our own shutdown ends is a span that says so.
func TestSpanOfCancelledRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, rec := traced(t, modeltest.New(modeltest.Hang()), defaultShop)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		task := r.task(window(event.Single, member("d1", "1号多少钱", "price")))
		go func() {
			_, err := r.Run(ctx, task)
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; err == nil {
			t.Error("no error of a cancelled run")
		}
		want := "invoke_agent full error.type=canceled\n  chat test-1 error.type=canceled\n"
		if d := cmp.Diff(want, tree(rec, "error.type")); d != "" {
			t.Errorf("spans (-want +got):\n%s", d)
		}
	})
}
