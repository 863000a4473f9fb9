package dispatcher

import (
	"context"
	"fmt"

	"livehost/streams"
	"livehost/streams/event"
)

// past is what the log says of a partition's danmaku, as far back as a reply may
// be handed over again.
type past struct {
	outcomes  *recent[event.DanmakuID, struct{}]         // have their outcome
	returned  *recent[returnKey, struct{}]               // handed back to the aggregator
	delivered *recent[event.DanmakuID, *event.Delivery]  // last delivery before this process, by danmaku
	states    *recent[event.DeliveryID, *event.Delivery] // the same by delivery
	retracted *recent[event.DanmakuID, struct{}]         // taken back by their viewers
}

type returnKey struct {
	reply   event.WindowID
	danmaku event.DanmakuID
}

func newPast(cfg Config) *past {
	return &past{
		outcomes:  newRecent[event.DanmakuID, struct{}](cfg.Horizon),
		returned:  newRecent[returnKey, struct{}](cfg.Horizon),
		delivered: newRecent[event.DanmakuID, *event.Delivery](cfg.Horizon),
		states:    newRecent[event.DeliveryID, *event.Delivery](cfg.Horizon),
		retracted: newRecent[event.DanmakuID, struct{}](cfg.Horizon),
	}
}

// restore reads the partition back. Room events bring the rooms' settings,
// outcomes and deliveries what was already answered.
func (d *Dispatcher) restore(ctx context.Context, p *partition) error {
	next, err := read(ctx, d.deps.Reader, p.id, func(e event.RoomEvent) { p.room(e.RoomID).observe(&e) })
	if err != nil {
		return err
	}
	p.eventsFrom = next
	if _, err := read(ctx, d.deps.Reader, p.id, func(o event.Outcome) { p.past.outcomes.put(o.DanmakuID, struct{}{}, o.TimeMs) }); err != nil {
		return err
	}
	if _, err := read(ctx, d.deps.Reader, p.id, func(dl event.Delivery) {
		p.past.observe(&dl)
		p.room(dl.RoomID).observeDelivery(&dl)
	}); err != nil {
		return err
	}
	return d.fillLedger(ctx, p)
}

// read decodes a topic's partition. Records that cannot be decoded were never
// ours to act on and are passed over: the group's loop dead-letters them.
func read[E event.Event](ctx context.Context, r streams.Reader, partition int32, fn func(E)) (int64, error) {
	var zero E
	next, err := r.Read(ctx, zero.Topic(), partition, 0, func(rec streams.Record) error {
		if e, err := event.Decode[E](rec.Value); err == nil {
			fn(e)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("dispatcher: read back %s partition %d: %w", zero.Topic(), partition, err)
	}
	return next, nil
}

func (p *past) observe(dl *event.Delivery) {
	p.states.put(dl.DeliveryID, dl, dl.TimeMs)
	for _, id := range dl.DanmakuIDs {
		p.delivered.put(id, dl, dl.TimeMs)
		if dl.StaleFact {
			p.returned.put(returnKey{dl.ReplyID, id}, struct{}{}, dl.TimeMs)
		}
	}
}

// fillLedger tells the ledger what the log knows: the embedded Redis forgets.
func (d *Dispatcher) fillLedger(ctx context.Context, p *partition) error {
	for _, generation := range []map[event.DeliveryID]*event.Delivery{p.past.states.old, p.past.states.young} {
		for _, dl := range generation {
			state, channel := ClaimSpoken, dl.Outlet
			switch dl.State {
			case event.DeliverySent:
				state, channel = ClaimSent, ChannelPrivate
			case event.DeliveryEnded, event.DeliveryStarted, event.DeliveryInterrupted:
			default:
				continue
			}
			c := Claim{Room: dl.RoomID, Channel: channel, Delivery: dl.DeliveryID, Danmaku: dl.DanmakuIDs}
			if len(c.Danmaku) == 0 {
				continue
			}
			if err := d.deps.Ledger.Finish(ctx, c, state); err != nil {
				return fmt.Errorf("dispatcher: fill ledger of partition %d: %w", p.id, err)
			}
		}
	}
	return nil
}
