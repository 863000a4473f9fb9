package dispatcher

import (
	"bytes"
	"time"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// handedOver is in every outcome that concerns the hand-over outlet: others are passed
// over without decoding them.
var handedOver = []byte(`"` + string(event.HandedOver) + `"`)

// outcome takes what the agent left to a human to the room's hand-over outlet. Its
// danmaku ended before it came here.
func (d *Dispatcher) outcome(p *partition, value []byte, ack streams.Ack) {
	if d.deps.Outlets.HandOver == nil || !bytes.Contains(value, handedOver) {
		ack(nil)
		return
	}
	o, err := event.Decode[event.Outcome](value)
	if err != nil || o.State != event.HandedOver {
		ack(err)
		return
	}
	deadline := o.TimeMs + d.cfg.HandOverWithin.Milliseconds()
	if d.deps.Clock.NowMs() > deadline { // an old log, read for the first time
		ack(nil)
		return
	}
	h := HandOver{
		RoomID: o.RoomID, DanmakuID: o.DanmakuID, ViewerID: o.ViewerID, Intent: o.Intent, Reason: o.Reason,
		WindowID: o.WindowID, PlatformMs: o.PlatformMs,
	}
	p.work.Go(func() {
		ctx, cancel := d.deps.Clock.WithDeadline(p.ctx, time.UnixMilli(deadline))
		defer cancel()
		err := p.retry(ctx, "hand over", func() error { return d.deps.Outlets.HandOver.HandOver(ctx, h) })
		switch {
		case err == nil || fault.KindOf(err) == fault.Conflict:
			ack(nil)
		case p.isDraining():
			ack(errNotOurs)
		default:
			d.deps.Log.Error("nobody was told of a hand-over", "room_id", h.RoomID, "danmaku_id", h.DanmakuID, "err", err)
			ack(nil)
		}
	})
}
