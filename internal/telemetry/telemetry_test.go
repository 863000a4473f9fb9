package telemetry_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	collecttrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/internal/telemetry"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

// collector is an OTLP/HTTP receiver.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	spans  map[string]string // name -> trace id in hex
	calls  map[string]int    // by path
	status int
}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string]string{}, calls: map[string]int{}, status: http.StatusOK}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[r.URL.Path]++
	var req collecttrace.ExportTraceServiceRequest
	if r.URL.Path == "/v1/traces" && err == nil && proto.Unmarshal(body, &req) == nil {
		for _, rs := range req.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					c.spans[s.Name] = hexOf(s.TraceId)
				}
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(c.status)
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, x := range b {
		out.WriteByte(digits[x>>4])
		out.WriteByte(digits[x&15])
	}
	return out.String()
}

func window() event.Window {
	return event.Window{WindowID: "w1", RoomID: "room-7", Variant: "harness", EarliestMs: time.Now().UnixMilli() - 400, Members: []event.Member{{Text: "多少钱"}}}
}

// work records one run, and a delivery as another process would.
func work(in *telemetry.Instruments) {
	w := window()
	ctx, win := in.Window(context.Background(), &w, "w1#1", 1, time.Now())
	actx, agent := in.Agent(ctx, &w, "w1#1", event.Versions{Release: "harness", PolicyVersion: "p1"})
	cctx, chat := in.Chat(actx, telemetry.ChatRequest{Model: "p1", Round: 1})
	chat.ChatDone(cctx, telemetry.ChatResult{Replica: "a", Took: 12 * time.Second, FirstToken: time.Second, InputTokens: 900, OutputTokens: 40, Finish: "stop"})
	agent.AgentDone(actx, telemetry.AgentResult{Ending: "reply", Rounds: 1})
	win.End("")
	p := in.Publisher(sink{})
	_ = p.Publish(context.Background(), &w, event.Delivery{ReplyID: "w1", RunID: "w1#1", RoomID: "room-7", Channel: event.Public, State: event.DeliveryEnded, FirstAudioMs: time.Now().UnixMilli() - 1000},
		event.Outcome{RoomID: "room-7", DanmakuID: "d1", State: event.Answered, Reason: "spoken", By: "dispatcher", Admitted: true, Variant: "harness", PlatformMs: 1000, ReplyMs: 4400},
		event.GuardrailHit{RoomID: "room-7", RunID: "w1#1", Rule: "grounding", Stage: "agentworker", Action: "retry", Variant: "harness"})
}

type sink struct{ err error }

func (s sink) Publish(context.Context, ...event.Event) error { return s.err }

func TestExport(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	cfg := telemetry.DefaultConfig()
	cfg.OTLPEndpoint = c.URL
	tel, err := telemetry.New(t.Context(), cfg, telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Targets: []string{"agentworker"}})
	if err != nil {
		t.Fatal(err)
	}
	work(tel.Instruments())
	tel.Shutdown(t.Context())
	c.mu.Lock()
	defer c.mu.Unlock()
	id := telemetry.TraceID("w1").String()
	want := map[string]string{
		"process window.v1": id, "invoke_agent harness": id, "chat p1": id, "send window.v1": id, "deliver public": id,
	}
	if d := cmp.Diff(want, c.spans); d != "" {
		t.Errorf("spans and their traces (-want +got):\n%s", d)
	}
	if c.calls["/v1/metrics"] == 0 {
		t.Error("no metrics arrived")
	}
}

