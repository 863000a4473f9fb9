package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"livehost/internal/wording"
	"livehost/streams/event"
)

//go:embed templates
var templateFiles embed.FS

// pages are the parsed templates: each page is the layout with its own content.
type pages struct {
	byName map[string]*template.Template
	parts  *template.Template // what is sent alone
}

var pageNames = []string{"live", "danmaku", "message"}

func parsePages() (*pages, error) {
	parts, err := template.New("parts").Funcs(functions()).ParseFS(templateFiles, "templates/parts.html")
	if err != nil {
		return nil, err
	}
	p := &pages{byName: map[string]*template.Template{}, parts: parts}
	for _, name := range pageNames {
		t, err := parts.Clone()
		if err == nil {
			p.byName[name], err = t.ParseFS(templateFiles, "templates/layout.html", "templates/"+name+".html")
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// page is what the layout needs.
type page struct {
	Title   string
	Section string // the entry of the menu that is current
	Body    any
}

// render writes a whole page, or a plain error when the template fails: half a
// page never leaves.
func (s *Server) render(w http.ResponseWriter, status int, name string, p page) {
	var b bytes.Buffer
	if err := s.pages.byName[name].ExecuteTemplate(&b, "layout", p); err != nil {
		s.deps.Log.Error("page not rendered", "page", name, "err", err)
		http.Error(w, "the page could not be rendered; the log says why", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // a client that has gone is no error of ours
}

func (p *pages) part(name string, data any) (string, error) {
	var b bytes.Buffer
	err := p.parts.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

func functions() template.FuncMap {
	return template.FuncMap{
		"clock":    clockTime,
		"seconds":  func(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) },
		"state":    func(s event.State) string { return wording.State(s).EN },
		"stateZH":  func(s event.State) string { return wording.State(s).ZH },
		"reason":   func(r string) string { w, _ := wording.Reason(r); return w.EN },
		"reasonZH": func(r string) string { w, _ := wording.Reason(r); return w.ZH },
		"link":     link,
		"sub":      func(a, b int64) int64 { return a - b },
		"late":     func(at, asked int64) bool { return at-asked > answerWithinMs },
		"heardAt":  heardAt,
		"entry":    menuEntry,
	}
}

// answerWithinMs is what viewers are promised.
const answerWithinMs = 15_000

// heardAt is when a delivery was heard or sent; 0 when it was not.
func heardAt(d event.Delivery) int64 {
	switch d.State {
	case event.DeliveryStarted, event.DeliveryEnded, event.DeliveryInterrupted:
		return d.FirstAudioMs
	case event.DeliverySent:
		return d.TimeMs
	}
	return 0
}

// entry is one entry of the menu.
type entry struct {
	Href, Label string
	Current     bool
}

func menuEntry(href, section, label, current string) entry {
	return entry{href, label, section == current}
}

// clockTime is room time of day, UTC as everywhere in livehost.
func clockTime(ms int64) string {
	if ms <= 0 {
		return "--:--:--"
	}
	return time.UnixMilli(ms).UTC().Format("15:04:05")
}

// link is a local URL with one parameter; ids of platforms hold any character.
func link(path, name string, value any) string {
	return path + "?" + url.Values{name: {fmt.Sprint(value)}}.Encode()
}
