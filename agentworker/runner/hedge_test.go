package runner_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// paced is the shop whose n-th call takes the n-th time, and the last one's after that.
type paced struct {
	shop
	takes []time.Duration
	fails int // the call, from 1, that is answered with an error
	calls *atomic.Int64
}

func newPaced(takes ...time.Duration) paced {
	return paced{shop: defaultShop, takes: takes, calls: &atomic.Int64{}}
}

func (p paced) Call(ctx context.Context, server, name string, args, meta map[string]any) (tool.Output, error) {
	n := int(p.calls.Add(1))
	s := shop{wait: map[string]time.Duration{name: p.takes[min(n, len(p.takes))-1]}, answers: p.answers}
	out, err := s.Call(ctx, server, name, args, meta)
	if n == p.fails && err == nil {
		out = tool.Output{Text: `{"error":"UPSTREAM","message":"away"}`, IsError: true}
	}
	return out, err
}

// TestHedge has the times of a window of the demo's burst as it was traced: opened when
// the oldest of its eight had waited for 8.2 s, so that the run had 5.8 s, and its tool
// call began in one of the back-end's slow moments.
func TestHedge(t *testing.T) {
	t.Parallel()
	const (
		left   = 5840 * time.Millisecond
		stall  = 4600 * time.Millisecond
		common = 680 * time.Millisecond
		price  = "public [d1]: 围巾89元\nfact price 1 8900\n"
		sorry  = "public [d1]: 我再核对一下\n"
	)
	never := func(c *runner.Config) { c.ToolHedge = 0 }
	for _, tt := range []struct {
		name   string
		shop   paced
		config func(*runner.Config)
		write  bool
		calls  int64
		tool   time.Duration
		hedged bool
		want   string
	}{
		{"a quick call is made once", newPaced(common), nil, false, 1, common, false, price},
		{"a call in a slow moment is made again after it", newPaced(stall, common), nil, false, 2, 1500*time.Millisecond + common, true, price},
		{"the first may still be the first to answer", newPaced(1700*time.Millisecond, common), nil, false, 2, 1700 * time.Millisecond, true, price},
		{"the second fails and the first is waited for", paced{defaultShop, []time.Duration{2900 * time.Millisecond, common}, 2, &atomic.Int64{}}, nil, false, 2, 2900 * time.Millisecond, true, price},
		{"a back-end that stays slow is a timeout", newPaced(stall), nil, false, 2, left - 1070*time.Millisecond - 1500*time.Millisecond, true, sorry},
		{"without hedges a slow moment is one", newPaced(stall, common), never, false, 1, left - 1070*time.Millisecond - 1500*time.Millisecond, false, sorry},
		{"a write is never made twice", newPaced(stall, common), nil, true, 1, left - 1070*time.Millisecond - 1500*time.Millisecond, false, sorry},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := "围巾89元"
				if tt.want == sorry {
					answer = "我再核对一下"
				}
				policy := modeltest.New(
					modeltest.After(410*time.Millisecond, modeltest.Call("use_skill", `{"which":"price"}`)),
					modeltest.After(660*time.Millisecond, modeltest.Call("item", `{"number":"1"}`)),
					modeltest.After(460*time.Millisecond, modeltest.Say(answer)))
				cfg := runner.DefaultConfig()
				if tt.config != nil {
					tt.config(&cfg)
				}
				r := newRigOn(t, clock.Real(), cfg, policy, tt.shop)
				item, _ := r.release.Tool("item")
				item.Write = tt.write
				res := r.runWithin(t, window(event.Multi, member("d1", "1号多少钱", "price")), left)
				if d := cmp.Diff(tt.want, summary(res)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if n := tt.shop.calls.Load(); n != tt.calls {
					t.Errorf("the tool was called %d times, want %d", n, tt.calls)
				}
				if got := time.Duration(res.Reply.Timing.ToolWallUs) * time.Microsecond; got != tt.tool {
					t.Errorf("inside the tool %v, want %v", got, tt.tool)
				}
				for _, st := range r.log.Steps() {
					if want := tt.hedged && st.Name == "item"; st.Hedged != want {
						t.Errorf("step %s %s: hedged %v, want %v", st.Kind, st.Name, st.Hedged, want)
					}
				}
			})
		})
	}
}

// A call that must be quicker than usual is hedged in the middle of its time.
func TestHedgeOfAShortTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(time.Hour, 900*time.Millisecond)
		r := newRig(t, modeltest.New(modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`), modeltest.Say("围巾89元")), s)
		res := r.runWithin(t, window(event.Single, member("d1", "1号多少钱", "price")), 3500*time.Millisecond)
		if got, want := summary(res), "public [d1]: 围巾89元\nfact price 1 8900\n"; got != want || r.took != 1900*time.Millisecond {
			t.Errorf("%safter %v; want %safter 1.9 s", got, r.took, want)
		}
	})
}

// A back-end that is slow as a whole gets a bounded share of calls on top, and those
// saved up before.
func TestHedgesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 100
		s := newPaced(time.Hour)
		ask := modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`)
		var steps []modeltest.Step
		for range runs {
			steps = append(steps, ask, modeltest.Say("我再核对一下"))
		}
		r := newRig(t, modeltest.New(steps...), s)
		for range runs {
			r.run(t, window(event.Single, member("d1", "1号多少钱", "price")))
		}
		share := runner.DefaultConfig().HedgeShare
		if got, most := s.calls.Load()-runs, int64(runs*share)+16; got < int64(runs*share) || got > most {
			t.Errorf("%d of %d calls were hedged, want between %v of them and %d", got, runs, share, most)
		}
	})
}

func TestHedgeIsTraced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := modeltest.New(modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`), modeltest.Say("围巾89元"))
		r, rec := traced(t, policy, newPaced(4*time.Second, time.Second))
		r.run(t, window(event.Single, member("d1", "1号多少钱", "price")))
		spans := tree(rec, "livehost.hedged")
		if strings.Count(spans, "livehost.hedged=true") != 1 || !strings.Contains(spans, "execute_tool item livehost.hedged=true") {
			t.Errorf("spans:\n%s", spans)
		}
	})
}
