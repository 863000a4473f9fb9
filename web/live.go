package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"livehost/internal/clock"
	"livehost/streams/event"
	"livehost/web/board"
)

const (
	// rowsShown is how many danmaku one live page shows.
	rowsShown = 200
	// streamEvery is the least time between two messages of one stream: what
	// happens faster comes together.
	streamEvery = 200 * time.Millisecond
	// tickEvery is how often a stream says where the room is although nothing
	// happened: the speech queue runs down, and a client that is gone is noticed.
	tickEvery = 5 * time.Second
	// writeTimeout ends a stream whose client takes nothing.
	writeTimeout = 10 * time.Second
)

// liveView is the body of the live page.
type liveView struct {
	Filter   board.Filter
	Rows     []board.Row
	Panel    panelView
	Rooms    []event.RoomID
	Variants []event.Variant
	Outcomes []choice
	Stream   string
	Kept     int
}

// choice is one option of a filter.
type choice struct{ Value, Label string }

// panelView is what is above the timeline: rooms and counters.
type panelView struct {
	Following bool
	Rooms     []roomView
	More      int // rooms that are not shown
	Counters  []counter
	Danmaku   int
	Late      int
	Conflict  int
}

type roomView struct {
	board.Room
	Href    string
	QueueMs int64
}

// counter is how many danmaku are in one state; it links to them.
type counter struct {
	Key, Label string
	N          int
	Href       string
	Current    bool
}

func filterOf(q url.Values) board.Filter {
	return board.Filter{Room: event.RoomID(q.Get("room")), Variant: event.Variant(q.Get("variant")), Outcome: q.Get("outcome")}
}

func filterQuery(f board.Filter) url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"room": string(f.Room), "variant": string(f.Variant), "outcome": f.Outcome} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	f := filterOf(r.URL.Query())
	rows, version := s.board.Latest(f, rowsShown)
	q := filterQuery(f)
	q.Set("since", s.stamp(version))
	summary := s.board.Summary(f)
	view := liveView{
		Filter: f, Rows: rows, Panel: s.panel(f, summary), Variants: summary.Variants,
		Outcomes: offered(outcomeChoices(), f.Outcome), Stream: withQuery("/live/stream", q), Kept: s.cfg.Danmaku,
	}
	for _, room := range summary.Rooms {
		view.Rooms = append(view.Rooms, room.ID)
	}
	if f.Room != "" && !slices.Contains(view.Rooms, f.Room) {
		view.Rooms = append(view.Rooms, f.Room)
	}
	slices.Sort(view.Rooms)
	if f.Variant != "" && !slices.Contains(view.Variants, f.Variant) {
		view.Variants = append(view.Variants, f.Variant)
	}
	s.render(w, http.StatusOK, "live", page{Title: "Live", Section: "live", Body: view})
}

func outcomeChoices() []choice {
	out := []choice{{"", "every outcome"}, {board.Pending, "none yet"}, {board.NotServed, "not answered"}}
	for _, st := range event.States() {
		out = append(out, choice{string(st), stateLabel(st)})
	}
	return out
}

// roomsShown is how many rooms the panel shows.
const roomsShown = 6

func (s *Server) panel(f board.Filter, sum board.Summary) panelView {
	p := panelView{Following: s.following.Load(), Danmaku: sum.Danmaku, Late: sum.Late, Conflict: sum.Conflict}
	now := s.deps.Clock.NowMs()
	for _, room := range sum.Rooms {
		if f.Room != "" && room.ID != f.Room {
			continue
		}
		if len(p.Rooms) == roomsShown {
			p.More++
			continue
		}
		only := f
		only.Room = room.ID
		p.Rooms = append(p.Rooms, roomView{
			Room: room, Href: withQuery("/", filterQuery(only)), QueueMs: max(room.QueuedMs-max(now-room.AsOfMs, 0), 0),
		})
	}
	add := func(key, label string, n int) {
		only := f
		only.Outcome = key
		if f.Outcome == key {
			only.Outcome = "" // a second click takes it back
		}
		p.Counters = append(p.Counters, counter{key, label, n, withQuery("/", filterQuery(only)), f.Outcome == key})
	}
	add(board.Pending, "none yet", sum.Pending)
	for _, st := range event.States() {
		add(string(st), stateLabel(st), sum.ByState[st])
	}
	return p
}

// stamp names a version of this process's board.
func (s *Server) stamp(version uint64) string { return s.life + "." + strconv.FormatUint(version, 10) }

// version is that of a stamp; 0, everything, for another process's.
func (s *Server) version(stamp string) (version uint64, ours bool) {
	life, n, _ := strings.Cut(stamp, ".")
	version, err := strconv.ParseUint(n, 10, 64)
	if life != s.life || err != nil {
		return 0, false
	}
	return version, true
}

// message is one message of the stream.
type message struct {
	Reset bool      `json:"reset,omitempty"` // forget the rows there are
	Rows  []rowPart `json:"rows,omitempty"`
	Drop  []string  `json:"drop,omitempty"` // rows that do not match any more
	Panel string    `json:"panel"`
	Limit int       `json:"limit"`
}

// rowPart is one row as HTML.
type rowPart struct {
	ID   string `json:"id"`
	HTML string `json:"html"`
}

// stream tells a live page what changes, as server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, "too many live pages are open", http.StatusServiceUnavailable)
		return
	}
	q := r.URL.Query()
	stamp := r.Header.Get("Last-Event-ID") // of a page that comes back
	if stamp == "" {
		stamp = q.Get("since")
	}
	since, ours := s.version(stamp)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	f := filterOf(q)
	out := http.NewResponseController(w)
	for reset := !ours; ; reset = false {
		rows, version, changed := s.board.Changes(since)
		msg, err := s.message(f, rows, reset)
		if err != nil {
			s.deps.Log.Error("live rows not rendered", "err", err)
			return
		}
		if err := send(w, out, s.stamp(version), msg); err != nil {
			return // the client has gone
		}
		since = version
		if !pause(r, nil, streamEvery) || !pause(r, changed, tickEvery) {
			return
		}
	}
}

// pause waits for wake or d; false: the request has ended.
func pause(r *http.Request, wake <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-wake:
	case <-t.C:
	}
	return true
}

func (s *Server) message(f board.Filter, rows []board.Row, reset bool) (message, error) {
	m := message{Reset: reset, Limit: rowsShown}
	panel, err := s.pages.part("panel", s.panel(f, s.board.Summary(f)))
	if err != nil {
		return m, err
	}
	m.Panel = panel
	for i, row := range rows {
		if !f.Match(row) {
			m.Drop = append(m.Drop, row.Key())
			continue
		}
		if len(rows)-i > 2*rowsShown {
			continue // a page that was away for long shows the latest
		}
		html, err := s.pages.part("row", row)
		if err != nil {
			return m, err
		}
		m.Rows = append(m.Rows, rowPart{row.Key(), html})
	}
	return m, nil
}

func send(w http.ResponseWriter, out *http.ResponseController, id string, m message) error {
	var data bytes.Buffer // one line: the encoder escapes line ends
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // it is HTML
	if err := enc.Encode(m); err != nil {
		return err
	}
	if err := out.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "id: %s\nevent: change\ndata: %s\n", id, data.Bytes()); err != nil {
		return err
	}
	return out.Flush()
}

var _ RoomClock = (*clock.Clock)(nil)
