package admission

import (
	"math"
	"slices"
	"sync"
)

const (
	samples = 31
	enough  = 5
)

// ring is the last run times.
type ring struct {
	ms   [samples]int32
	n    int
	asks quantiles // of ms; asked for far more often than a run ends
}

// quantiles are what half of the runs and five of six kept within.
type quantiles struct{ median, safe int64 }

func (r *ring) observe(ms int64) {
	r.ms[r.n%samples] = int32(min(max(0, ms), math.MaxInt32))
	r.n++
	s := r.ms
	last := s[:min(r.n, samples)]
	slices.Sort(last)
	r.asks = quantiles{int64(last[len(last)/2]), int64(last[len(last)*5/6])}
}

// enough reports that the quantiles say something.
func (r *ring) enough() bool { return r.n >= enough }

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

func (p *Prior) quantiles() quantiles {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ring.enough() {
		return p.ring.asks
	}
	return quantiles{p.firstMs, p.firstMs}
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
func (r *RunTimes) MedianMs() int64 { return r.quantiles().median }

// SafeMs is what five of six of the last runs kept within.
func (r *RunTimes) SafeMs() int64 { return r.quantiles().safe }

func (r *RunTimes) quantiles() quantiles {
	if r.ring.enough() {
		return r.ring.asks
	}
	return r.prior.quantiles()
}
