package runner_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBudgets(t *testing.T) {
	t.Parallel()
	both := modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`, "item", `{"number":"2"}`)
	who := member("d1", "1号和2号多少钱", "price")
	for _, tt := range []struct {
		name   string
		wait   map[string]time.Duration
		steps  []modeltest.Step
		took   time.Duration
		tools  time.Duration
		want   string
		causes []string
	}{
		{
			"tools of a round run in parallel", map[string]time.Duration{"get_product": 3 * time.Second},
			[]modeltest.Step{both, modeltest.Say("1号89元")}, 3 * time.Second, 3 * time.Second,
			"public [d1]: 1号89元\nfact price 1 8900\n", nil,
		},
		{
			"a tool that hangs is a timeout the policy sees", map[string]time.Duration{"get_product": time.Hour},
			[]modeltest.Step{both, modeltest.Say("我再核对一下")}, 5 * time.Second, 5 * time.Second,
			"public [d1]: 我再核对一下\n", nil,
		},
		{
			"tools leave time for the answer", map[string]time.Duration{"get_product": 4 * time.Second},
			[]modeltest.Step{modeltest.After(2900*time.Millisecond, both), modeltest.After(1900*time.Millisecond, modeltest.Call("item", `{"number":"1"}`)), modeltest.Say("围巾89元")},
			8950 * time.Millisecond, 4150 * time.Millisecond,
			"public [d1]: 围巾89元\nfact price 1 8900\n", nil,
		},
		{
			"and end before the run does", map[string]time.Duration{"get_product": time.Hour},
			[]modeltest.Step{modeltest.After(2900*time.Millisecond, both), modeltest.After(500*time.Millisecond, both), modeltest.Say("我再核对一下")},
			8550 * time.Millisecond, 0,
			"public [d1]: 我再核对一下\n", nil,
		},
		{
			"first call 3 s, another replica 2 s, compact 2 s", nil,
			[]modeltest.Step{modeltest.Hang()}, 7 * time.Second, 0,
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\n",
			[]string{"other_replica: policy_timeout", "compact: policy_timeout", "conservative: policy_timeout"},
		},
		{
			"the compact route answers", nil,
			[]modeltest.Step{modeltest.Fail(model.Unreachable), modeltest.Fail(model.StreamError), modeltest.Say("我再核对一下")}, 0, 0,
			"public [d1]: 我再核对一下\nfallback compact\n", []string{"other_replica: policy_unreachable", "compact: policy_stream_error"},
		},
		{
			"an empty answer", nil,
			[]modeltest.Step{modeltest.Say(""), modeltest.Say("  ")}, 0, 0,
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\n", []string{"compact: empty_answer", "conservative: empty_answer"},
		},
		{
			"retries spend rounds", nil,
			[]modeltest.Step{both, modeltest.Say("1号79元"), modeltest.Say("1号79元")}, 0, 0,
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\nhit grounding retry 79元\nhit grounding block 79元\n",
			[]string{"conservative: before_reply"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := shop{wait: tt.wait, answers: defaultShop.answers}
				r := newRig(t, modeltest.New(tt.steps...), s)
				res := r.run(t, window(event.Single, who))
				if d := cmp.Diff(tt.want, summary(res)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if r.took != tt.took {
					t.Errorf("took %v, want %v", r.took, tt.took)
				}
				if d := cmp.Diff(tt.causes, r.log.causes()); d != "" {
					t.Errorf("causes (-want +got):\n%s", d)
				}
				if res.Reply != nil && tt.tools > 0 {
					if got := time.Duration(res.Reply.Timing.ToolWallUs) * time.Microsecond; got != tt.tools {
						t.Errorf("inside tools %v, want %v", got, tt.tools)
					}
				}
			})
		})
	}
}

func TestCancelledRunLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := modeltest.New(modeltest.Hang())
		r := newRig(t, script, defaultShop)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		res, err := r.Run(ctx, r.task(window(event.Single, member("d1", "多少钱", "price"))))
		if err == nil || res.Reply != nil || len(res.Outcomes) > 0 {
			t.Errorf("%+v, %v; want only the shutdown's error", res, err)
		}
	})
}

// TestConversation holds the messages to the protocol: every call is answered under
// its own id, refused answers come back with the reminder.
func TestConversation(t *testing.T) {
	t.Parallel()
	script := modeltest.New(
		modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`, "nope", `oops`),
		modeltest.Say("今天79元"), modeltest.Say("今天89元"))
	r := newRig(t, script, defaultShop)
	if res := r.run(t, window(event.Single, member("d1", "1号多少钱", "price"))); res.Reply == nil || res.Reply.Public == nil {
		t.Fatal(summary(res))
	}
	asked := script.Asked()
	last := asked[len(asked)-1].Messages
	var shape []string
	for _, m := range last {
		s := string(m.Role)
		for _, c := range m.ToolCalls {
			s += " " + c.ID + ":" + c.Name + c.Arguments
		}
		if m.ToolCallID != "" {
			s += " " + m.ToolCallID
		}
		shape = append(shape, s)
	}
	want := []string{
		"system", "user", `assistant call_1_0:use_skill{"which":"price"} call_1_1:item{"number":"1"} call_1_2:nope{}`,
		"tool call_1_0", "tool call_1_1", "tool call_1_2", "assistant", "user",
	}
	if d := cmp.Diff(want, shape); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	if reminder := last[len(last)-1].Content; !strings.Contains(reminder, "先查价格") {
		t.Errorf("reminder %q", reminder)
	}
	for i, req := range asked {
		if req.Temperature != 1 || req.TopP != 0.95 || req.MaxTokens != 512 || req.ID == "" {
			t.Errorf("request %d: %+v", i, req)
		}
	}
	if asked[0].Budget != 3*time.Second || asked[1].Budget != 2*time.Second {
		t.Errorf("budgets %v and %v, want 3s and 2s", asked[0].Budget, asked[1].Budget)
	}
}

// TestOffers checks that a room is offered the outlets it has.
func TestOffers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		settings event.RoomSettings
		kind     event.WindowKind
		want     string
	}{
		{event.RoomSettings{PrivateText: true, HandOver: true}, event.DanmakuWindow, "use_skill respond whisper hush escalate item order"},
		{event.RoomSettings{}, event.DanmakuWindow, "use_skill respond hush item"},
		{event.RoomSettings{PrivateText: true, HandOver: true}, event.EventWindow, "use_skill hush item order"},
	} {
		script := modeltest.New(modeltest.Call("hush", `{"why":"noise"}`))
		w := window(event.Multi, member("d1", "1号多少钱", "price"))
		w.Context.Settings, w.Kind = tt.settings, tt.kind
		if tt.kind == event.EventWindow {
			w.Members, w.Event = nil, &event.RoomEvent{Kind: event.Gift}
		}
		newRig(t, script, defaultShop).run(t, w)
		var got []string
		for _, offered := range script.Asked()[0].Tools {
			got = append(got, offered.Name)
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.settings, d)
		}
	}
}
