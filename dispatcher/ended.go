package dispatcher

import (
	"bytes"
	"slices"

	"livehost/streams"
	"livehost/streams/event"
)

// concerns are in every outcome of another stage that leaves something to do here: others
// are passed over without decoding them.
var concerns = [][]byte{[]byte(`"` + string(event.HandedOver) + `"`), []byte(`"speak_by_ms"`)}

// outcome takes danmaku that ended before they came here: what the agent left to a human,
// and who asked for what the room had just heard.
func (d *Dispatcher) outcome(p *partition, value []byte, ack streams.Ack) {
	if !slices.ContainsFunc(concerns, func(c []byte) bool { return bytes.Contains(value, c) }) {
		ack(nil)
		return
	}
	o, err := event.Decode[event.Outcome](value)
	switch {
	case err == nil && o.State == event.HandedOver && d.deps.Outlets.HandOver != nil:
		d.handOver(p, o, ack)
	case err == nil && o.State == event.Merged && o.SpeakByMs > 0:
		d.writeAgain(p, o, ack)
	default:
		ack(err)
	}
}
