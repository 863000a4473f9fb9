package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"livehost/streams/event"
)

// ranges are how far back the charts look, in room time.
var ranges = []choice{{"30m", "30 minutes"}, {"2h", "2 hours"}, {"12h", "12 hours"}, {"168h", "7 days"}}

const defaultRange = "2h"

// outcomesView is the body of the page of outcomes and latency.
type outcomesView struct {
	Away    string
	Room    string
	Variant string
	Range   string
	Ranges  []choice
	Data    string // where the charts' data is
	States  []event.State
	Minutes []Minute // newest first
	Totals  Minute
}

// longestRange bounds the charts: they have a point for every minute.
const longestRange = 7 * 24 * time.Hour

func (s *Server) outcomesScope(q url.Values) (scope Scope, span string) {
	span = q.Get("range")
	d, err := time.ParseDuration(span)
	if err != nil || d <= 0 || d > longestRange {
		span = defaultRange
		d, _ = time.ParseDuration(span)
	}
	since := time.UnixMilli(s.deps.Clock.NowMs()).Add(-d)
	return Scope{Room: q.Get("room"), Variant: q.Get("variant"), Since: since}, span
}

// offered is the choices of a form with the value that is in force among them: a form
// that shows another one misleads whoever reads the page.
func offered(list []choice, value string) []choice {
	if slices.ContainsFunc(list, func(c choice) bool { return c.Value == value }) {
		return list
	}
	return append(slices.Clip(list), choice{value, value})
}

func (s *Server) minutes(ctx context.Context, scope Scope) ([]Minute, string) {
	return fromStore(s, ctx, s.deps.Minutes != nil, func(ctx context.Context) ([]Minute, error) {
		return s.deps.Minutes.Minutes(ctx, scope)
	})
}

func (s *Server) outcomes(w http.ResponseWriter, r *http.Request) {
	scope, span := s.outcomesScope(r.URL.Query())
	list, away := s.minutes(r.Context(), scope)
	q := url.Values{"range": {span}}
	for name, v := range map[string]string{"room": scope.Room, "variant": scope.Variant} {
		if v != "" {
			q.Set(name, v)
		}
	}
	v := outcomesView{
		Away: away, Room: scope.Room, Variant: scope.Variant, Range: span, Ranges: offered(ranges, span),
		Data: withQuery("/outcomes/data", q), States: event.States(), Totals: Minute{Ended: map[event.State]int64{}},
	}
	for i := len(list) - 1; i >= 0; i-- {
		m := list[i]
		v.Minutes = append(v.Minutes, m)
		v.Totals.Counted += m.Counted
		v.Totals.Missed += m.Missed
		for st, n := range m.Ended {
			v.Totals.Ended[st] += n
		}
	}
	s.render(w, http.StatusOK, "outcomes", page{Title: "Outcomes and latency", Section: "outcomes", Body: v})
}

// chartData is what the charts draw: columns, one value per minute.
type chartData struct {
	Away    string      `json:"away,omitempty"`
	Start   []int64     `json:"start"` // Unix seconds
	Ended   [][]int64   `json:"ended"` // by state, in the order of States
	States  []chartKind `json:"states"`
	P50     []*float64  `json:"p50"` // seconds
	P95     []*float64  `json:"p95"`
	LimitS  float64     `json:"limit_s"`
	Counted []int64     `json:"counted"`
	Missed  []int64     `json:"missed"`
}

// chartKind is one state as the charts name it.
type chartKind struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

func (s *Server) outcomesData(w http.ResponseWriter, r *http.Request) {
	scope, _ := s.outcomesScope(r.URL.Query())
	list, away := s.minutes(r.Context(), scope)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := json.NewEncoder(w).Encode(chart(list, away)); err != nil {
		s.deps.Log.Debug("chart data not sent", "err", err)
	}
}

// chart turns minutes into columns. Minutes in which nothing was asked are there
// as zeros: a gap in the room is not to be drawn as a slope.
func chart(list []Minute, away string) chartData {
	states := event.States()
	c := chartData{Away: away, Ended: make([][]int64, len(states)), LimitS: answerWithinMs / 1000, Start: []int64{}, P50: []*float64{}, P95: []*float64{}}
	for i, st := range states {
		c.States = append(c.States, chartKind{string(st), stateLabel(st)})
		c.Ended[i] = []int64{}
	}
	add := func(start int64, m Minute) {
		c.Start = append(c.Start, start)
		for i, st := range states {
			c.Ended[i] = append(c.Ended[i], m.Ended[st])
		}
		c.P50, c.P95 = append(c.P50, inSeconds(m.P50Ms)), append(c.P95, inSeconds(m.P95Ms))
		c.Counted, c.Missed = append(c.Counted, m.Counted), append(c.Missed, m.Missed)
	}
	for i, m := range list {
		at := m.Start.Unix()
		if i > 0 {
			for gap := list[i-1].Start.Unix() + 60; gap < at; gap += 60 {
				add(gap, Minute{})
			}
		}
		add(at, m)
	}
	return c
}

// inSeconds caps a miss at the limit's line and a little: it has no length.
func inSeconds(ms *float64) *float64 {
	if ms == nil {
		return nil
	}
	v := *ms / 1000
	return &v
}
