package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"livehost/eval/audit"
	"livehost/streams/event"
)

// ErrUnknownID is returned for an id of which the log has no run.
var ErrUnknownID = errors.New("no run of that id in the log; name a run, a window or a danmaku")

// Run is one recorded run.
type Run struct {
	ID     event.RunID
	Window event.Window // with the members that the run claimed
	Steps  []event.Step // in order
	Reply  *event.Reply // nil: the run published none
	Hits   []event.GuardrailHit
}

// Find is the runs of an id, oldest first: of one run, of a window, or of every
// window that a danmaku was in.
func Find(l *audit.Log, id string) ([]*Run, error) {
	out := collect(l, func(st event.Step, w event.Window) bool { return names(id, st, w) })
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w", id, ErrUnknownID)
	}
	return out, nil
}

// All is every run of a log whose window it holds, oldest first.
func All(l *audit.Log) []*Run {
	return collect(l, func(event.Step, event.Window) bool { return true })
}

func collect(l *audit.Log, want func(event.Step, event.Window) bool) []*Run {
	windows := map[event.WindowID]event.Window{}
	for _, w := range l.Windows {
		windows[w.V.WindowID] = w.V
	}
	runs := map[event.RunID]*Run{}
	for _, e := range l.Steps {
		st := e.V
		w, ok := windows[st.WindowID]
		if !ok || !want(st, w) {
			continue
		}
		r := runs[st.RunID]
		if r == nil {
			r = &Run{ID: st.RunID, Window: w}
			runs[st.RunID] = r
		}
		if !slices.ContainsFunc(r.Steps, func(have event.Step) bool { return have.Seq == st.Seq }) { // delivery is at least once
			r.Steps = append(r.Steps, st)
		}
	}
	for _, e := range l.Replies {
		if r := runs[e.V.RunID]; r != nil && r.Reply == nil {
			r.Reply = &e.V
		}
	}
	for _, e := range l.Hits {
		if r := runs[e.V.RunID]; r != nil && !slices.ContainsFunc(r.Hits, func(h event.GuardrailHit) bool { return h.HitID == e.V.HitID }) {
			r.Hits = append(r.Hits, e.V)
		}
	}
	var out []*Run
	for _, r := range runs {
		slices.SortFunc(r.Steps, func(a, b event.Step) int { return cmp.Compare(a.Seq, b.Seq) })
		r.claimed()
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(a.Steps[0].StartedMs, b.Steps[0].StartedMs), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func names(id string, st event.Step, w event.Window) bool {
	return id == string(st.RunID) || id == string(st.WindowID) ||
		slices.ContainsFunc(w.Members, func(m event.Member) bool { return id == string(m.DanmakuID) })
}

// claimed keeps the members that the run answered for: those of its reply, else
// those of its claim that were in time.
func (r *Run) claimed() {
	if r.Reply != nil {
		r.Window.Members = r.Reply.Members
		return
	}
	for _, st := range r.Steps {
		var held []claimKey
		if st.Kind == event.StepClaim && json.Unmarshal([]byte(st.Input), &held) == nil {
			r.Window.Members = slices.DeleteFunc(slices.Clone(r.Window.Members), func(m event.Member) bool {
				return !slices.Contains(held, claimKey{m.DanmakuID, m.Ask})
			})
		}
	}
}

// claimKey is what a claim step lists.
type claimKey struct {
	DanmakuID event.DanmakuID
	Ask       int
}

// attempt is the number at the end of the run's id.
func (r *Run) attempt() int {
	n, err := strconv.Atoi(string(r.ID[strings.LastIndexByte(string(r.ID), '#')+1:]))
	if err != nil {
		return 1
	}
	return n
}

// first is the first step of the run itself, after its claim.
func (r *Run) first() (event.Step, bool) {
	for _, st := range r.Steps {
		if st.Kind != event.StepClaim {
			return st, true
		}
	}
	return event.Step{}, false
}

// compact reports whether the run began on the compact route.
func (r *Run) compact() bool {
	for _, st := range r.Steps {
		switch {
		case st.Kind == event.StepModel:
			return false
		case st.Kind == event.StepFallback && st.Name == "compact":
			return true
		}
	}
	return false
}

// Texts are what the run said, in public and in private.
func Texts(r *event.Reply) []string {
	if r == nil {
		return nil
	}
	var out []string
	if r.Public != nil {
		out = append(out, "public: "+r.Public.Text)
	}
	for _, p := range r.Private {
		out = append(out, fmt.Sprintf("private to %s: %s", p.ViewerID, p.Text))
	}
	return out
}

// Unrestricted is the run without what only the restricted role may see.
func (r *Run) Unrestricted() *Run {
	out := *r
	out.Steps = slices.Clone(r.Steps)
	for i := range out.Steps {
		st := &out.Steps[i]
		st.Reasoning = ""
		if st.Kind == event.StepModel {
			st.Input, st.Output = "", ""
		}
	}
	return &out
}
