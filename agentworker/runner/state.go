package runner

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/agentworker/skill"
	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/internal/telemetry"
	"livehost/streams/event"
)

// state is one run under way. Only the run's own goroutine touches it.
type state struct {
	r       *Runner
	t       Task
	w       *event.Window
	shown   *event.Window // w without the danmaku that a run does not begin with
	rel     *Release
	runID   event.RunID
	log     *slog.Logger
	span    telemetry.Span
	started time.Time // room
	wall    time.Time

	hooks    *hook.Run
	evidence *guardrail.Evidence
	internal []string // names that are never spoken
	messages []model.Message
	tools    []model.Tool
	route    string // "" full, "compact", "conservative"
	round    int
	skills   skill.Loaded
	avoid    string // replica that failed last

	decisions map[event.DanmakuID]*decision
	public    *text
	private   []*text
	askers    []event.DanmakuID // for whom private data was read
	secrets   []secret
	open      []string // what public tools and the prompt's facts gave: no secrets
	unsure    []write  // that may have been done: no answer came

	hits   []event.GuardrailHit
	timing event.Timing
}

// text is one text that the hooks have allowed.
type text struct {
	body     string
	covers   []event.DanmakuID
	verdicts []event.Verdict
}

// decision is how a member ends other than by a text.
type decision struct {
	state  event.State
	reason string
}

func (r *Runner) begin(t Task) *state {
	now := time.Now()
	s := &state{
		r: r, t: t, w: &t.Window, shown: &t.Window, rel: t.Release, wall: now, started: r.clock.Room(now),
		runID:     event.NewRunID(t.Window.WindowID, t.Attempt),
		hooks:     t.Release.Engine.NewRun(),
		evidence:  &guardrail.Evidence{Aliases: aliases(t.Release.Catalog)},
		decisions: map[event.DanmakuID]*decision{},
	}
	s.log = r.log.With("run_id", string(s.runID))
	s.timing.LaneWallUs = now.Sub(t.Received).Microseconds()
	if t.Compact {
		s.route = routeCompact
	}
	for _, t := range s.rel.Tools {
		s.internal = append(s.internal, t.Name)
	}
	for _, k := range s.rel.Skills {
		s.internal = append(s.internal, k.Name)
	}
	s.seedEvidence()
	return s
}

// aliases are what the harness's catalogue calls a product beside its name.
func aliases(c *harness.Catalog) func(event.LinkID, string) []string {
	return func(link event.LinkID, name string) []string {
		if p, ok := c.ByLink(link); ok && p.Name == name {
			return p.Aliases
		}
		return nil
	}
}

// The routes of a run as reply.v1's Fallback names them.
const (
	routeFull         = ""
	routeCompact      = "compact"
	routeConservative = "conservative"
	routeNone         = "none" // of a fallback step only: nothing is said instead
)

// seedEvidence adds what the viewers said and what the room shows.
func (s *state) seedEvidence() {
	for _, m := range s.w.Members {
		s.evidence.AddWords(m.Text + "\n" + m.Question + "\n" + m.ViewerName)
		if m.FocusLink != "" {
			s.evidence.AddWords(string(m.FocusLink))
		}
	}
	if s.w.Context.FocusLink != "" {
		s.evidence.AddWords(string(s.w.Context.FocusLink))
	}
	for _, turn := range s.w.Context.Dialogue { // earlier turns may be referred to, their prices not repeated
		s.evidence.AddWords(turn.Question)
	}
	if e := s.w.Event; e != nil {
		s.evidence.AddWords(fmt.Sprintf("%s %s %d", e.ViewerName, e.GiftName, e.Count))
		s.evidence.AddName(e.ViewerName)
	}
}

// offer lists the tools of this run. An event window has nobody to answer by id.
func (s *state) offer() {
	s.tools = tool.Offered(s.rel.Release, s.w.Context.Settings)
	if s.w.Kind == event.EventWindow {
		s.tools = slices.DeleteFunc(s.tools, func(t model.Tool) bool {
			bound, _ := s.rel.Tool(t.Name)
			name := flowName(bound)
			return name != "" && name != harness.BuiltinStaySilent
		})
	}
}

// undecided are the members that neither a text nor an outcome has.
func (s *state) undecided() []event.Member {
	var out []event.Member
	for _, m := range s.w.Members {
		if s.decisions[m.DanmakuID] == nil && !s.answered(m.DanmakuID) {
			out = append(out, m)
		}
	}
	return out
}

func (s *state) answered(id event.DanmakuID) bool {
	if s.public != nil && slices.Contains(s.public.covers, id) {
		return true
	}
	return slices.ContainsFunc(s.private, func(t *text) bool { return t.covers[0] == id })
}

func (s *state) member(id event.DanmakuID) (event.Member, bool) {
	i := slices.IndexFunc(s.w.Members, func(m event.Member) bool { return m.DanmakuID == id })
	if i < 0 {
		return event.Member{}, false
	}
	return s.w.Members[i], true
}

func ids(members []event.Member) []event.DanmakuID {
	out := make([]event.DanmakuID, 0, len(members))
	for _, m := range members {
		out = append(out, m.DanmakuID)
	}
	return out
}

func (s *state) left() time.Duration { return s.r.clock.Until(s.t.Deadline) }

// step records one step that began at the wall instant.
func (s *state) step(ctx context.Context, began time.Time, st event.Step) {
	start := s.r.clock.Room(began)
	st.StartedMs, st.EndedMs = start.UnixMilli(), s.r.clock.NowMs()
	st.BudgetMs = s.t.Deadline.Sub(start).Milliseconds()
	st.Round = s.round
	s.t.Recorder.Add(ctx, st)
}

func (s *state) vars() hook.Vars {
	return hook.Vars{
		Mode: string(s.w.Mode), Kind: string(s.w.Kind), Intent: s.w.Intent, Language: s.w.Language,
		Variant: string(s.w.Variant), Release: s.rel.ID, Fallback: s.route, Class: int(s.w.Class),
		Round: s.round, RoundsLeft: s.r.cfg.Rounds - s.round, Members: len(s.w.Members),
		Skills: s.skills.Names(), Room: &s.w.Context,
	}
}

// ask has the hooks of a point judge an input, and records what fired.
func (s *state) ask(ctx context.Context, point string, in *guardrail.Input, v hook.Vars) hook.Decision {
	began := time.Now()
	d := s.hooks.At(point, in, v)
	if len(d.Hits) == 0 {
		return d
	}
	for _, h := range d.Hits {
		cause := h.Detail
		if h.Broken {
			cause = "hook_error: " + h.Detail
		}
		hit := s.hit(h.Rule, h.Version, point, cmp.Or(h.Span, whole(in)), string(h.Action), in.Members)
		hit.Cause = clip(cause, 300)
		s.hits = append(s.hits, hit)
		s.span.Hook(h.Rule, string(h.Action))
		s.step(ctx, began, event.Step{
			Kind: event.StepHook, Name: h.Rule, Input: in.Text, Output: string(h.Action), Cause: clip(h.Span+": "+cause, 400),
		})
	}
	return d
}

// whole is what a hook judged, for one that objects to no part of it.
func whole(in *guardrail.Input) string {
	switch {
	case in.Text != "":
		return in.Text
	case in.Tool != nil:
		return in.Tool.Name
	case len(in.Members) > 0:
		return in.Members[0].Text
	}
	return "the whole run"
}

func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "..."
}
