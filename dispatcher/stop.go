package dispatcher

import (
	"context"
	"errors"
	"slices"

	"livehost/streams/event"
)

// Stop is an operator's word that a voice is to be silent. Room and Variant both empty:
// every voice; one of them set: that room's, or what that variant says in any room.
// Private text goes on.
type Stop struct {
	Room    event.RoomID  `json:"room,omitempty"`
	Variant event.Variant `json:"variant,omitempty"`
	Reason  string        `json:"reason"`
	By      string        `json:"by,omitempty"`
	SinceMs int64         `json:"since_ms"` // wall time
}

func (s Stop) covers(room event.RoomID, variant event.Variant) bool {
	switch {
	case s.Room != "":
		return s.Room == room
	case s.Variant != "":
		return s.Variant == variant
	}
	return true
}

// Switch is where operators stop voices and let them speak again.
type Switch interface {
	// Watch calls changed with all stops in force, at once and within half a second of
	// wall time of each change, until ctx ends. While it cannot know, what it said last
	// stays in force.
	Watch(ctx context.Context, changed func([]Stop))
}

// errVoiceStopped is the cause that ends speech when its voice is stopped.
var errVoiceStopped = errors.New("the voice was stopped")

// followSwitch applies the switch until ctx ends.
func (d *Dispatcher) followSwitch(ctx context.Context) {
	if d.deps.Switch == nil {
		<-ctx.Done()
		return
	}
	d.deps.Switch.Watch(ctx, func(stops []Stop) {
		if have := d.stops.Load(); have != nil && slices.Equal(*have, stops) {
			return
		}
		d.stops.Store(&stops)
		d.deps.Log.Info("voice stops changed", "stops", len(stops))
		d.silence()
	})
}

// silence interrupts and empties every voice that is stopped.
func (d *Dispatcher) silence() {
	d.mu.Lock()
	var rooms []*room
	for _, p := range d.partitions {
		p.mu.Lock()
		for _, rm := range p.rooms {
			rooms = append(rooms, rm)
		}
		p.mu.Unlock()
	}
	d.mu.Unlock()
	for _, rm := range rooms {
		if !rm.p.enter() {
			continue
		}
		d.carryOut(rm, d.locked(rm, rm.silence))
		rm.p.work.Done()
	}
}

// silence is the room's part of it. Speech that has begun ends here and now.
func (rm *room) silence(pl *plan, nowMs int64) {
	if rm.now != nil && rm.hush != nil && rm.muted(&rm.now.job.reply) {
		rm.hush(errVoiceStopped)
	}
	for _, it := range rm.queue.Take(func(q queued) bool { return rm.muted(&q.Value.job.reply) }) {
		rm.mute(pl, it, nowMs)
	}
}

// muted reports whether the reply must not be spoken.
func (rm *room) muted(reply *event.Reply) bool {
	stops := rm.d.stops.Load()
	return stops != nil && slices.ContainsFunc(*stops, func(s Stop) bool { return s.covers(rm.id, reply.Variant) })
}

// mute ends an item whose voice is stopped: in writing where that is possible.
func (rm *room) mute(pl *plan, it *item, nowMs int64) {
	rm.cancel(pl, it, reasonVoiceStopped, nowMs) // followers find their own way
	for _, o := range it.owed {
		rm.written(pl, o, event.Suppressed, reasonVoiceStopped, nowMs)
	}
	it.owed = nil
}

// written sends the answer to its asker, or ends the danmaku where that is impossible.
func (rm *room) written(pl *plan, o *owed, state event.State, reason string, nowMs int64) {
	if !rm.privately(pl, o, nowMs) {
		pl.end(o, state, reason)
	}
}
