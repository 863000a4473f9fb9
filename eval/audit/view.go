package audit

import (
	"slices"
	"time"

	"livehost/streams/event"
)

// maxChain bounds how many covers are followed from one merged danmaku.
const maxChain = 16

// Key names a danmaku: its id is the platform's, unique in a room and not beyond.
type Key struct {
	Room event.RoomID
	ID   event.DanmakuID
}

// View is a log with repeated records taken together and joined by id.
type View struct {
	log        *Log
	keys       []Key // of the accepted danmaku, in order of first append
	fates      map[Key]*fate
	windows    map[event.WindowID]*event.Window
	replies    map[event.RunID]*Entry[event.Reply]
	utterances []*utterance // in order of first record
	hits       map[string]event.GuardrailHit
}

// fate is everything that happened to one danmaku.
type fate struct {
	accepted *Entry[event.Danmaku] // nil: an outcome of a danmaku nobody sent
	states   []event.State         // distinct, in order
	outcome  *event.Outcome        // the first; nil without one
	member   *event.Member         // in its first window; nil when never admitted
	window   *event.Window
	heard    []*utterance // deliveries that reached somebody
}

// utterance is one delivery: all records with its id.
type utterance struct {
	event.Delivery                       // the last record
	first, end     int64                 // first audio and end in room time, 0 when unknown
	starts         map[[2]int64]bool     // distinct ones
	states         []event.DeliveryState // since it was last cancelled
}

// reached reports whether somebody heard or got any of it. One that only
// started may have been heard before the process died, unless it says otherwise.
func (u *utterance) reached() bool {
	if u.has(event.DeliveryEnded) || u.has(event.DeliverySent) || u.has(event.DeliveryInterrupted) {
		return true
	}
	return u.has(event.DeliveryStarted) && !u.has(event.DeliverySkipped)
}

func (u *utterance) has(s event.DeliveryState) bool { return slices.Contains(u.states, s) }

// NewView joins a sorted log.
func NewView(l *Log) *View {
	v := &View{
		log: l, fates: map[Key]*fate{}, windows: map[event.WindowID]*event.Window{},
		replies: map[event.RunID]*Entry[event.Reply]{}, hits: map[string]event.GuardrailHit{},
	}
	for i := range l.Danmaku {
		key := Key{l.Danmaku[i].V.RoomID, l.Danmaku[i].V.DanmakuID}
		if f := v.fate(key); f.accepted == nil {
			f.accepted = &l.Danmaku[i]
			v.keys = append(v.keys, key)
		}
	}
	for i := range l.Windows {
		v.addWindow(&l.Windows[i].V)
	}
	for i := range l.Replies {
		if run := l.Replies[i].V.RunID; v.replies[run] == nil {
			v.replies[run] = &l.Replies[i]
		}
	}
	v.addDeliveries()
	for i := range l.Outcomes {
		o := &l.Outcomes[i].V
		f := v.fate(Key{o.RoomID, o.DanmakuID})
		if f.outcome == nil {
			f.outcome = o
		}
		if !slices.Contains(f.states, o.State) {
			f.states = append(f.states, o.State)
		}
	}
	for _, h := range l.Hits {
		v.hits[h.V.HitID] = h.V
	}
	return v
}

func (v *View) fate(key Key) *fate {
	f := v.fates[key]
	if f == nil {
		f = &fate{}
		v.fates[key] = f
	}
	return f
}

func (v *View) addWindow(w *event.Window) {
	if v.windows[w.WindowID] != nil {
		return
	}
	v.windows[w.WindowID] = w
	for i := range w.Members {
		if f := v.fate(Key{w.RoomID, w.Members[i].DanmakuID}); f.member == nil {
			f.member, f.window = &w.Members[i], w
		}
	}
}

