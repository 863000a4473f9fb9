package aggregator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"livehost/aggregator/cluster"
	"livehost/streams"
	"livehost/streams/event"
)

// restore makes the partition's rooms from the log: their last room-state.v1, then
// what was written since the offsets in it. The topics are read one after the
// other; each kind of record is understood without the order between topics, and
// what is handed over again afterwards changes nothing.
func (p *partition) restore(ctx context.Context) error {
	readBack, err := p.recall(ctx)
	if err != nil {
		return err
	}
	p.marks = []mark{{ms: 0, offsets: readBack}}
	for _, step := range []struct {
		topic string
		apply func(*room, streams.Record) error
	}{
		{event.TopicRoomEvent, restored(decodeRoomEvent, (*room).restoreEvent)},
		{event.TopicOrder, restored(decodeOrder, (*room).restoreOrder)},
		{event.TopicWindow, restored(event.Decode, (*room).restoreWindow)},
		{event.TopicReply, restored(event.DecodeInPlace, (*room).restoreReply)},
		{event.TopicDelivery, restored(event.DecodeInPlace, (*room).restoreDelivery)},
		{event.TopicOutcome, restored(event.DecodeInPlace, (*room).restoreOutcome)},
	} {
		end, err := p.a.deps.Reader.Read(ctx, step.topic, p.number, readBack[step.topic], func(rec streams.Record) error {
			return step.apply(p.room(rec.Key), rec)
		})
		if err != nil {
			return fmt.Errorf("read back %s: %w", step.topic, err)
		}
		p.offsets[step.topic] = end
	}
	for _, r := range p.rooms {
		r.mu.Lock()
		p.a.stats.restored.Add(int64(len(r.items)))
		r.lastMs = r.moment()
		r.settleRestored()
		if len(r.waiting) > 0 {
			r.arm(r.lastMs, r.lastMs)
		} else {
			r.schedule(r.lastMs)
		}
		r.mu.Unlock()
	}
	return nil
}

