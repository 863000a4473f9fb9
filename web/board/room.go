package board

import (
	"cmp"
	"slices"

	"livehost/streams/event"
)

// Room is how a room stands.
type Room struct {
	ID       event.RoomID
	Open     bool
	HostName string
	Mode     event.Mode
	Focus    event.LinkID
	Speaking *event.Delivery // the public answer that is being spoken
	QueuedMs int64           // speech that had yet to be heard, at AsOfMs
	AsOfMs   int64           // room time of the latest delivery event
	LastMs   int64           // room time of its latest event

	openedMs int64
}

// maxRooms bounds how many rooms are remembered: those with the latest events.
const maxRooms = 500

func (b *Board) room(id event.RoomID, atMs int64) *Room {
	r, ok := b.rooms[id]
	if !ok {
		if len(b.rooms) >= maxRooms {
			b.forgetRoom()
		}
		r = &Room{ID: id}
		b.rooms[id] = r
	}
	r.LastMs = max(r.LastMs, atMs)
	return r
}

func (b *Board) forgetRoom() {
	var oldest *Room
	for _, r := range b.rooms {
		if oldest == nil || r.LastMs < oldest.LastMs {
			oldest = r
		}
	}
	delete(b.rooms, oldest.ID)
}

func (b *Board) roomEvent(e event.RoomEvent) {
	r := b.room(e.RoomID, e.TimeMs)
	switch e.Kind {
	case event.RoomOpened:
		r.Open, r.openedMs = true, max(r.openedMs, e.TimeMs)
	case event.RoomClosed:
		if e.TimeMs < r.openedMs {
			return // of the broadcast before, late or played again
		}
		r.Open, r.Speaking, r.QueuedMs = false, nil, 0
	case event.ProductInFocus:
		r.Focus = e.LinkID
	}
	if e.Settings != nil && e.Settings.HostName != "" {
		r.HostName = e.Settings.HostName
	}
}

func (r *Room) delivered(e event.Delivery) {
	r.QueuedMs, r.AsOfMs = e.SpeechQueuedMs, e.TimeMs
	if e.Channel != event.Public {
		return
	}
	switch {
	case e.State == event.DeliveryStarted:
		r.Speaking = &e
	case r.Speaking != nil && r.Speaking.DeliveryID == e.DeliveryID:
		r.Speaking = nil
	}
}

// Summary is the counters over the rows that match, and the rooms.
type Summary struct {
	Danmaku  int
	Pending  int
	ByState  map[event.State]int
	Late     int // expired, or replied to after 15 s
	Conflict int
	Rooms    []Room          // latest events first
	Variants []event.Variant // seen, in order
}

const answerMs = 15_000

// Summary counts the rows that match f; rooms and variants are those of all rows.
func (b *Board) Summary(f Filter) Summary {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Summary{ByState: map[event.State]int{}}
	for _, r := range b.rows.order {
		row := r.brief()
		if v := row.Variant(); v != "" && !slices.Contains(s.Variants, v) {
			s.Variants = append(s.Variants, v)
		}
		if !f.Match(row) {
			continue
		}
		s.Danmaku++
		if row.Conflict {
			s.Conflict++
		}
		o := row.Outcome
		if o == nil {
			s.Pending++
			continue
		}
		s.ByState[o.State]++
		if o.State == event.Expired || o.ReplyMs > row.AskedMs+answerMs {
			s.Late++
		}
	}
	slices.Sort(s.Variants)
	for _, r := range b.rooms {
		s.Rooms = append(s.Rooms, *r)
	}
	slices.SortFunc(s.Rooms, func(a, b Room) int { return cmp.Or(cmp.Compare(b.LastMs, a.LastMs), cmp.Compare(a.ID, b.ID)) })
	return s
}

// brief is the row as far as filters and counters need it.
func (r *row) brief() Row {
	out := r.data
	for _, w := range r.windows {
		out.Asks = append(out.Asks, Ask{Variant: w.data.Variant, OpenedMs: w.data.OpenedMs})
	}
	return out
}
