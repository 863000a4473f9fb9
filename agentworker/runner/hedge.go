package runner

import (
	"context"
	"sync"
	"time"

	"livehost/agentworker/tool"
	"livehost/harness"
)

// mostCalls bounds how often one call is made.
const mostCalls = 3

// execute makes one call. A read that is slow is hedged: it is made again, and the first
// answer counts, because back-ends stall for moments and a run has no time to wait for
// all of one. A tool that does not stop in time is left behind: its result is not waited
// for, so that the others' still reach an answer.
func (s *state) execute(ctx context.Context, run *tool.Run, a *action) (res tool.Result, hedged int) {
	if a.tool == nil || a.tool.Binding.Kind == harness.BindBuiltin { // takes no time, so none can run out
		return s.rel.Toolbox.Call(context.WithoutCancel(ctx), run, a.call.Name, a.call.Arguments), 0
	}
	budget := min(s.r.cfg.ToolCall, max(s.left()-s.r.cfg.AnswerTime, s.r.cfg.MinCall))
	ctx, cancel := s.r.clock.WithTimeout(ctx, budget)
	defer cancel()
	done := make(chan tool.Result, mostCalls)
	call := func() { done <- s.rel.Toolbox.Call(ctx, run, a.call.Name, a.call.Arguments) }
	go call()
	s.r.hedges.earn()
	var hedge <-chan time.Time
	every := min(s.r.cfg.ToolHedge, budget/2)
	if every > 0 && !a.tool.Write {
		hedge = s.r.clock.NewTimer(every).C
	}
	for waiting := 1; ; {
		select {
		case res = <-done:
			if waiting--; waiting == 0 || !res.Code.Away() {
				return res, hedged
			}
		case <-hedge:
			hedge = nil
			if !s.r.hedges.take() {
				continue
			}
			hedged++
			waiting++
			go call()
			if next := time.Duration(hedged+1) * every; hedged+1 < mostCalls && next+every/2 <= budget {
				hedge = s.r.clock.NewTimer(every).C
			}
		case <-ctx.Done():
			late := &action{tool: a.tool}
			late.refuse(tool.Timeout, "no answer in time; do not assume that it was done")
			late.result.Args = a.theirs
			return late.result, hedged
		}
	}
}

// hedges bounds how many calls are made again, so that a back-end that is slow as a
// whole does not get a multiple of the load: every call earns a share of a hedge.
type hedges struct {
	share float64

	mu     sync.Mutex
	earned float64
}

// hedgesAtOnce is what may be saved up: the calls of two full windows.
const hedgesAtOnce = 16

func newHedges(share float64) *hedges {
	h := &hedges{share: share}
	if share > 0 {
		h.earned = hedgesAtOnce
	}
	return h
}

func (h *hedges) earn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.earned = min(h.earned+h.share, hedgesAtOnce)
}

func (h *hedges) take() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.earned < 1 {
		return false
	}
	h.earned--
	return true
}
