package replay

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"

	"livehost/agentworker/hook"
	"livehost/agentworker/runner"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// The kinds of changes that other hooks make to what runs asked for and said.
const (
	Stopped   = "stopped"   // was let through, is refused now
	Vanished  = "vanished"  // was refused, is let through now
	Rewritten = "rewritten" // is let through with other words than then
	Otherwise = "otherwise" // is refused still, by another rule or in another way
)

// Kinds are the kinds of changes.
func Kinds() []string { return []string{Stopped, Vanished, Rewritten, Otherwise} }

// Change is one thing that would go another way now.
type Change struct {
	Kind    string       `json:"kind"` // one of Kinds
	RunID   event.RunID  `json:"run_id"`
	RoomID  event.RoomID `json:"room_id"`
	Release string       `json:"release"`
	Point   string       `json:"point"` // run_start, before_tool or before_reply
	Private bool         `json:"private,omitempty"`
	Text    string       `json:"text"` // the reply, or the call; of run_start the question
	Then    string       `json:"then"` // action and rule
	Now     string       `json:"now"`
	Rule    string       `json:"rule,omitempty"`    // that decides now, or decided then when nothing objects now
	Version string       `json:"version,omitempty"` // of the rule now
	Span    string       `json:"span,omitempty"`    // what the rule objects to
	Detail  string       `json:"detail,omitempty"`  // why
	Before  string       `json:"before,omitempty"`  // of rewritten: the words then
	After   string       `json:"after,omitempty"`   // and now
}

// DryRun is what other hooks would make of recorded runs.
type DryRun struct {
	Hooks        []string       `json:"hooks"` // that are not as in the harness: "name version (new|changed|left out)"
	Runs         int            `json:"runs"`
	Texts        int            `json:"texts"`
	Calls        int            `json:"calls"`
	OtherHarness int            `json:"other_harness"` // runs recorded with another harness than they are judged with, hooks aside or not
	NoRelease    int            `json:"no_release"`    // runs of a variant that this harness has no release for; not judged
	Counts       map[string]int `json:"counts"`        // by kind
	Rules        map[string]int `json:"rules"`         // newly stopped, by rule
	Changes      []Change       `json:"changes"`
}

// Candidate is a release with the hooks to try.
type Candidate struct {
	*runner.Release
	Base string // harness hash of the release without them
}

// Releases gives the candidate that stands for the release of a recorded run; its
// error says that there is none.
type Releases func(v event.Variant, m event.MerchantID) (Candidate, error)

// Try judges every run again by the hooks of its release.
func Try(ctx context.Context, runs []*Run, releases Releases, log *slog.Logger) (*DryRun, error) {
	d := &DryRun{Hooks: []string{}, Counts: map[string]int{}, Rules: map[string]int{}, Changes: []Change{}}
	for _, kind := range Kinds() {
		d.Counts[kind] = 0
	}
	clk := clock.Real()
	judge, err := runner.New(runner.DefaultConfig(), runner.Deps{Clock: clk, Log: log})
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first, ok := r.first()
		if !ok {
			continue
		}
		rel, err := releases(r.Window.Variant, r.Window.MerchantID)
		if err != nil {
			d.NoRelease++
			continue
		}
		d.Runs++
		if first.Versions.HarnessHash != rel.Base {
			d.OtherHarness++
		}
		box, err := newToolbox(r, Options{Release: rel.Release, Log: log}, clk)
		if err != nil {
			return nil, err
		}
		box.instant = true
		with := *rel.Release
		with.Toolbox, with.Release = box, box.release
		t := &trial{DryRun: d, run: r, again: judge.Again(runner.Task{Window: r.Window, Attempt: r.attempt(), Release: &with, Compact: r.compact()})}
		t.play(ctx)
	}
	return d, nil
}

// trial is one run being judged again.
type trial struct {
	*DryRun
	run   *Run
	again *runner.Again
}

