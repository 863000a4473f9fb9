package aggregator

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// partition is the rooms of one partition number of all topics.
type partition struct {
	a      *Aggregator
	number int32
	ctx    context.Context // of what is published; ends with the partition, or with the time of its drain
	cancel context.CancelFunc

	mu      sync.Mutex
	rooms   map[event.RoomID]*room
	parked  map[event.RoomID][]byte // rooms in which nothing happens, as their room-state.v1
	offsets map[string]int64        // topic -> after the last record handled
	marks   []mark                  // oldest first, at least one
	dirty   bool                    // a checkpoint is due
	timer   *time.Timer             // of the checkpoint
	broken  error                   // state and log may differ: nothing more is handled
	closed  bool

	over atomic.Bool // broken or closed
}

// mark is how far the topics were handled at a moment.
type mark struct {
	ms      int64
	offsets map[string]int64
}

// newPartition makes a partition; what it publishes is for the assignment behind ctx,
// which it outlives.
func newPartition(ctx context.Context, a *Aggregator, number int32) *partition {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &partition{
		a: a, number: number, ctx: ctx, cancel: cancel,
		rooms: map[event.RoomID]*room{}, parked: map[event.RoomID][]byte{}, offsets: map[string]int64{},
	}
}

// room finds or makes the room.
func (p *partition) room(id event.RoomID) *room {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.find(id)
}

// find is room. Callers hold mu.
func (p *partition) find(id event.RoomID) *room {
	r := p.rooms[id]
	if r != nil {
		return r
	}
	r = newRoom(p, id)
	if state, ok := p.parked[id]; ok {
		delete(p.parked, id)
		if s, err := event.Decode[event.RoomState](state); err == nil {
			r.context.recall(s)
			r.recallClocks(s.ClocksSlowMs)
		} else {
			p.a.deps.Log.Warn("room state skipped", "room_id", id, "err", err)
		}
	}
	p.rooms[id] = r
	return r
}

// enter notes how far the record's topic is handled and is its room, locked; the caller
// unlocks it.
func (p *partition) enter(rec *streams.Record) *room {
	for {
		p.mu.Lock()
		p.seen(rec)
		r := p.find(rec.Key)
		p.mu.Unlock()
		if r.mu.Lock(); !r.parked {
			return r
		}
		r.mu.Unlock() // parked in between
	}
}

// park puts the room away when nothing is open in it and nothing has happened for
// as long as its ids are known. Callers hold the room's lock.
func (p *partition) park(r *room, nowMs int64) {
	if len(r.items) > 0 || len(r.flights) > 0 || nowMs-r.lastMs < p.a.cfg.Memory.Milliseconds() {
		return
	}
	state, err := event.Encode(r.state(map[string]int64{}, nowMs))
	if err != nil {
		return
	}
	if r.timer != nil {
		r.timer.Stop()
	}
	r.parked = true
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.rooms, r.id)
	p.parked[r.id] = state
}

// seen notes how far the topic was handled. Callers hold mu.
func (p *partition) seen(rec *streams.Record) {
	p.offsets[rec.Topic] = max(p.offsets[rec.Topic], rec.Offset+1)
	p.touch()
}

// touch arms the checkpoint. Callers hold mu.
func (p *partition) touch() {
	if p.dirty || p.closed {
		return
	}
	p.dirty = true
	p.timer = p.a.deps.Clock.AfterFunc(p.a.cfg.Checkpoint, func() {
		if err := p.checkpoint(); err != nil && p.ctx.Err() == nil {
			p.a.deps.Log.Error("room state not written", "partition", p.number, "err", err)
		}
	})
}

// with applies a record to its room, publishes what came out and acknowledges.
func (p *partition) with(rec *streams.Record, apply func(*room), ack streams.Ack) {
	r := p.enter(rec)
	defer r.mu.Unlock()
	if err := p.fault(); err != nil {
		ack(err)
		return
	}
	r.lastMs = r.moment()
	apply(r)
	r.open(r.lastMs)
	p.flush(r)
	r.schedule(r.lastMs)
}

// wake is the room's timer.
func (p *partition) wake(r *room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parked || p.over.Load() {
		return
	}
	now := r.moment()
	r.dueMs = 0
	r.open(now)
	p.flush(r)
	r.schedule(now)
}

// flush publishes the room's events, then acknowledges. When that is impossible
// the room's state is ahead of the log, so the partition handles nothing more and
// its next assignment restores it from the log.
func (p *partition) flush(r *room) {
	events, acks := r.out.events, r.out.acks
	r.out = output{events: events[:0], acks: acks[:0]}
	err := p.fault()
	if err == nil {
		r.stamp(events)
		err = p.publish(events)
	}
	if err != nil {
		p.breakOff(err)
	}
	for _, ack := range acks {
		ack(err)
	}
	p.a.spare.put(events)
	clear(events)
	clear(acks)
}

// fault is why nothing more is handled, nil while something is.
func (p *partition) fault() error {
	if !p.over.Load() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	return p.broken
}

func (p *partition) breakOff(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken == nil {
		// A retry of this one record would find state that has moved on.
		kind := fault.Internal
		if p.closed || p.ctx.Err() != nil || fault.KindOf(err) == fault.Canceled {
			kind = fault.Canceled
		}
		p.broken = fault.Errorf(kind, "aggregator: partition %d broke off: %v", p.number, err)
		p.over.Store(true)
	}
}

// publish tries until the log has the events, the partition ends or the error is
// not one that passes. Backing off is wall time: it waits for a server.
func (p *partition) publish(events []event.Event) error {
	if len(events) == 0 {
		return nil
	}
	const first, longest = 50 * time.Millisecond, 2 * time.Second
	for wait := first; ; wait = min(2*wait, longest) {
		err := p.a.deps.Publisher.Publish(p.ctx, events...)
		if err == nil {
			return nil
		}
		if k := fault.KindOf(err); k != fault.Unavailable && k != fault.Exhausted {
			return err
		}
		p.a.deps.Log.Warn("log is away, publishing again", "partition", p.number, "err", err)
		select {
		case <-time.After(max(wait, fault.RetryAfter(err))):
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
}

// close stops the timers and lets go of what is unfinished.
func (p *partition) close() {
	p.mu.Lock()
	p.closed = true
	p.over.Store(true)
	p.cancel()
	if p.timer != nil {
		p.timer.Stop()
	}
	rooms := make([]*room, 0, len(p.rooms))
	for _, r := range p.rooms {
		rooms = append(rooms, r)
	}
	p.mu.Unlock()
	for _, r := range rooms {
		r.mu.Lock() // waits for a timer under way
		r.release(errClosed)
		r.mu.Unlock()
	}
}
