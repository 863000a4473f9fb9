package agentworker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"livehost/agentworker"
	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type shop struct{}

func (shop) Call(context.Context, string, string, map[string]any, map[string]any) (tool.Output, error) {
	return tool.Output{Text: `{"link_id":"1","product_id":"p1","name":"围巾","price":"89元","price_fen":8900,"stock":3}`}, nil
}

type oneRelease struct{ *runner.Release }

func (o oneRelease) Resolve(v event.Variant, _ event.MerchantID) (*runner.Release, error) {
	if v != "full" {
		return nil, errors.New("there is no such release")
	}
	return o.Release, nil
}

// rig is one worker on a log. It must be made inside the test's bubble.
type rig struct {
	t     *testing.T
	agent *agentworker.Agent
	log   *streamstest.Log
	clock *clock.Clock
	stop  context.CancelFunc
	done  chan error
}

func release(t *testing.T, clk *clock.Clock) *runner.Release {
	t.Helper()
	a, err := txtar.ParseFile("runner/testdata/harness.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, f := range a.Files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	h, err := harness.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := h.Release("full")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := hook.New(rel.Hooks, guardrail.Checks())
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := prompt.New(prompt.DefaultConfig(), rel)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.New(tool.DefaultConfig(), tool.Deps{Log: slog.New(slog.DiscardHandler), Servers: shop{}})
	if err != nil {
		t.Fatal(err)
	}
	return &runner.Release{Release: rel, Engine: engine, Toolbox: tools, Prompts: prompts}
}

// newRig starts a worker that has been assigned its partitions.
func newRig(t *testing.T, log *streamstest.Log, claims agentworker.Claims, m model.Model) *rig {
	t.Helper()
	return newRigThrough(t, log, log, claims, m)
}

// newRigThrough is newRig with another way into the log.
func newRigThrough(t *testing.T, pub streams.Publisher, log *streamstest.Log, claims agentworker.Claims, m model.Model) *rig {
	t.Helper()
	clk, err := clock.New(time.Now(), 1)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	run, err := runner.New(runner.DefaultConfig(), runner.Deps{Clock: clk, Log: quiet, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := agentworker.New(agentworker.DefaultConfig(), agentworker.Deps{
		Clock: clk, Log: quiet, Publisher: pub, Reader: log, Claims: claims, Releases: oneRelease{release(t, clk)}, Runner: run,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &rig{t: t, agent: agent, log: log, clock: clk, stop: stop, done: make(chan error, 1)}
	for p := range int32(streamstest.Partitions) {
		if err := agent.Assigned(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	go func() { r.done <- agent.Run(ctx) }()
	return r
}

// close stops the worker and waits for it.
func (r *rig) close() {
	r.t.Helper()
	r.stop()
	if err := <-r.done; err != nil {
		r.t.Errorf("Run: %v", err)
	}
}

// window is one window of danmaku that arrived now, as "id:text" or "id".
func (r *rig) window(id string, members ...string) event.Window {
	now := r.clock.NowMs()
	w := event.Window{
		Schema: 1, WindowID: event.WindowID(id), RoomID: "room", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "full",
		Intent: "price", Class: event.ClassPurchase, Language: "zh", EarliestMs: now, AnswerByMs: now + 15_000, SpeakByMs: now + 20_000, OpenedMs: now,
		Context: event.ContextSnapshot{Settings: event.RoomSettings{Language: "zh", PrivateText: true, HandOver: true}, FocusLink: "1"},
	}
	for _, m := range members {
		w.Members = append(w.Members, event.Member{
			DanmakuID: event.DanmakuID(m), ViewerID: event.ViewerID("v" + m), Text: "1号多少钱", Question: "1号多少钱", Language: "zh", Intent: "price",
			FocusLink: "1", Ask: 1, PlatformMs: now, AnswerByMs: now + 15_000, SpeakByMs: now + 20_000,
		})
	}
	if len(members) > 1 {
		w.Mode = event.Multi
	}
	return w
}

// take hands a window over and returns where its acknowledgement arrives.
func (r *rig) take(w event.Window) <-chan error {
	r.t.Helper()
	b, err := event.Encode(w)
	if err != nil {
		r.t.Fatal(err)
	}
	acked := make(chan error, 1)
	r.agent.Handle(r.t.Context(), streams.Record{
		Topic: event.TopicWindow, Partition: topic.PartitionOf(w.RoomID, streamstest.Partitions), Key: w.RoomID, Value: b, AppendTime: time.Now(),
	}, func(err error) { acked <- err })
	return acked
}

// ends renders replies and outcomes of the log, in order.
func (r *rig) ends() string {
	r.t.Helper()
	var b strings.Builder
	for _, rec := range r.log.Records() {
		switch rec.Topic {
		case event.TopicReply:
			rep, err := event.Decode[event.Reply](rec.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			fmt.Fprintf(&b, "reply %s", rep.RunID)
			if rep.Public != nil {
				fmt.Fprintf(&b, " public %v", rep.Public.Covers)
			}
			if rep.Fallback != "" {
				fmt.Fprintf(&b, " %s", rep.Fallback)
			}
			if len(rep.NotCovered) > 0 {
				fmt.Fprintf(&b, " not covered %v", rep.NotCovered)
			}
			b.WriteByte('\n')
		case event.TopicOutcome:
			o, err := event.Decode[event.Outcome](rec.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s %s %s\n", o.DanmakuID, o.State, o.Reason, o.RunID)
		}
	}
	return b.String()
}

// brokenClaims are claims whose server is away.
type brokenClaims struct{}

var errAway = fault.Errorf(fault.Unavailable, "away")

func (brokenClaims) Claim(context.Context, agentworker.Claim) (agentworker.Claimed, error) {
	return agentworker.Claimed{}, errAway
}
func (brokenClaims) Renew(context.Context, agentworker.Claim, int) (bool, error) {
	return false, errAway
}
func (brokenClaims) Mark(context.Context, agentworker.Claim, int, agentworker.Mark) error {
	return errAway
}
