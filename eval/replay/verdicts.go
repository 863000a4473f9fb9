package replay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"livehost/agentworker/hook"
	"livehost/streams/event"
)

// said is a text that a recorded run put before its hooks, and what they said.
type said struct {
	round   int
	text    string // as it was put before them
	private bool
	to      []event.DanmakuID
	was     verdict
}

// verdict is what hooks came to about one thing.
type verdict struct {
	action hook.Action
	rule   string // "" when all allow
	text   string // after rewrites
}

func (v verdict) stopped() bool { return hook.Worse(v.action, hook.Rewrite) != hook.Rewrite }

// worse takes in one more hit.
func (v *verdict) worse(h event.GuardrailHit) {
	if a := hook.Action(h.Action); hook.Worse(v.action, a) != v.action {
		v.action, v.rule = a, h.Rule
	}
}

// hit is a hook step of the trajectory together with its guardrail hit.
type hit struct {
	event.GuardrailHit
	step event.Step
}

// hits pairs the run's hook steps with its hits: both are recorded in the same
// order, but the runner's own rules leave hits without a step.
func (r *Run) hits() []hit {
	recorded := slices.Clone(r.Hits)
	slices.SortFunc(recorded, func(a, b event.GuardrailHit) int { return cmp.Compare(number(a.HitID), number(b.HitID)) })
	var out []hit
	for _, st := range r.Steps {
		if st.Kind != event.StepHook {
			continue
		}
		i := slices.IndexFunc(recorded, func(h event.GuardrailHit) bool { return h.Rule == st.Name && h.Action == st.Output })
		if i < 0 {
			continue // its hit is not in the log: nothing is known of what it judged
		}
		out = append(out, hit{recorded[i], st})
		recorded = recorded[i+1:]
	}
	return out
}

// number is the place of a hit in its run, at the end of its id.
func number(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndexByte(id, '/')+1:])
	if err != nil {
		return 0
	}
	return n
}

// begun is what the hooks said at the run's start.
func (r *Run) begun() verdict {
	v := verdict{action: hook.Allow}
	for _, h := range r.hits() {
		if h.Point == hook.RunStart {
			v.worse(h.GuardrailHit)
		}
	}
	return v
}

// refusals are the texts that hooks objected to or rewrote, in order; several hooks
// may object to one text.
func (r *Run) refusals() []said {
	var out []said
	for _, h := range r.hits() {
		if h.Point != hook.BeforeReply || h.step.Input == "" { // without text: what is private, which no hook judges
			continue
		}
		last := len(out) - 1
		if last < 0 || out[last].round != h.step.Round || out[last].text != h.step.Input || !slices.Equal(out[last].to, h.DanmakuIDs) {
			out = append(out, said{round: h.step.Round, text: h.step.Input, to: h.DanmakuIDs, was: verdict{action: hook.Allow, text: h.step.Input}})
			last++
		}
		out[last].was.worse(h.GuardrailHit)
	}
	return out
}

// texts are all the texts that the run put before its hooks: those they objected
// to, and those it published.
func (r *Run) texts() []said {
	out := r.refusals()
	for _, p := range r.published() {
		// a rewritten text is among the others already, as it was before
		i := slices.IndexFunc(out, func(s said) bool { return s.was.action == hook.Rewrite && slices.Equal(s.to, p.to) })
		if i >= 0 {
			out[i].was.text, out[i].private = p.text, p.private
			continue
		}
		j := slices.IndexFunc(out, func(s said) bool { return !s.was.stopped() && s.text == p.text })
		if j < 0 { // else a broken hook let it pass
			out = append(out, p)
		} else {
			out[j].private = p.private
		}
	}
	return out
}

func (r *Run) published() []said {
	if r.Reply == nil {
		return nil
	}
	last := 0
	for _, st := range r.Steps {
		last = max(last, st.Round)
	}
	var out []said
	if p := r.Reply.Public; p != nil {
		out = append(out, said{round: last, text: p.Text, to: p.Covers, was: verdict{action: hook.Allow, text: p.Text}})
	}
	for _, p := range r.Reply.Private {
		out = append(out, said{round: last, text: p.Text, to: []event.DanmakuID{p.DanmakuID}, private: true, was: verdict{action: hook.Allow, text: p.Text}})
	}
	return out
}