// A collector that is away is one line of log and holds nothing up.
func TestCollectorAway(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	c.status = http.StatusBadRequest // one that is not retried
	var log bytes.Buffer
	cfg := telemetry.DefaultConfig()
	cfg.OTLPEndpoint = c.URL
	tel, err := telemetry.New(t.Context(), cfg, telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	work(tel.Instruments())
	tel.Shutdown(t.Context())
	if n := strings.Count(log.String(), "not exported"); n != 2 {
		t.Errorf("%d lines of failure, want one of spans and one of metrics:\n%s", n, log.String())
	}
	if strings.Contains(log.String(), "exported again") {
		t.Errorf("it was never exported, and the log says that it is again:\n%s", log.String())
	}
}

// A collector that accepts and never answers does not hold up a stop.
func TestCollectorHangs(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	defer server.Close()
	defer close(released)
	cfg := telemetry.DefaultConfig()
	cfg.OTLPEndpoint = server.URL
	tel, err := telemetry.New(t.Context(), cfg, telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	work(tel.Instruments())
	began := time.Now()
	tel.Shutdown(t.Context())
	if took := time.Since(began); took > testkit.Patience { // it is released at the end only
		t.Errorf("the stop took %v", took)
	}
}

func TestNobodyLooks(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
		t.Setenv(name, "")
	}
	tel, err := telemetry.New(t.Context(), telemetry.DefaultConfig(), telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler)})
	if err != nil || tel.Instruments() != nil || tel.Collector() != nil {
		t.Fatalf("%v, instruments %v, collector %v; want nothing", err, tel.Instruments(), tel.Collector())
	}
	work(tel.Instruments()) // nil records nothing
	next := http.DefaultTransport
	if tel.Instruments().Transport(next) != next {
		t.Error("the transport is wrapped for nobody")
	}
}

func TestEnvironmentNamesTheCollector(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	tel, err := telemetry.New(t.Context(), telemetry.DefaultConfig(), telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	work(tel.Instruments())
	tel.Shutdown(t.Context())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) == 0 || c.calls["/v1/metrics"] == 0 {
		t.Errorf("spans %v, calls %v", c.spans, c.calls)
	}
}

// What Prometheus sees: the conventions' names, a bucket at 15 s, and no label that
// grows with rooms, viewers or windows.
func TestScraped(t *testing.T) {
	t.Parallel()
	tel, err := telemetry.New(t.Context(), telemetry.DefaultConfig(), telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Scraped: true})
	if err != nil {
		t.Fatal(err)
	}
	work(tel.Instruments())
	if err := tel.Instruments().Rooms(func() (active, quiet, parked int64) { return 5, 2, 1 }); err != nil {
		t.Fatal(err)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(tel.Collector())
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	var names []string
	for _, f := range families {
		names = append(names, f.GetName())
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = true
			}
			if f.GetName() != "gen_ai_client_operation_duration_seconds" {
				continue
			}
			i := slices.IndexFunc(m.GetHistogram().GetBucket(), func(b *dto.Bucket) bool { return b.GetUpperBound() == 15 })
			if i < 0 || m.GetHistogram().GetBucket()[i].GetCumulativeCount() != 1 {
				t.Errorf("no bucket at 15 s with the call of 12 s in it: %v", m.GetHistogram())
			}
		}
	}
	want := []string{
		"gen_ai_client_operation_duration_seconds", "gen_ai_client_operation_time_to_first_chunk_seconds",
		"gen_ai_client_token_usage", "gen_ai_invoke_agent_duration_seconds",
		"livehost_deliveries_total", "livehost_guardrail_hits_total", "livehost_outcomes_total", "livehost_reply_latency_seconds",
		"livehost_rooms",
	}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("metrics (-want +got):\n%s", d)
	}
	for l := range labels {
		if strings.Contains(l, "room") || strings.Contains(l, "window") || strings.Contains(l, "viewer") || strings.Contains(l, "run_id") {
			t.Errorf("label %s grows without bound", l)
		}
	}
}

// The parts of a window's trace find each other without a word between them.
func TestLinkedAcrossProcesses(t *testing.T) {
	t.Parallel()
	rec := tracetest.NewSpanRecorder()
	in := instruments(t, rec)
	work(in)
	spans := map[string]sdktrace.ReadOnlySpan{}
	for _, s := range rec.Ended() {
		spans[s.Name()] = s
	}
	root := spans["process window.v1"].SpanContext()
	for _, name := range []string{"invoke_agent harness", "deliver public", "send window.v1"} {
		if s := spans[name]; s.Parent().SpanID() != root.SpanID() || s.SpanContext().TraceID() != root.TraceID() {
			t.Errorf("%s hangs at %v of %v, want at the window's %v", name, s.Parent().SpanID(), s.SpanContext().TraceID(), root.SpanID())
		}
	}
	if s := spans["deliver public"]; s.EndTime().Sub(s.StartTime()) < 900*time.Millisecond {
		t.Errorf("the delivery took %v, want the second of its speech", s.EndTime().Sub(s.StartTime()))
	}
	if s := spans["send window.v1"]; s.EndTime().Sub(s.StartTime()) < 300*time.Millisecond {
		t.Errorf("the window took %v, want from its first danmaku", s.EndTime().Sub(s.StartTime()))
	}
}