// play goes through the run in its order: in a round, calls are judged before any
// result is known, and texts after.
func (t *trial) play(ctx context.Context) {
	t.compare(hook.RunStart, "", t.question(), false, t.run.begun(), t.again.Start())
	route, texts := "", t.run.texts()
	var calls []event.Step
	learn := func() {
		for _, st := range calls {
			if !refusedCall(st) { // else nothing came of it
				t.again.Learn(ctx, st.Name, st.Input)
			}
		}
		calls = calls[:0]
	}
	say := func(round int) { // what was said up to a round
		learn()
		for len(texts) > 0 && texts[0].round <= round {
			s := texts[0]
			texts = texts[1:]
			t.Texts++
			t.again.At(s.round, route)
			t.compare(hook.BeforeReply, "", s.text, s.private, s.was, t.again.Text(s.text, s.to, s.private))
		}
	}
	for _, st := range t.run.Steps {
		switch st.Kind {
		case event.StepModel:
			say(st.Round - 1)
			t.again.At(st.Round, route)
		case event.StepTool:
			t.Calls++
			t.compare(hook.BeforeTool, st.Name, st.Input, false, called(st), t.again.Call(st.Name, st.Input))
			calls = append(calls, st)
		case event.StepFallback:
			if st.Name == "compact" || st.Name == "conservative" {
				say(st.Round - 1)
				route = st.Name
				t.again.At(st.Round, route)
			}
		}
	}
	say(math.MaxInt)
}

// called is what the hooks said of a call: the step of one that was refused names the hook.
func called(st event.Step) verdict {
	if !refusedCall(st) {
		return verdict{action: hook.Allow}
	}
	return verdict{action: hook.Block, rule: st.Cause}
}

func (t *trial) question() string {
	var all []string
	for _, m := range t.run.Window.Members {
		all = append(all, m.Text)
	}
	return strings.Join(all, " / ")
}

// compare notes what goes another way now.
func (t *trial) compare(point, tool, text string, private bool, was verdict, now hook.Decision) {
	is := verdict{now.Action, now.Rule, now.Text}
	c := Change{
		RunID: t.run.ID, RoomID: t.run.Window.RoomID, Release: string(t.run.Window.Variant), Point: point, Private: private,
		Text: text, Then: was.String(), Now: is.String(), Rule: is.rule,
	}
	if tool != "" {
		c.Text = tool + "(" + text + ")"
	}
	switch {
	case !was.stopped() && is.stopped():
		c.Kind = Stopped
		t.Rules[is.rule]++
	case was.stopped() && !is.stopped():
		c.Kind, c.Rule = Vanished, was.rule
	case was.stopped():
		if was.rule == is.rule && (was.action == is.action || point == hook.BeforeTool) { // of a call, only the rule is recorded
			return
		}
		c.Kind = Otherwise
	case point == hook.BeforeReply && was.text != is.text:
		c.Kind, c.Before, c.After = Rewritten, was.text, is.text
	default:
		return
	}
	for _, h := range now.Hits {
		if h.Rule == c.Rule {
			c.Version, c.Span, c.Detail = h.Version, h.Span, h.Detail
		}
	}
	t.Counts[c.Kind]++
	t.Changes = append(t.Changes, c)
}

// String is the action and whose it is.
func (v verdict) String() string {
	if v.rule == "" {
		return string(v.action)
	}
	return string(v.action) + " by " + v.rule
}

// Write prints the changes and, last, the counts.
func (d *DryRun) Write(out io.Writer) error {
	var b strings.Builder
	for _, kind := range Kinds() {
		for _, c := range d.Changes {
			if c.Kind != kind {
				continue
			}
			fmt.Fprintf(&b, "%s %s %s: %s\n", c.Kind, c.RunID, c.Point, c.Text)
			fmt.Fprintf(&b, "  then %s, now %s\n", c.Then, c.Now)
			if c.Span != "" || c.Detail != "" {
				fmt.Fprintf(&b, "  %s %s at %q: %s\n", c.Rule, c.Version, c.Span, c.Detail)
			}
			if c.Kind == Rewritten {
				fmt.Fprintf(&b, "  was said: %s\n  now:      %s\n", c.Before, c.After)
			}
		}
	}
	fmt.Fprintf(&b, "%d runs, %d texts, %d calls judged again with %s\n", d.Runs, d.Texts, d.Calls, orNone(d.Hooks))
	fmt.Fprintf(&b, "stopped now %d, stops that vanish %d, said in other words %d, stopped otherwise %d\n",
		d.Counts[Stopped], d.Counts[Vanished], d.Counts[Rewritten], d.Counts[Otherwise])
	if d.NoRelease > 0 {
		fmt.Fprintf(&b, "%d runs not judged: the harness has no release of their variant's name\n", d.NoRelease)
	}
	if d.OtherHarness > 0 {
		fmt.Fprintf(&b, "%d runs were recorded with another harness: facts of its prompts and skills may differ\n", d.OtherHarness)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func orNone(hooks []string) string {
	if len(hooks) == 0 {
		return "the same hooks"
	}
	return strings.Join(hooks, ", ")
}
