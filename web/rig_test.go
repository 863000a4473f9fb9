package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"livehost/internal/testkit"
	"livehost/streams/event"
	"livehost/streams/streamstest"
	"livehost/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// evening is when the tests' room opens: 2026-09-21 14:26:40 UTC.
const evening = int64(1_790_000_800_000)

// roomClock stands still.
type roomClock int64

func (c roomClock) NowMs() int64 { return int64(c) }

// rig is a console that runs, over a log in memory.
type rig struct {
	*web.Server
	log *streamstest.Log
	url string
	end func() // stops the console and waits for it
}

func start(t testing.TB, change ...func(*web.Config, *web.Deps)) *rig {
	t.Helper()
	r := &rig{log: &streamstest.Log{}}
	cfg := web.DefaultConfig()
	cfg.Addr, cfg.FromStart = "127.0.0.1:0", true
	deps := web.Deps{Log: slog.New(slog.DiscardHandler), Clock: roomClock(evening + 60_000), Live: r.log}
	for _, f := range change {
		f(&cfg, &deps)
	}
	var err error
	if r.Server, err = web.New(cfg, deps); err != nil {
		t.Fatal(err)
	}
	if err := r.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.url = strings.TrimSuffix(r.URL(), "/")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	stopped := false
	r.end = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	t.Cleanup(r.end)
	return r
}

func (r *rig) publish(t testing.TB, events ...event.Event) {
	t.Helper()
	if err := r.log.Publish(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
}

// get is the answer to a request, without following redirects.
func (r *rig) get(t testing.TB, path string) (int, string, http.Header) {
	t.Helper()
	rec := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	req.Host = "127.0.0.1"
	r.Handler().ServeHTTP(rec, req)
	b, err := io.ReadAll(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Code, string(b), rec.Result().Header
}

// shows waits until the page at path has all of want.
func (r *rig) shows(t testing.TB, path string, want ...string) string {
	t.Helper()
	var body string
	eventually(t, func() bool {
		_, body, _ = r.get(t, path)
		for _, w := range want {
			if !strings.Contains(body, w) {
				return false
			}
		}
		return true
	}, func() string { return path + " never showed " + strings.Join(want, " and ") + ":\n" + body })
	return body
}

func eventually(t testing.TB, ok func() bool, why func() string) {
	t.Helper()
	if !testkit.Comes(ok) {
		t.Fatal(why())
	}
}

// query is path with one parameter.
func query(path, name, value string) string { return path + "?" + url.Values{name: {value}}.Encode() }

var versions = event.Versions{Release: "harness-1", PolicyVersion: "scripted-1", HarnessHash: "abc123"}

func danmaku(id, text string, atMs int64) event.Danmaku {
	return event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "room-1", ViewerID: "v1", ViewerName: "小雨", Text: text, PlatformTimeMs: atMs}
}

func outcome(id string, state event.State, reason string) event.Outcome {
	return event.Outcome{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "room-1", State: state, Reason: reason, By: "dispatcher", PlatformMs: evening, TimeMs: evening + 9000}
}

// answered is the whole way of danmaku d1: asked, window, run, reply, speech.
func answered() []event.Event {
	member := event.Member{DanmakuID: "d1", ViewerName: "小雨", Text: "多少钱", PlatformMs: evening}
	delivery := event.Delivery{
		Schema: 1, DeliveryID: "w1/public", ReplyID: "w1", RunID: "w1#1", RoomID: "room-1", Outlet: "print", Channel: event.Public, State: event.DeliveryStarted,
		Text: "3号今天59元", DanmakuIDs: []event.DanmakuID{"d1"}, Variant: "harness", HeardVariant: "harness", Versions: versions,
		FirstAudioMs: evening + 5000, SpeechQueuedMs: 2000, TimeMs: evening + 5000,
	}
	ended := delivery
	ended.State, ended.EndMs, ended.TimeMs, ended.SpeechQueuedMs = event.DeliveryEnded, evening+7000, evening+7000, 0
	o := outcome("d1", event.Answered, "spoken")
	o.WindowID, o.RunID, o.Variant, o.ReplyMs, o.Channel = "w1", "w1#1", "harness", evening+3600, event.Public
	step := event.Step{Schema: 1, RunID: "w1#1", WindowID: "w1", RoomID: "room-1", Variant: "harness", Versions: versions, BudgetMs: 9000}
	model, tool := step, step
	model.Seq, model.Round, model.Kind, model.Name, model.Replica = 1, 1, event.StepModel, "scripted", "p0"
	model.StartedMs, model.EndedMs, model.FirstTokenMs, model.PromptTokens, model.CompletionTokens = evening+300, evening+1300, 250, 900, 42
	model.Input, model.Output, model.Reasoning = "the secret prompt", "raw tool call markup", "secret thoughts"
	model.Calls = []event.StepCall{{Name: "get_price", Arguments: `{"link_id":"3"}`}}
	tool.Seq, tool.Round, tool.Kind, tool.Name, tool.StartedMs, tool.EndedMs = 2, 1, event.StepTool, "get_price", evening+1300, evening+1340
	tool.Input, tool.Output = `{"link_id":"3"}`, `{"price_fen":5900}`
	return []event.Event{
		event.RoomEvent{Schema: 1, EventID: "e1", RoomID: "room-1", Kind: event.RoomOpened, TimeMs: evening - 1000},
		danmaku("d1", "多少钱", evening),
		event.Window{Schema: 1, WindowID: "w1", RoomID: "room-1", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "harness", Members: []event.Member{member},
			Intent: "price", EarliestMs: evening, AnswerByMs: evening + 15_000, SpeakByMs: evening + 20_000, OpenedMs: evening + 200},
		model, tool,
		event.Reply{Schema: 1, ReplyID: "w1", RunID: "w1#1", Attempt: 1, RoomID: "room-1", Variant: "harness", Kind: event.DanmakuWindow, Mode: event.Single, Members: []event.Member{member},
			Public: &event.PublicReply{Text: "3号今天59元", Covers: []event.DanmakuID{"d1"}}, Verdicts: []event.Verdict{{Rule: "price_grounding", Version: "1", Stage: "before_reply", Action: "allow"}},
			Versions: versions, AnswerByMs: evening + 15_000, SpeakByMs: evening + 20_000, CreatedMs: evening + 3600, Timing: event.Timing{RunMs: 3300}},
		delivery, ended, o,
	}
}
