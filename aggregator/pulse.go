package aggregator

import (
	"math"
	"sync/atomic"
)

// pulse tells a room whose danmaku have stopped: its feed has died and said nothing, or
// its broadcast has ended unsaid. Only who was talkative falls quiet; where few talk,
// minutes without a word are nothing.
type pulse struct {
	level   float64 // danmaku of about the last levelMs
	lastMs  int64
	quietMs atomic.Int64 // from when on the room is quiet, 0: never; read without the room's lock
}

const (
	levelMs   = 10 * 60_000
	talkative = 30
)

// beat takes one danmaku of the room.
func (p *pulse) beat(nowMs, afterMs int64) {
	if p.lastMs != 0 {
		p.level *= math.Exp(float64(p.lastMs-nowMs) / levelMs)
	}
	p.level++
	p.lastMs = nowMs
	if p.level < talkative {
		p.quietMs.Store(0)
	} else {
		p.quietMs.Store(nowMs + afterMs)
	}
}

// rest is a broadcast's end: who is silent now may be.
func (p *pulse) rest() {
	p.level, p.lastMs = 0, 0
	p.quietMs.Store(0)
}

// quiet is not for ever: after forMs it is taken for the end of the broadcast.
func (p *pulse) quiet(nowMs, forMs int64) bool {
	since := p.quietMs.Load()
	return since != 0 && nowMs >= since && nowMs < since+forMs
}
