package runner_test

import (
	"context"
	"slices"
	"strings"
	"sync"
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

// paced is the shop whose n-th call takes the n-th time, and later ones the last.
type paced struct {
	shop
	takes []time.Duration
	fails int // the call, from 1, that is answered with an error

	mu    sync.Mutex
	began time.Time
	calls []time.Duration // when they were made, after began
}

func newPaced(takes ...time.Duration) *paced {
	return &paced{shop: defaultShop, takes: takes, began: time.Now()}
}

func (p *paced) Call(ctx context.Context, server, name string, args, meta map[string]any) (tool.Output, error) {
	p.mu.Lock()
	p.calls = append(p.calls, time.Since(p.began))
	n := len(p.calls)
	p.mu.Unlock()
	s := shop{wait: map[string]time.Duration{name: p.takes[min(n, len(p.takes))-1]}, answers: p.answers}
	out, err := s.Call(ctx, server, name, args, meta)
	if n == p.fails && err == nil {
		out = tool.Output{Text: `{"error":"UPSTREAM","message":"away"}`, IsError: true}
	}
	return out, err
}

// made is when the calls were made so far.
func (p *paced) made() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
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
	var (
		never = func(c *runner.Config) { c.ToolHedge = 0 }
		late  = left - 1070*time.Millisecond - 1500*time.Millisecond // no answer in time
	)
	for _, tt := range []struct {
		name   string
		takes  []time.Duration
		fails  int
		config func(*runner.Config)
		write  bool
		calls  int
		tool   time.Duration
		want   string
	}{
		{"a quick call is made once", []time.Duration{common}, 0, nil, false, 1, common, price},
		{"a call in a slow moment is made again after it", []time.Duration{stall, common}, 0, nil, false, 2, 1500*time.Millisecond + common, price},
		{"the first may still be the first to answer", []time.Duration{1700 * time.Millisecond, common}, 0, nil, false, 2, 1700 * time.Millisecond, price},
		{"the second fails and the first is waited for", []time.Duration{2900 * time.Millisecond, common}, 2, nil, false, 2, 2900 * time.Millisecond, price},
		{"a back-end that stays slow is a timeout", []time.Duration{stall}, 0, nil, false, 2, late, sorry},
		{"without hedges a slow moment is one", []time.Duration{stall, common}, 0, never, false, 1, late, sorry},
		{"a write is never made again", []time.Duration{stall, common}, 0, nil, true, 1, late, sorry},
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
				s := newPaced(tt.takes...)
				s.fails = tt.fails
				r := newRigOn(t, clock.Real(), cfg, policy, s)
				item, _ := r.release.Tool("item")
				item.Write = tt.write
				res := r.runWithin(t, window(event.Multi, member("d1", "1号多少钱", "price")), left)
				if d := cmp.Diff(tt.want, summary(res)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if n := len(s.made()); n != tt.calls {
					t.Errorf("the tool was called %d times, want %d", n, tt.calls)
				}
				if got := time.Duration(res.Reply.Timing.ToolWallUs) * time.Microsecond; got != tt.tool {
					t.Errorf("inside the tool %v, want %v", got, tt.tool)
				}
				for _, st := range r.log.Steps() {
					if st.Name == "item" && st.Hedged != tt.calls-1 {
						t.Errorf("the step says that it was hedged %d times", st.Hedged)
					}
				}
			})
		})
	}
}

// How often a call is made depends on the time it has.
func TestHedgeFitsTheTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		left time.Duration // 1.5 s of it are kept for the answer
		want []time.Duration
	}{
		{"a short time is halved", 3500 * time.Millisecond, []time.Duration{0, 1000 * time.Millisecond}},
		{"no third call without half a wait for it", 5200 * time.Millisecond, []time.Duration{0, 1500 * time.Millisecond}},
		{"three calls", 6 * time.Second, []time.Duration{0, 1500 * time.Millisecond, 3000 * time.Millisecond}},
		{"and no more", 10 * time.Second, []time.Duration{0, 1500 * time.Millisecond, 3000 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newPaced(time.Hour)
				r := newRig(t, modeltest.New(modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`), modeltest.Say("我再核对一下")), s)
				r.runWithin(t, window(event.Single, member("d1", "1号多少钱", "price")), tt.left)
				if d := cmp.Diff(tt.want, s.made()); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		})
	}
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
		if got, most := len(s.made())-runs, int(runs*share)+16; got < int(runs*share) || got > most {
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
