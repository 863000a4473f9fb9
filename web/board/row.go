package board

import (
	"net/url"
	"slices"

	"livehost/streams/event"
)

// Row is what is known of one danmaku.
type Row struct {
	ID       event.DanmakuID
	Room     event.RoomID
	Viewer   string // display name, else the id; empty: hidden by the platform
	Text     string
	Host     bool
	AskedMs  int64 // platform time, corrected once a stage has said so
	Asks     []Ask // its windows, oldest first
	Hits     []event.GuardrailHit
	Outcome  *event.Outcome
	Conflict bool // another outcome with a different state was seen
	Version  uint64
}

// Ask is one window that the danmaku was placed in, and what came of it.
type Ask struct {
	Window   event.WindowID
	Run      event.RunID
	Mode     event.Mode
	Members  int
	Variant  event.Variant
	Intent   string
	OpenedMs int64
	Said     *Said
	Heard    []event.Delivery // those that concern the danmaku, in their latest state
}

// Said is a run's reply, as far as it concerns the danmaku.
type Said struct {
	Text     string // empty: the reply does not cover it
	Channel  event.Channel
	Fallback string
	AtMs     int64
	RunMs    int64
}

// Key names the row in a page: ids of platforms hold any character, and a browser
// changes some of them.
func (r Row) Key() string {
	return url.QueryEscape(string(r.Room)) + "/" + url.QueryEscape(string(r.ID))
}

// Variant is that of the latest window, else what the outcome says.
func (r Row) Variant() event.Variant {
	if n := len(r.Asks); n > 0 && r.Asks[n-1].Variant != "" {
		return r.Asks[n-1].Variant
	}
	if r.Outcome != nil {
		return r.Outcome.Variant
	}
	return ""
}

// Ended is the terminal state, empty while there is none.
func (r Row) Ended() event.State {
	if r.Outcome == nil {
		return ""
	}
	return r.Outcome.State
}

// The outcomes a Filter knows beside the terminal states.
const (
	Pending   = "pending"    // no outcome yet
	NotServed = "not_served" // ended, neither answered nor merged
)

// Filter is which danmaku; empty fields do not restrict.
type Filter struct {
	Room    event.RoomID
	Variant event.Variant
	Outcome string // Pending, NotServed or a terminal state
}

// Match reports whether the row is wanted.
func (f Filter) Match(r Row) bool {
	if f.Room != "" && f.Room != r.Room || f.Variant != "" && f.Variant != r.Variant() {
		return false
	}
	ended := r.Ended()
	switch f.Outcome {
	case "":
		return true
	case Pending:
		return ended == ""
	case NotServed:
		return ended != "" && ended != event.Answered && ended != event.Merged
	}
	return string(ended) == f.Outcome
}

// row is the board's own, changing row.
type row struct {
	at      int64 // orders the rows; fixed when the row is made
	data    Row
	windows []*window
	known   bool // the danmaku itself was seen
}

func (r *row) key() key { return keyOf(r.data.Room, r.data.ID) }

func (r *row) link(w *window) {
	if slices.Contains(r.windows, w) {
		return
	}
	r.windows = append(r.windows, w)
	w.rows[r.key()] = true
}

// copy is the row with its windows as they are now.
func (r *row) copy() Row {
	out := r.data
	out.Hits = slices.Clone(r.data.Hits)
	for _, w := range r.windows {
		out.Asks = append(out.Asks, w.ask(r.data.ID))
		out.Hits = append(out.Hits, w.hits...)
	}
	slices.SortStableFunc(out.Asks, func(a, b Ask) int { return int(a.OpenedMs - b.OpenedMs) })
	return out
}
