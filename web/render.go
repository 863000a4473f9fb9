package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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

var pageNames = []string{"live", "danmaku", "run", "outcomes", "incidents", "experiments", "message"}

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
		"took":     took,
		"short":    short,
		"state":    func(s event.State) string { return wording.State(s).EN },
		"stateZH":  func(s event.State) string { return wording.State(s).ZH },
		"reason":   func(r string) string { w, _ := wording.Reason(r); return w.EN },
		"reasonZH": func(r string) string { w, _ := wording.Reason(r); return w.ZH },
		"link":     link,
		"danmaku":  danmakuLink,
		"sub":      func(a, b int64) int64 { return a - b },
		"late":     func(at, asked int64) bool { return at-asked > answerWithinMs },
		"heardAt":  heardAt,
		"entry":    menuEntry,
		"day":      func(t time.Time) string { return t.UTC().Format("01-02 15:04:05") },
		"minute":   func(t time.Time) string { return t.UTC().Format("01-02 15:04") },
		"latency":  latencyCell,
		"number":   number,
		"percent":  percent,
		"yuan":     yuan,
		"interval": interval,
		"metric":   metric,
		"p":        func(p float64) string { return strconv.FormatFloat(p, 'g', 3, 64) },
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

// short is the beginning of a text, for a row; its own page has the whole.
func short(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}

// took is a short duration: milliseconds below a second.
func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// latencyCell is a percentile in seconds; a miss has no length.
func latencyCell(ms *float64) string {
	switch {
	case ms == nil:
		return "–"
	case *ms > answerWithinMs:
		return "> 15 s"
	}
	return fmt.Sprintf("%.1f s", *ms/1000)
}

func number(x *float64, digits int) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(*x, 'f', digits, 64)
}

func percent(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", *x*100)
}

// yuan is money in fen as people write it.
func yuan(fen *float64) string {
	if fen == nil {
		return "–"
	}
	return fmt.Sprintf("¥%.2f", *fen/100)
}

// metric is a metric's name in words, for experiments on such units.
func metric(name, unit string) string {
	words := strings.ReplaceAll(strings.TrimSuffix(name, "_fen"), "_", " ")
	return strings.Replace(strings.Replace(words, "gmv", "GMV", 1), "user", unit, 1)
}

// interval is an effect with its interval, in yuan when the metric is money.
func interval(e Effect) string {
	show := func(x float64) string { return fmt.Sprintf("%+.4f", x) }
	if strings.HasSuffix(e.Metric, "_fen") {
		show = func(x float64) string { return fmt.Sprintf("%+.2f yuan", x/100) }
	}
	if e.Lo == nil || e.Hi == nil {
		return show(e.Diff)
	}
	return fmt.Sprintf("%s (%s to %s)", show(e.Diff), show(*e.Lo), show(*e.Hi))
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

// danmakuLink is the page of a danmaku, which has its id within its room.
func danmakuLink(room, id any) string {
	return "/danmaku?" + url.Values{"room": {fmt.Sprint(room)}, "id": {fmt.Sprint(id)}}.Encode()
}
