package web

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"livehost/streams/event"
	"livehost/web/board"
)

// runView is the page of one window's runs.
type runView struct {
	ID         string
	Window     *board.Window // nil: forgotten; what is shown is from the store
	Danmaku    []board.Row   // of the window, as far as they are remembered
	Runs       []waterfall
	Replies    []event.Reply
	Heard      []event.Delivery
	Ended      []event.Outcome // of danmaku that are not remembered
	Hits       []event.GuardrailHit
	Away       string // why the store was not asked in vain
	Restricted bool
}

// waterfall is the steps of one run over time.
type waterfall struct {
	Run      event.RunID
	Variant  event.Variant
	Versions event.Versions
	StartMs  int64
	TookMs   int64
	Tokens   int // completion tokens of all calls
	Steps    []bar
}

// bar is one step, with its place in the waterfall in thousandths of its width.
type bar struct {
	event.Step
	At, Width, FirstToken float64
}

const minBar = 4 // so that what took no time can be seen

func newWaterfall(steps []event.Step) waterfall {
	w := waterfall{Run: steps[0].RunID, Variant: steps[0].Variant, Versions: steps[0].Versions, StartMs: steps[0].StartedMs}
	end := w.StartMs
	for _, st := range steps {
		w.StartMs, end = min(w.StartMs, st.StartedMs), max(end, st.StartedMs, st.EndedMs)
		w.Tokens += st.CompletionTokens
	}
	w.TookMs = end - w.StartMs
	scale := (1000 - minBar) / float64(max(w.TookMs, 1))
	for _, st := range steps {
		b := bar{Step: st, At: float64(st.StartedMs-w.StartMs) * scale, Width: max(float64(st.EndedMs-st.StartedMs)*scale, minBar)}
		if st.FirstTokenMs > 0 {
			b.FirstToken = min(float64(st.FirstTokenMs)*scale, b.Width)
		}
		w.Steps = append(w.Steps, b)
	}
	return w
}

// TookMs is how long the step took.
func (b bar) TookMs() int64 { return max(b.EndedMs-b.StartedMs, 0) }

func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	v := runView{ID: id, Restricted: s.cfg.Restricted}
	trace, found := s.remembered(&v, id)
	if !found {
		trace, v.Away = s.trace(r.Context(), id)
		if v.Window == nil {
			v.Heard, v.Ended, v.Hits = trace.Heard, trace.Ended, trace.Hits
		}
	}
	if strings.Contains(id, "#") && (v.Window == nil || id != string(v.Window.ID)) { // one run of the window
		trace.Steps = onlyRun(trace.Steps, event.RunID(id))
	}
	for _, steps := range runSteps(trace.Steps) {
		v.Runs = append(v.Runs, newWaterfall(steps))
	}
	if v.Window == nil && len(v.Runs)+len(v.Heard)+len(v.Ended)+len(v.Hits) == 0 {
		s.sayMissing(w, "Nothing is known of run "+id+".", cmp.Or(v.Away, "Neither the console's memory nor the analytics store has a run or window with this id."))
		return
	}
	s.render(w, http.StatusOK, "run", page{Title: "Run", Body: v})
}

// remembered fills v from the board.
func (s *Server) remembered(v *runView, id string) (Trace, bool) {
	w, ok := s.board.Window(id)
	if !ok {
		return Trace{}, false
	}
	v.Window, v.Replies, v.Heard, v.Hits = &w, w.Replies, w.Heard, w.Hits
	for _, d := range w.Danmaku {
		if row, ok := s.board.Row(w.Room, d); ok {
			v.Danmaku = append(v.Danmaku, row)
			v.Hits = append(v.Hits, row.Hits...)
		}
	}
	v.Hits = uniqueHits(v.Hits)
	return Trace{Steps: w.Steps}, len(w.Steps) > 0
}

func uniqueHits(hits []event.GuardrailHit) []event.GuardrailHit {
	seen := map[string]bool{}
	var out []event.GuardrailHit
	for _, h := range hits {
		if !seen[h.HitID] {
			seen[h.HitID] = true
			out = append(out, h)
		}
	}
	return out
}

func (s *Server) trace(ctx context.Context, id string) (Trace, string) {
	return fromStore(s, ctx, s.deps.Traces != nil, func(ctx context.Context) (Trace, error) {
		return s.deps.Traces.Trace(ctx, id, s.cfg.Restricted)
	})
}

func onlyRun(steps []event.Step, id event.RunID) []event.Step {
	var out []event.Step
	for _, st := range steps {
		if st.RunID == id {
			out = append(out, st)
		}
	}
	return out
}