// recall parks the rooms with their last state, and says where to read on from.
func (p *partition) recall(ctx context.Context) (map[string]int64, error) {
	last := event.RoomState{ReadBack: map[string]int64{}}
	_, err := p.a.deps.Reader.Read(ctx, event.TopicRoomState, p.number, 0, func(rec streams.Record) error {
		if len(rec.Value) == 0 { // a tombstone: somebody wants the room forgotten
			delete(p.parked, rec.Key)
			return nil
		}
		s, err := event.Decode[event.RoomState](rec.Value)
		if err != nil {
			p.a.deps.Log.Warn("room state skipped", "room_id", rec.Key, "err", err)
			return nil
		}
		p.parked[rec.Key] = slices.Clone(rec.Value)
		if s.TimeMs >= last.TimeMs {
			last = s
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", event.TopicRoomState, err)
	}
	return last.ReadBack, nil
}

// restored decodes; a record that cannot be decoded was dead-lettered when it was
// handled.
func restored[E event.Event](decode func([]byte) (E, error), fn func(*room, E, time.Time)) func(*room, streams.Record) error {
	return func(r *room, rec streams.Record) error {
		if e, err := decode(rec.Value); err == nil && e.Key() == rec.Key {
			fn(r, e, rec.AppendTime)
		}
		return nil
	}
}

func (r *room) restoreEvent(e event.RoomEvent, appended time.Time) {
	e.TimeMs = r.corrected(e.Source, e.TimeMs, appended)
	r.outdated.note(e, r.concerns(e), r.p.a.deps.Clock.Room(appended).UnixMilli())
	r.context.apply(e)
	if e.Kind == event.DanmakuRetracted {
		r.gone.add(string(e.DanmakuID), r.nowMs())
	}
}

func (r *room) restoreOrder(o event.Order, _ time.Time) {
	if o.Status == event.OrderPaid || o.Status == event.OrderConfirmed {
		r.context.paid(o.ViewerID)
	}
}

func (r *room) restoreWindow(w opened, _ time.Time) {
	f := &flight{
		window: w.WindowID, variant: w.Variant, event: w.Kind == event.EventWindow, chat: w.Class >= event.ClassChat, openedMs: w.OpenedMs, earliestMs: w.EarliestMs,
	}
	r.launch(f)
	if air := &r.context.air; air.Follows(w.BroadcastID, w.EarliestMs) { // no event said so
		air.Is(w.BroadcastID)
		r.context.begin("")
	}
	if w.Event != nil {
		r.thanks.lastMs = max(r.thanks.lastMs, w.OpenedMs)
		r.thanks.seen[r.thanks.n%thanksRing] = w.Event.EventID
		r.thanks.n++
	}
	for _, m := range w.Members {
		it := r.items[m.DanmakuID]
		if it == nil {
			it = &item{variant: Assignment{Experiment: w.Experiment, Version: w.ExperimentVersion, Variant: w.Variant}}
			r.items[m.DanmakuID] = it
		} else if it.window != w.WindowID {
			if old := r.flight(it.window); old != nil {
				r.leave(old, m.DanmakuID)
			}
			if m.Ask == it.member.Ask { // a reply gave it back
				it.returned++
			}
		}
		if it.window != w.WindowID {
			it.windows++
		}
		it.member, it.window, it.place, it.broadcast = m, w.WindowID, flying, w.BroadcastID
		f.open = append(f.open, m.DanmakuID)
		if q := it.question(); r.covers[q] == nil {
			r.covers[q] = it
		}
	}
}

func (r *room) restoreReply(e reply, _ time.Time) {
	if f := r.flight(e.ReplyID); f != nil {
		f.replied = true
		r.runs.Observe(e.CreatedMs - f.openedMs)
		r.land(f)
	}
	for _, id := range e.NotCovered {
		if it := r.items[id]; it != nil && it.place == flying && it.window == e.ReplyID {
			it.returned++
			r.restoreWaiting(it, event.Shed, reasonNotCovered, it.returned == 1)
		}
	}
}

func (r *room) restoreDelivery(d delivery, _ time.Time) {
	r.delivered(d, func(it *item, first bool) { r.restoreWaiting(it, event.Expired, reasonStaleFact, first) })
}

// restoreWaiting puts back who waits for another window or, when it may not, for
// an outcome that is not in the log.
func (r *room) restoreWaiting(it *item, state event.State, reason string, again bool) {
	if f := r.flight(it.window); f != nil {
		r.leave(f, it.member.DanmakuID)
	}
	it.place = waiting
	if !again {
		it.doom = &verdict{state, reason}
	}
	r.waiting = append(r.waiting, it)
}

// restoreOutcome ends a danmaku. What was ended long ago covers nobody any more:
// it is not read again.
func (r *room) restoreOutcome(o event.Outcome, _ time.Time) {
	if it := r.items[o.DanmakuID]; it != nil && r.nowMs()-o.TimeMs < max(r.cfg().CoolDown, r.cfg().ChatCoolDown).Milliseconds() {
		r.readAgain(it)
	}
	r.onOutcome(o)
	r.out = output{} // nothing has joined yet, and nothing is to be acknowledged
}

// settleRestored ends what was retracted while it waits, or waits since the broadcast
// before. Everything else is done at the room's first moment.
func (r *room) settleRestored() {
	for _, it := range r.items {
		if r.readAgain(it); it.stale && r.covers[it.question()] == it {
			delete(r.covers, it.question())
		}
	}
	for _, it := range r.waiting {
		switch {
		case r.gone.has(string(it.member.DanmakuID)):
			it.doom = &verdict{event.Retracted, reasonRetracted}
		case it.doom == nil && r.ofBefore(it):
			it.doom = &verdict{event.Shed, reasonClosed}
		}
	}
	r.outdated = outdated{}
}

// outdated is since when answers are wrong, as a restore reads it before the windows.
type outdated struct {
	links    map[event.LinkID]int64
	wordedMs int64
	allMs    int64
}

// note takes an event and what it concerns. The room's state may be of after it: a
// listing may have changed what it does not change again, and a product that was
// delisted has no links any more.
func (o *outdated) note(e event.RoomEvent, about concern, ms int64) {
	links := about.links
	switch {
	case e.Kind == event.ProductListed:
		links = append(links, e.LinkID)
	case e.Kind == event.ProductDelisted && len(links) == 0:
		o.allMs = ms
	}
	if about.worded || e.Kind == event.ProductListed {
		o.wordedMs = ms
	}
	if len(links) > 0 && o.links == nil {
		o.links = map[event.LinkID]int64{}
	}
	for _, link := range links {
		o.links[link] = ms
	}
}

// readAgain understands a danmaku from its window's record, and whether its answer is
// about what has changed since the window opened: a fact, or the broadcast.
func (r *room) readAgain(it *item) {
	m := it.member
	it.reading = cluster.Read(cluster.Asked{
		DanmakuID: m.DanmakuID, ViewerID: m.ViewerID, Question: m.Question, Language: m.Language, Focus: m.FocusLink,
	})
	if f := r.flight(it.window); f != nil && it.place == flying {
		it.stale = f.openedMs < max(r.context.air.OpenedMs, r.outdated.allMs, r.outdated.links[it.reading.Link]) ||
			it.reading.Worded && f.openedMs < r.outdated.wordedMs
	}
}
