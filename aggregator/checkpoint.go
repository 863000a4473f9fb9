package aggregator

import (
	"maps"

	"livehost/streams/event"
)

// markEveryMs is the room time between two marks: the finer, the less is read back.
const markEveryMs = 30_000

// checkpoint writes room-state.v1 of the rooms that changed. The offsets in it lie
// before everything that a restart has to know again: ids within the memory, danmaku
// that are still unfinished, and answers that still cover the same question.
func (p *partition) checkpoint() error {
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

	unfinished := now
	for _, r := range rooms {
		r.mu.Lock()
		unfinished = min(unfinished, r.oldestMs(now))
		r.mu.Unlock()
	}
	readBack := p.readBack(at, unfinished)

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
	if err := p.publish(states); err != nil {
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

// known are the topics that are read back for as long as ids are known: who ended,
// and who was retracted before it came. Of the others the rooms' states hold what
// matters, but for what is unfinished or still covers the same question.
var known = []string{event.TopicOutcome, event.TopicRoomEvent}

// readBack adds the mark and says from where on each topic is read at a restart, when
// the oldest unfinished danmaku came at unfinished.
func (p *partition) readBack(at mark, unfinished int64) map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := p.marks[len(p.marks)-1]; at.ms-last.ms >= markEveryMs {
		p.marks = append(p.marks, at)
	}
	cfg := &p.a.cfg
	ids := p.before(min(unfinished, at.ms-cfg.Memory.Milliseconds()))
	rest := p.before(min(unfinished, at.ms-cfg.settled().Milliseconds()))
	offsets := maps.Clone(p.marks[rest].offsets)
	for _, topic := range known {
		offsets[topic] = p.marks[ids].offsets[topic]
	}
	p.marks = p.marks[ids:]
	return offsets
}

// before is the newest mark that is not after ms, the first when all are.
func (p *partition) before(ms int64) int {
	n := 0
	for n+1 < len(p.marks) && p.marks[n+1].ms <= ms {
		n++
	}
	return n
}
