package latency_test

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"

	"livehost/internal/embedded/policy/latency"
)

// shape is the shape of the simulated agent loop.
type shape struct {
	Rounds    int       // model calls of a run
	ToolAfter int       // the round whose tool calls are waited for, from 1; 0: none
	Parallel  []float64 // weights of 1, 2, ... tool calls in parallel
}

// harnessShape loads skills, calls tools, replies.
func harnessShape() shape { return shape{Rounds: 3, ToolAfter: 2, Parallel: []float64{0.9, 0.1}} }

// baselineShape has everything in its prompt: it calls tools and replies.
func baselineShape() shape { return shape{Rounds: 2, ToolAfter: 1, Parallel: []float64{0.9, 0.1}} }

// simulated is the simulated runs of one setting, without the worker's own limits.
type simulated struct {
	Runs  []time.Duration // whole runs, ascending
	First []time.Duration // first model calls, ascending
	Later []time.Duration // later model calls, ascending
}

// quantile of ascending durations, q in 0..1.
func quantile(ds []time.Duration, q float64) time.Duration {
	return ds[min(int(q*float64(len(ds))), len(ds)-1)]
}

// over is the share of ds above limit.
func over(ds []time.Duration, limit time.Duration) float64 {
	n := 0
	for _, d := range ds {
		if d > limit {
			n++
		}
	}
	return float64(n) / float64(len(ds))
}

// simulate plays runs of the agent one after the other in each of concurrency
// loops that share one replica. It is pure: no clock, no goroutines.
func simulate(p latency.Profile, a shape, concurrency, runs int, seed uint64) simulated {
	s := simulation{
		profile: p, agent: a, calls: latency.NewSampler(p, seed),
		rand: rand.New(rand.NewPCG(seed, 0xa9e47)), left: runs,
	}
	s.tool = latency.ToolLatency(seed, func() time.Time { return time.Time{}.Add(s.now) })
	for range concurrency {
		s.begin(0)
	}
	for s.queue.Len() > 0 {
		e := heap.Pop(&s.queue).(*loop)
		s.step(e)
	}
	for _, ds := range [][]time.Duration{s.result.Runs, s.result.First, s.result.Later} {
		slices.Sort(ds)
	}
	return s.result
}

type simulation struct {
	profile  latency.Profile
	agent    shape
	calls    *latency.Sampler
	tool     func() time.Duration
	rand     *rand.Rand
	left     int
	inFlight int
	now      time.Duration // of the step being made
	queue    loops
	result   simulated
}

// loop is one agent in the middle of a run; at is when its next step is due.
type loop struct {
	at, started, called time.Duration
	round               int
	call                latency.Call
	chunk               int // next chunk of the call; latency.Chunks+1: the call is over
}

func (s *simulation) begin(at time.Duration) {
	if s.left == 0 {
		return
	}
	s.left--
	l := &loop{at: at, started: at}
	s.startCall(l)
	heap.Push(&s.queue, l)
}

func (s *simulation) startCall(l *loop) {
	l.round++
	l.called, l.call, l.chunk = l.at, s.calls.Call(l.round == 1), 0
	s.inFlight++
	l.at += s.profile.Prefill(l.call.FirstToken, s.inFlight)
}

// step is due at l.at: the next chunk, or what follows the call.
func (s *simulation) step(l *loop) {
	s.now = l.at
	if l.chunk < latency.Chunks {
		l.at += s.profile.Decode(latency.Share(l.call.Tokens, l.chunk), s.inFlight)
		l.chunk++
		heap.Push(&s.queue, l)
		return
	}
	if l.chunk == latency.Chunks {
		s.inFlight--
		took := l.at - l.called
		if l.round == 1 {
			s.result.First = append(s.result.First, took)
		} else {
			s.result.Later = append(s.result.Later, took)
		}
		if l.round == s.agent.ToolAfter {
			l.chunk++
			l.at += s.tools()
			heap.Push(&s.queue, l)
			return
		}
	}
	if l.round == s.agent.Rounds {
		s.result.Runs = append(s.result.Runs, l.at-l.started)
		s.begin(l.at)
		return
	}
	s.startCall(l)
	heap.Push(&s.queue, l)
}

// tools is the slowest of the parallel calls.
func (s *simulation) tools() time.Duration {
	x, n := s.rand.Float64(), 1
	for _, w := range s.agent.Parallel {
		if x -= w; x < 0 {
			break
		}
		n++
	}
	var slowest time.Duration
	for range n {
		slowest = max(slowest, s.tool())
	}
	return slowest
}

// loops is a heap by due time.
type loops []*loop

func (h loops) Len() int           { return len(h) }
func (h loops) Less(i, j int) bool { return h[i].at < h[j].at }
func (h loops) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *loops) Push(x any)        { *h = append(*h, x.(*loop)) }
func (h *loops) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