func instruments(t *testing.T, rec sdktrace.SpanProcessor) *telemetry.Instruments {
	t.Helper()
	tp := sdktrace.NewTracerProvider(append(telemetry.Linked(1), sdktrace.WithSpanProcessor(rec))...)
	in, err := telemetry.NewInstruments(tp, sdkmetric.NewMeterProvider(), clock.Real())
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestPublishFailure(t *testing.T) {
	t.Parallel()
	rec := tracetest.NewSpanRecorder()
	p := instruments(t, rec).Publisher(sink{fault.Errorf(fault.Unavailable, "the log is away")})
	if err := p.Publish(t.Context(), window()); fault.KindOf(err) != fault.Unavailable {
		t.Error("the error is swallowed")
	}
	got := ""
	for _, a := range rec.Ended()[0].Attributes() {
		if a.Key == "error.type" {
			got = a.Value.AsString()
		}
	}
	if got != "unavailable" {
		t.Errorf("error.type %q, want unavailable", got)
	}
}

func TestTransportSendsTraceparent(t *testing.T) {
	t.Parallel()
	in := instruments(t, tracetest.NewSpanRecorder())
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("traceparent") }))
	defer server.Close()
	w := window()
	ctx, span := in.Window(t.Context(), &w, "w1#1", 1, time.Now())
	defer span.End("")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: in.Transport(server.Client().Transport)}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if !strings.Contains(got, telemetry.TraceID("w1").String()) || req.Header.Get("traceparent") != "" {
		t.Errorf("traceparent %q; and the caller's request has %q", got, req.Header.Get("traceparent"))
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	err := telemetry.Config{OTLPEndpoint: "collector:4318", Sample: 2}.Validate()
	for _, want := range []string{"otlp_endpoint", "sample", "interval"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
	if err := telemetry.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}

// docs/telemetry.md names every metric.
func TestDocNamesTheMetrics(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(t.Context(), telemetry.DefaultConfig(), telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Scraped: true})
	if err != nil {
		t.Fatal(err)
	}
	work(tel.Instruments())
	_, tool := tel.Instruments().Tool(t.Context(), "t", "1", "mcp", true, 1)
	tool.ToolDone(t.Context(), "", false)
	reg := prometheus.NewRegistry()
	reg.MustRegister(tel.Collector())
	families, err := reg.Gather()
	if err != nil || len(families) != 9 {
		t.Fatalf("%v metrics, %v", families, err)
	}
	for _, f := range families {
		if !strings.Contains(string(doc), "`"+f.GetName()+"`") {
			t.Errorf("docs/telemetry.md does not have %s", f.GetName())
		}
	}
}

// The latency to the reply is that of v_latency: a miss is over 15 s, and who was merged
// into an answer that there was already, or was owed none, has none.
func TestReplyLatency(t *testing.T) {
	t.Parallel()
	tel, err := telemetry.New(t.Context(), telemetry.DefaultConfig(), telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Scraped: true})
	if err != nil {
		t.Fatal(err)
	}
	end := func(id event.DanmakuID, state event.State, admitted bool, replyMs int64) event.Event {
		return event.Outcome{RoomID: "room-7", DanmakuID: id, State: state, Reason: "x", By: "dispatcher", Admitted: admitted, PlatformMs: 10_000, ReplyMs: replyMs}
	}
	p := tel.Instruments().Publisher(sink{})
	err = p.Publish(t.Context(), end("answered", event.Answered, true, 14_000), end("other variant's", event.Merged, true, 16_000),
		end("cooled down", event.Merged, false, 4000), end("late", event.Expired, true, 12_000), end("shed", event.Shed, false, 0), end("retracted", event.Retracted, true, 12_000))
	if err != nil {
		t.Fatal(err)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(tel.Collector())
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "livehost_reply_latency_seconds" {
			continue
		}
		if h := f.GetMetric()[0].GetHistogram(); h.GetSampleCount() != 3 || math.Round(h.GetSampleSum()*1000) != 25_001 {
			t.Errorf("%d samples, %v s in all, want 4 s, 6 s and a miss", h.GetSampleCount(), h.GetSampleSum())
		}
	}
}
