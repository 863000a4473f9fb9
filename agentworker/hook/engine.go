package hook

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"

	"livehost/agentworker/guardrail"
	"livehost/harness"
	"livehost/streams/event"
)

// costLimit bounds one condition; conditions of the shipped hooks cost below 100.
const costLimit = 10_000

// Engine is the compiled hooks of one release. It is immutable and safe for
// concurrent use.
type Engine struct {
	points map[string][]*compiled
}

type compiled struct {
	*harness.Hook
	when  cel.Program // nil: always
	check guardrail.Check
}

// New compiles hooks in manifest order; its error lists every hook that does not
// compile or names an unknown check.
func New(hooks []*harness.Hook, checks map[string]guardrail.Check) (*Engine, error) {
	env, err := environment()
	if err != nil {
		return nil, fmt.Errorf("hook: %w", err)
	}
	e := &Engine{points: map[string][]*compiled{}}
	var errs []error
	for _, h := range hooks {
		c := &compiled{Hook: h}
		if h.Check != "" {
			if c.check = checks[h.Check]; c.check == nil {
				errs = append(errs, fmt.Errorf("hook %s: there is no check %q", h.Name, h.Check))
			}
		}
		if h.When != "" {
			if c.when, err = condition(env, h.When); err != nil {
				errs = append(errs, at(h, fmt.Errorf("hook %s: when: %w", h.Name, err)))
			}
		}
		e.points[h.Point] = append(e.points[h.Point], c)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return e, nil
}

// at says where the condition of a hook that has a file stands.
func at(h *harness.Hook, err error) error {
	if h.File == "" {
		return err
	}
	return harness.Problem{File: h.File, Line: h.WhenLine, Reason: err.Error()}
}

func condition(env *cel.Env, source string) (cel.Program, error) {
	ast, issues := env.Compile(source)
	if list := issues.Errors(); len(list) > 0 {
		at := list[0].Location // the rest follows from the first
		return nil, fmt.Errorf("%s, at line %d, character %d of the condition; docs/harness.md lists what conditions see", list[0].Message, at.Line(), at.Column()+1)
	}
	if t := ast.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("gives %s, want bool", t)
	}
	return env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
}

// Hit is a hook that fired.
type Hit struct {
	Rule, Version string
	Span          string // what it objects to
	Detail        string // why
	Action        Action
	Broken        bool // the hook itself failed
}

// Decision is what all hooks of a point want together.
type Decision struct {
	Action   Action
	Rule     string // the hook that decided; "" when all allow
	Text     string // the text after rewrites
	Hits     []Hit
	Verdicts []event.Verdict // of every hook that ran, on the final text
	Reminder string          // of all hooks that want a retry
}

// Run is the state of the hooks in one run: spent retries. It is not safe for
// concurrent use.
type Run struct {
	engine *Engine
	spent  map[string]budget
}

// budget counts retries; texts of one round spend one together.
type budget struct{ used, round int }

// NewRun begins a run.
func (e *Engine) NewRun() *Run { return &Run{engine: e, spent: map[string]budget{}} }

// At asks the hooks of a point about an input. round groups inputs of one model answer.
func (r *Run) At(point string, in *guardrail.Input, v Vars) Decision {
	hooks := r.engine.points[point]
	d := Decision{Action: Allow, Text: in.Text}
	if len(hooks) == 0 {
		return d
	}
	judged := *in
	var activation map[string]any
	verdicts := make([]Hit, len(hooks))
	rewritten := false
	judge := func(i int) {
		h := hooks[i]
		if h.when != nil && activation == nil {
			activation = v.activation(&judged)
		}
		verdicts[i] = r.judge(h, &judged, activation, v.Round)
		if verdicts[i].Action == Rewrite {
			judged.Text = verdicts[i].Detail
			activation, rewritten = nil, true
		}
	}
	for i := range hooks {
		judge(i)
	}
	if rewritten {
		for i, h := range hooks {
			if h.Safety && verdicts[i].Action != Rewrite {
				judge(i)
			}
		}
	}
	d.Text = judged.Text
	r.combine(&d, point, hooks, verdicts, in.Language)
	return d
}

func (r *Run) combine(d *Decision, point string, hooks []*compiled, verdicts []Hit, language string) {
	var reminders []string
	for i, hit := range verdicts {
		d.Verdicts = append(d.Verdicts, event.Verdict{Rule: hooks[i].Name, Version: hooks[i].Version, Stage: point, Action: string(hit.Action)})
		if hit.Action == Allow && !hit.Broken {
			continue
		}
		d.Hits = append(d.Hits, hit)
		if worse := Worse(d.Action, hit.Action); worse != d.Action {
			d.Action, d.Rule = worse, hit.Rule
		}
		if hit.Action == Retry {
			reminders = append(reminders, reminder(hooks[i].Hook, language))
		}
	}
	d.Reminder = strings.Join(reminders, "\n")
}

func reminder(h *harness.Hook, language string) string {
	if s := h.Reminder[language]; s != "" {
		return s
	}
	return h.Reminder["zh"]
}

// judge is one hook's verdict; for a rewrite, Detail is the new text.
func (r *Run) judge(h *compiled, in *guardrail.Input, activation map[string]any, round int) (hit Hit) {
	hit = Hit{Rule: h.Name, Version: h.Version, Action: Allow}
	f, fired, err := h.fires(in, activation)
	if err != nil {
		hit.Broken, hit.Detail, hit.Action = true, err.Error(), Block
		if h.Fail == "open" {
			hit.Action = Allow
		}
		return hit
	}
	if !fired {
		return hit
	}
	hit.Span, hit.Detail, hit.Action = f.Span, f.Detail, Action(h.Action)
	switch hit.Action {
	case Rewrite:
		if hit.Detail = f.Rewrite; f.Rewrite == "" {
			hit.Detail, hit.Action = f.Detail, Block // the check knows no better text
		}
	case Retry:
		b := r.spent[h.Name]
		switch {
		case b.used > 0 && b.round == round: // already asked for in this round
		case b.used >= h.Retries:
			hit.Action = Action(h.Then)
		default:
			r.spent[h.Name] = budget{used: b.used + 1, round: round}
		}
	}
	return hit
}

// fires evaluates condition and check; a panic is an error, so that a broken
// check cannot end a run.
func (h *compiled) fires(in *guardrail.Input, activation map[string]any) (f guardrail.Finding, fired bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("hook %s: panic: %v", h.Name, p)
		}
	}()
	if h.when != nil {
		out, _, err := h.when.Eval(activation)
		if err != nil {
			return f, false, fmt.Errorf("hook %s: when: %w", h.Name, err)
		}
		if yes, _ := out.Value().(bool); !yes {
			return f, false, nil
		}
		fired = true
	}
	if h.check == nil {
		return guardrail.Finding{Detail: "the condition of " + h.Name + " holds"}, fired, nil
	}
	f, ok := h.check(in)
	return f, !ok, nil
}