func (v *View) addDeliveries() {
	byID := map[event.DeliveryID]*utterance{}
	for _, d := range v.log.Deliveries {
		u := byID[d.V.DeliveryID]
		if u == nil {
			u = &utterance{starts: map[[2]int64]bool{}}
			byID[d.V.DeliveryID] = u
			v.utterances = append(v.utterances, u)
		}
		u.Delivery = d.V
		if d.V.State == event.DeliveryCancelled { // nothing of it was heard; it may begin anew
			u.first, u.end, u.states = 0, 0, nil
			clear(u.starts)
		}
		u.states = append(u.states, d.V.State)
		if d.V.FirstAudioMs > 0 {
			u.first = d.V.FirstAudioMs
		}
		if d.V.EndMs > 0 {
			u.end = d.V.EndMs
		}
		if d.V.State == event.DeliveryStarted {
			u.starts[[2]int64{d.V.FirstAudioMs, d.V.TimeMs}] = true
		}
	}
	for _, u := range v.utterances {
		if !u.reached() {
			continue
		}
		for _, id := range u.DanmakuIDs {
			if f := v.fate(Key{u.RoomID, id}); !slices.Contains(f.heard, u) {
				f.heard = append(f.heard, u)
			}
		}
	}
}

// Named lists the accepted danmaku with an id, one of each room that has it, in order.
func (v *View) Named(id event.DanmakuID) []Key {
	var out []Key
	for _, key := range v.keys {
		if key.ID == id {
			out = append(out, key)
		}
	}
	return out
}

// Outcome is the terminal state of a danmaku, false when it has none.
func (v *View) Outcome(key Key) (event.Outcome, bool) {
	f := v.fates[key]
	if f == nil || f.outcome == nil {
		return event.Outcome{}, false
	}
	return *f.outcome, true
}

// Heard is what the danmaku's viewer heard or was sent in answer to it: the
// deliveries that name it, or those of the danmaku that covers it when it was merged.
func (v *View) Heard(key Key) []event.Delivery {
	var out []event.Delivery
	for _, u := range v.answers(key) {
		out = append(out, u.Delivery)
	}
	return out
}

func (v *View) answers(key Key) []*utterance {
	for range maxChain {
		f := v.fates[key]
		if f == nil || len(f.heard) > 0 {
			return f.utterances()
		}
		if f.outcome == nil || f.outcome.State != event.Merged || f.outcome.CoverID == "" {
			return nil
		}
		key.ID = f.outcome.CoverID
	}
	return nil
}

func (f *fate) utterances() []*utterance {
	if f == nil {
		return nil
	}
	return f.heard
}

// reply is the earliest reply.v1 behind what answers the danmaku, nil without one.
func (v *View) reply(key Key) *Entry[event.Reply] {
	var best *Entry[event.Reply]
	for _, u := range v.answers(key) {
		if r := v.replies[u.RunID]; r != nil && (best == nil || r.Wall.Before(best.Wall)) {
			best = r
		}
	}
	return best
}

// NotInRoom reports whether the viewer was told that the product is not in this room.
func (v *View) NotInRoom(key Key) bool {
	for _, u := range v.fates[key].utterances() {
		if r := v.replies[u.RunID]; r != nil && slices.Contains(r.V.NotInRoom, key.ID) {
			return true
		}
	}
	return false
}

// Hits counts the times each guardrail rule fired.
func (v *View) Hits() map[string]int {
	n := map[string]int{}
	for _, h := range v.hits {
		n[h.Rule]++
	}
	return n
}

// Modes counts the danmaku windows of each mode.
func (v *View) Modes() map[event.Mode]int {
	n := map[event.Mode]int{}
	for _, w := range v.windows {
		if w.Kind == event.DanmakuWindow {
			n[w.Mode]++
		}
	}
	return n
}

// platformMs is the danmaku's corrected platform time. A stage may correct it,
// but not to after its arrival (room maps wall to room time; nil: unknown).
func (f *fate) platformMs(room func(time.Time) time.Time) int64 {
	ms := f.accepted.V.PlatformTimeMs
	switch {
	case f.member != nil && f.member.PlatformMs > 0:
		ms = f.member.PlatformMs
	case f.outcome != nil && f.outcome.PlatformMs > 0:
		ms = f.outcome.PlatformMs
	}
	if room != nil {
		ms = min(ms, room(f.accepted.Wall.Add(time.Millisecond)).UnixMilli()) // append times are whole milliseconds
	}
	return ms
}

// variant is the arm the danmaku's viewer is in, "" when nothing says.
func (f *fate) variant() event.Variant {
	switch {
	case f.window != nil:
		return f.window.Variant
	case f.outcome != nil:
		return f.outcome.Variant
	default:
		return ""
	}
}
