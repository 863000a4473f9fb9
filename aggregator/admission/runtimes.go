package admission

import (
	"slices"
	"sync"
)

const (
	samples = 31
	enough  = 5
)

// ring is the last run times.
type ring struct {
	ms [samples]int64
	n  int
}

func (r *ring) observe(ms int64) {
	r.ms[r.n%samples] = max(0, ms)
	r.n++
}

// quantile is part of of of the last runs; ok once there are enough.
func (r *ring) quantile(part, of int) (ms int64, ok bool) {
	if r.n < enough {
		return 0, false
	}
	s := r.ms
	last := s[:min(r.n, samples)]
	slices.Sort(last)
	return last[len(last)*part/of], true
}

// Prior is what a room without runs of its own expects: the last runs of all
// rooms. It is safe for concurrent use.
type Prior struct {
	firstMs int64

	mu   sync.Mutex
	ring ring
}

// NewPrior starts from an assumed run time.
func NewPrior(firstMs int64) *Prior { return &Prior{firstMs: firstMs} }

func (p *Prior) observe(ms int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ring.observe(ms)
}

func (p *Prior) quantile(part, of int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ms, ok := p.ring.quantile(part, of); ok {
		return ms
	}
	return p.firstMs
}

// RunTimes learns how long a run takes in one room, from window to reply.
type RunTimes struct {
	prior *Prior
	ring  ring
}

// NewRunTimes goes by prior until it has seen enough.
func NewRunTimes(prior *Prior) *RunTimes { return &RunTimes{prior: prior} }

// Observe adds one run.
func (r *RunTimes) Observe(ms int64) {
	r.ring.observe(ms)
	r.prior.observe(ms)
}

// MedianMs is the median of the last runs.
func (r *RunTimes) MedianMs() int64 { return r.quantile(1, 2) }

// SafeMs is what five of six of the last runs kept within.
func (r *RunTimes) SafeMs() int64 { return r.quantile(5, 6) }

func (r *RunTimes) quantile(part, of int) int64 {
	if ms, ok := r.ring.quantile(part, of); ok {
		return ms
	}
	return r.prior.quantile(part, of)
}
