package dispatcher

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"livehost/streams"
	"livehost/streams/event"
)

// past is what the log says of a partition's danmaku, as far back as a reply may
// be handed over again.
type past struct {
	outcomes  *recent[danmakuKey, struct{}]         // have their outcome
	returned  *recent[returnKey, struct{}]          // handed back to the aggregator
	delivered *recent[danmakuKey, *event.Delivery]  // last delivery before this process, by danmaku
	states    *recent[deliveryKey, *event.Delivery] // the same by delivery
	retracted *recent[danmakuKey, struct{}]         // taken back by their viewers
}

// Platforms number danmaku by room: an id means nothing without its room.
type (
	danmakuKey struct {
		room    event.RoomID
		danmaku event.DanmakuID
	}
	deliveryKey struct {
		room     event.RoomID
		delivery event.DeliveryID
	}
	returnKey struct {
		danmakuKey
		reply event.WindowID
	}
)

func newPast(cfg Config) *past {
	return &past{
		outcomes:  newRecent[danmakuKey, struct{}](cfg.Horizon),
		returned:  newRecent[returnKey, struct{}](cfg.Horizon),
		delivered: newRecent[danmakuKey, *event.Delivery](cfg.Horizon),
		states:    newRecent[deliveryKey, *event.Delivery](cfg.Horizon),
		retracted: newRecent[danmakuKey, struct{}](cfg.Horizon),
	}
}

// restore reads the partition back. Room events bring the rooms' settings, which a
// room says once and long ago; the last outcomes and deliveries what was already
// answered.
func (d *Dispatcher) restore(ctx context.Context, p *partition) error {
	next, err := read(ctx, d.deps, p.id, 0, func(e event.RoomEvent, loggedMs int64) { p.room(e.RoomID).observe(&e, loggedMs) })
	if err != nil {
		return err
	}
	p.eventsFrom = next
	span := d.deps.Clock.Wall(2 * d.cfg.Horizon) // as far back as recent remembers
	from, err := tail(ctx, d.deps.Reader, event.TopicOutcome, p.id, span, time.Now())
	if err != nil {
		return err
	}
	if _, err := read(ctx, d.deps, p.id, from, func(o event.Outcome, _ int64) {
		p.past.outcomes.put(danmakuKey{o.RoomID, o.DanmakuID}, struct{}{}, o.TimeMs)
	}); err != nil {
		return err
	}
	if from, err = tail(ctx, d.deps.Reader, event.TopicDelivery, p.id, span, time.Now()); err != nil {
		return err
	}
	if _, err := read(ctx, d.deps, p.id, from, func(dl event.Delivery, _ int64) {
		p.past.observe(&dl)
		p.room(dl.RoomID).observeDelivery(&dl)
	}); err != nil {
		return err
	}
	d.fillLedger(ctx, p)
	return nil
}

// read decodes a topic's partition from an offset on. Records that cannot be decoded were never
// ours to act on and are passed over: the group's loop dead-letters them. loggedMs is when the log took the record, in room time.
func read[E event.Event](ctx context.Context, deps Deps, partition int32, from int64, fn func(e E, loggedMs int64)) (int64, error) {
	var zero E
	next, err := deps.Reader.Read(ctx, zero.Topic(), partition, from, func(rec streams.Record) error {
		if e, err := event.Decode[E](rec.Value); err == nil {
			loggedMs := deps.Clock.Room(rec.AppendTime).UnixMilli()
			event.Stamp(&e, loggedMs)
			fn(e, loggedMs)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("dispatcher: read back %s partition %d: %w", zero.Topic(), partition, err)
	}
	return next, nil
}

func (p *past) observe(dl *event.Delivery) {
	p.remember(dl)
	if dl.StaleFact {
		for _, id := range dl.DanmakuIDs {
			p.returned.put(returnKey{danmakuKey{dl.RoomID, id}, dl.ReplyID}, struct{}{}, dl.TimeMs)
		}
	}
}

// remember replaces what the log said of a delivery and its danmaku.
func (p *past) remember(dl *event.Delivery) {
	p.states.put(deliveryKey{dl.RoomID, dl.DeliveryID}, dl, dl.TimeMs)
	for _, id := range dl.DanmakuIDs {
		p.delivered.put(danmakuKey{dl.RoomID, id}, dl, dl.TimeMs)
	}
}

// fillLedger tells the ledger what the log knows: the embedded Redis forgets. When
// it is away the partition starts all the same: speech waits for the ledger anyway,
// and what this process knows from the log it does not repeat.
func (d *Dispatcher) fillLedger(ctx context.Context, p *partition) {
	var calls errgroup.Group
	calls.SetLimit(16)
	for fill, danmaku := range p.past.claims() {
		for some := range slices.Chunk(danmaku, fillAtOnce) {
			c := Claim{Room: fill.room, Channel: fill.channel, Delivery: "of the log", Danmaku: some}
			calls.Go(func() error { return d.deps.Ledger.Finish(ctx, c, fill.state) })
		}
	}
	if err := calls.Wait(); err != nil && ctx.Err() == nil {
		d.deps.Log.Warn("ledger not filled from the log", "partition", p.id, "err", err)
	}
}

// fillAtOnce is how many danmaku one call to the ledger takes: a new owner must not wait
// for thousands of calls.
const fillAtOnce = 200

// filled is what danmaku have in common in the ledger.
type filled struct {
	room    event.RoomID
	channel string
	state   ClaimState
}

// claims is what the log says of claims.
func (p *past) claims() map[filled][]event.DanmakuID {
	out := map[filled][]event.DanmakuID{}
	for _, generation := range []map[deliveryKey]*event.Delivery{p.states.old, p.states.young} {
		for id, dl := range generation {
			if last, _ := p.states.get(id); last != dl { // it went on in the younger one
				continue
			}
			var to filled
			switch dl.State {
			case event.DeliverySent:
				to = filled{dl.RoomID, ChannelPrivate, ClaimSent}
			case event.DeliveryEnded, event.DeliveryStarted, event.DeliveryInterrupted:
				to = filled{dl.RoomID, dl.Outlet, ClaimSpoken}
			default:
				continue
			}
			out[to] = append(out[to], dl.DanmakuIDs...)
		}
	}
	return out
}
