package aggregator

import (
	"context"
	"maps"

	"livehost/streams/event"
)

// markEveryMs is the room time between two marks: the finer, the less is read back.
const markEveryMs = 30_000

// checkpoint writes room-state.v1 of the rooms that changed. The offsets in it lie
// before everything that a restart has to know again: ids within the memory and
// danmaku that are still unfinished.
func (p *partition) checkpoint(ctx context.Context) error {
	now := p.a.deps.Clock.NowMs()
	p.mu.Lock()
	if !p.dirty || p.closed || p.broken != nil {
		p.mu.Unlock()
		return nil
	}
	p.dirty = false
	rooms := make([]*room, 0, len(p.rooms))
	for _, r := range p.rooms {
		rooms = append(rooms, r)
	}
	at := mark{ms: now, offsets: maps.Clone(p.offsets)}
	p.mu.Unlock()

	oldest := now - p.a.cfg.Memory.Milliseconds()
	for _, r := range rooms {
		r.mu.Lock()
		oldest = min(oldest, r.oldestMs(now))
		r.mu.Unlock()
	}
	readBack := p.readBack(at, oldest)

	var states []event.Event
	var spare *room
	for _, r := range rooms {
		r.mu.Lock()
		if r.changed {
			r.changed = false
			states = append(states, r.state(readBack, now))
		}
		r.mu.Unlock()
		spare = r
	}
	if len(states) == 0 && spare != nil { // the offsets go forward all the same
		spare.mu.Lock()
		states = append(states, spare.state(readBack, now))
		spare.mu.Unlock()
	}
	if err := p.publish(ctx, states); err != nil {
		p.breakOff(err)
		return err
	}
	for _, r := range rooms {
		r.mu.Lock()
		if !r.changed {
			p.park(r, now)
		}
		r.mu.Unlock()
	}
	return nil
}

// readBack adds the mark and is the newest one that is not after oldest.
func (p *partition) readBack(at mark, oldest int64) map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := p.marks[len(p.marks)-1]; at.ms-last.ms >= markEveryMs {
		p.marks = append(p.marks, at)
	}
	n := 0
	for n+1 < len(p.marks) && p.marks[n+1].ms <= oldest {
		n++
	}
	p.marks = p.marks[n:]
	return maps.Clone(p.marks[0].offsets)
}
