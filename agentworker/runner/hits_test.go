package runner_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/tool"
	"livehost/streams/event"
)

// TestEveryTurnIsAHit: retries, fallbacks, recoveries and suppressions are hits, and
// every hit says whose rule it was, which version, where, of what and what was done.
func TestEveryTurnIsAHit(t *testing.T) {
	t.Parallel()
	price := member("d1", "1号多少钱", "price")
	look := modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`)
	rescued := func(ctx context.Context, req model.Request) (model.Response, error) {
		resp, err := look(ctx, req)
		resp.Rescued = true
		return resp, err
	}
	for _, tt := range []struct {
		name    string
		members []event.Member
		compact bool
		steps   []modeltest.Step
		want    []string // rule action
	}{
		{"a retry", []event.Member{price}, false, []modeltest.Step{look, modeltest.Say("今天88元"), modeltest.Say("今天89元")}, []string{"grounding retry"}},
		{"another replica", []event.Member{price}, false, []modeltest.Step{modeltest.Fail(model.Unreachable), look, modeltest.Say("今天89元")}, []string{"fallback other_replica"}},
		{
			"the compact route", []event.Member{price}, false,
			[]modeltest.Step{modeltest.Fail(model.Unreachable), modeltest.Fail(model.StreamError), look, modeltest.Say("今天89元")},
			[]string{"fallback other_replica", "fallback compact"},
		},
		{"too little time", []event.Member{price}, true, []modeltest.Step{look, modeltest.Say("今天89元")}, []string{"fallback compact"}},
		{"a call taken out of the text", []event.Member{price}, false, []modeltest.Step{rescued, modeltest.Say("今天89元")}, []string{"recovery recover"}},
		{
			"a conservative reply", []event.Member{price}, false, []modeltest.Step{look, modeltest.Say("今天88元"), modeltest.Say("今天87元")},
			[]string{"grounding retry", "grounding block", "fallback fallback"},
		},
		{"no question", []event.Member{member("d1", "？？？", "other")}, false, nil, []string{"validity suppress", "fallback suppress"}},
		{"one of two", []event.Member{member("d1", "？？？", "other"), price2}, false, []modeltest.Step{look, modeltest.Call("respond", `{"say":"今天89元","ids":["d2"]}`)}, []string{"validity suppress"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, modeltest.New(tt.steps...), defaultShop)
			mode := event.Single
			if len(tt.members) > 1 {
				mode = event.Multi
			}
			task := r.task(window(mode, tt.members...))
			task.Compact = tt.compact
			res, err := r.Run(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range res.Hits {
				got = append(got, h.Rule+" "+h.Action)
				if h.Version == "" || h.Stage != "agentworker" || h.Point == "" || h.Span == "" || h.Versions.HarnessHash == "" {
					t.Errorf("hit %+v", h)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

var price2 = member("d2", "1号多少钱", "price")

// TestABadDanmakuDoesNotStopTheOthers: it is not shown to the policy and ends
// suppressed.
func TestABadDanmakuDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	look := modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`)
	policy := modeltest.New(look, modeltest.Call("respond", `{"say":"今天89元","ids":["d2"]}`))
	r := newRig(t, policy, defaultShop)
	res := r.run(t, window(event.Multi, member("d1", "@@@", "other"), price2))
	want := "public [d2]: 今天89元\nfact price 1 8900\nd1 suppressed validity\nhit validity suppress @@@\n"
	if got := summary(res); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, st := range r.log.Steps() {
		if st.Kind == event.StepModel && strings.Contains(st.Input, "@@@") {
			t.Errorf("the policy is shown it: %s", st.Input)
		}
	}
}

// TestABadDanmakuIsNobodysQuestion: the run is about those who are left, so that the
// one viewer among them need not be named.
func TestABadDanmakuIsNobodysQuestion(t *testing.T) {
	t.Parallel()
	mine := member("d2", "我的快递到哪了", "order")
	policy := modeltest.New(modeltest.Call("use_skill", `{"which":"price"}`, "order", `{}`), modeltest.Call("whisper", `{"to":"d2","say":"您的快递在路上"}`))
	r := newRig(t, policy, defaultShop)
	r.run(t, window(event.Multi, member("d1", "@@@", "other"), mine))
	for _, st := range r.log.Steps() {
		if st.Kind == event.StepTool && st.Name == "order" && st.Error == string(tool.Permission) {
			t.Error(st.Output)
		}
	}
}
