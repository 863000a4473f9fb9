package web

import (
	"net/http"
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
	case isWindow || strings.Contains(id, "#"):
		http.Redirect(w, r, link("/run", "id", id), http.StatusSeeOther)
	default:
		http.Redirect(w, r, link("/danmaku", "id", id), http.StatusSeeOther)
	}
}

// danmakuView is the page of one danmaku.
type danmakuView struct {
	Row   board.Row
	Cover *board.Row // whose answer covers it
}

func (s *Server) danmaku(w http.ResponseWriter, r *http.Request) {
	id := event.DanmakuID(r.URL.Query().Get("id"))
	row, ok := s.board.Row(id)
	if !ok {
		s.message404(w, "The console does not remember danmaku "+string(id)+".",
			"It keeps the newest danmaku since it was started. The log knows older ones: livehost danmaku show ID.")
		return
	}
	v := danmakuView{Row: row}
	if o := row.Outcome; o != nil && o.CoverID != "" {
		if cover, ok := s.board.Row(o.CoverID); ok {
			v.Cover = &cover
		}
	}
	s.render(w, http.StatusOK, "danmaku", page{Title: "Danmaku", Body: v})
}

// messageView is a page that only says something.
type messageView struct{ Head, Text string }

func (s *Server) message404(w http.ResponseWriter, head, text string) {
	s.render(w, http.StatusNotFound, "message", page{Title: "Not found", Body: messageView{head, text}})
}
