package web

import (
	"context"
	"net/http"
	"time"

	"livehost/streams/event"
)

const incidentsShown = 200

// incidentsView is the body of the incidents page.
type incidentsView struct {
	Away   string
	Filter IncidentFilter
	Since  string
	Kinds  []choice
	Spans  []choice
	List   []Incident
	Full   bool // there may be more
}

var incidentKinds = []choice{{"", "every kind"}, {"guardrail", "guardrail hits"}, {"fallback", "fallbacks"}, {"outcome", "suppressed, failed, too late"}}

func (s *Server) incidents(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	f := IncidentFilter{
		Scope: Scope{Room: q.Get("room"), Variant: q.Get("variant")},
		Kind:  q.Get("kind"), Rule: q.Get("rule"), Cause: q.Get("cause"), Version: q.Get("version"), Limit: incidentsShown,
	}
	v := incidentsView{Kinds: offered(incidentKinds, f.Kind)}
	if d, err := time.ParseDuration(q.Get("since")); err == nil && d > 0 {
		v.Since, f.Since = q.Get("since"), time.UnixMilli(s.deps.Clock.NowMs()).Add(-d)
	}
	v.Spans = offered(append([]choice{{"", "any time"}}, ranges...), v.Since)
	v.Filter = f
	v.List, v.Away = fromStore(s, r.Context(), s.deps.Incidents != nil, func(ctx context.Context) ([]Incident, error) {
		return s.deps.Incidents.Incidents(ctx, f)
	})
	v.Full = len(v.List) == incidentsShown
	s.render(w, http.StatusOK, "incidents", page{Title: "Incidents", Section: "incidents", Body: v})
}

func (s *Server) experiments(w http.ResponseWriter, r *http.Request) {
	list, away := fromStore(s, r.Context(), s.deps.Experiments != nil, func(ctx context.Context) ([]Experiment, error) {
		return s.deps.Experiments.Experiments(ctx)
	})
	body := struct {
		Away string
		List []Experiment
	}{away, list}
	s.render(w, http.StatusOK, "experiments", page{Title: "Experiments", Section: "experiments", Body: body})
}

// runSteps are a trajectory's steps that belong to one run.
func runSteps(steps []event.Step) (out [][]event.Step) {
	for i, st := range steps {
		if i == 0 || st.RunID != steps[i-1].RunID {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], st)
	}
	return out
}
