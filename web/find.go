package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"livehost/internal/wording"
	"livehost/streams/event"
	"livehost/web/board"
)

func stateLabel(s event.State) string { return wording.State(s).EN }

// find leads to whatever an id names.
func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimSpace(r.URL.Query().Get("id"))
	_, isWindow := s.board.Window(id)
	switch {
	case id == "":
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case isWindow, strings.Contains(id, "#") && len(s.board.Named(event.DanmakuID(id))) == 0:
		http.Redirect(w, r, link("/run", "id", id), http.StatusSeeOther)
	default:
		http.Redirect(w, r, link("/danmaku", "id", id), http.StatusSeeOther)
	}
}

// danmakuView is the page of one danmaku.
type danmakuView struct {
	ID     event.DanmakuID
	Row    *board.Row  // nil: not remembered; what is shown is from the store
	Others []board.Row // of other rooms, with the same id
	Cover  *board.Row  // whose answer covers it
	Heard  []event.Delivery
	Ended  []event.Outcome
}

// danmaku is the page of an id and its room. Without a room it is the newest.
func (s *Server) danmaku(w http.ResponseWriter, r *http.Request) {
	v := danmakuView{ID: event.DanmakuID(r.URL.Query().Get("id"))}
	room := event.RoomID(r.URL.Query().Get("room"))
	for _, row := range s.board.Named(v.ID) {
		if v.Row == nil && (room == "" || row.Room == room) {
			v.Row = &row
		} else {
			v.Others = append(v.Others, row)
		}
	}
	if v.Row != nil {
		if o := v.Row.Outcome; o != nil && o.CoverID != "" {
			if cover, ok := s.board.Row(v.Row.Room, o.CoverID); ok {
				v.Cover = &cover
			}
		}
		s.render(w, http.StatusOK, "danmaku", page{Title: "Danmaku", Body: v})
		return
	}
	trace, away := s.trace(r.Context(), string(v.ID))
	v.Heard = slices.DeleteFunc(trace.Heard, func(d event.Delivery) bool { return room != "" && d.RoomID != room })
	v.Ended = slices.DeleteFunc(trace.Ended, func(o event.Outcome) bool { return room != "" && o.RoomID != room })
	if len(v.Heard)+len(v.Ended) == 0 {
		s.sayMissing(w, "Nothing is known of danmaku "+string(v.ID)+".",
			cmp.Or(away, "Neither the console's memory nor the analytics store has it. The log may: livehost danmaku show ID."))
		return
	}
	s.render(w, http.StatusOK, "danmaku", page{Title: "Danmaku", Body: v})
}

// messageView is a page that only says something.
type messageView struct{ Head, Text string }

func (s *Server) sayMissing(w http.ResponseWriter, head, text string) {
	s.render(w, http.StatusNotFound, "message", page{Title: "Not found", Body: messageView{head, text}})
}
