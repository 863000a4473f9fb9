package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/agentworker/prompt"
	"livehost/agentworker/tool"
	"livehost/agentworker/trajectory"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/telemetry"
	"livehost/streams/event"
)

// Config bounds every run. Durations are room time.
type Config struct {
	Rounds      int           `yaml:"rounds"`      // policy rounds
	FirstCall   time.Duration `yaml:"first_call"`  // room; budget of the first policy call
	LaterCall   time.Duration `yaml:"later_call"`  // room; budget of each later call
	ToolCall    time.Duration `yaml:"tool_call"`   // room; budget of one tool call
	ToolHedge   time.Duration `yaml:"tool_hedge"`  // room; a read that has no answer is made again after so long (half of a shorter budget), twice at most, and the first answer counts; 0: never
	HedgeShare  float64       `yaml:"hedge_share"` // such calls for each tool call, at most: a back-end that is slow as a whole gets no more on top
	AnswerTime  time.Duration `yaml:"answer_time"` // room; kept free for the policy's answer: tools are not waited for into it
	MinCall     time.Duration `yaml:"min_call"`    // room; a policy call with less time than this is not begun
	MaxTokens   int           `yaml:"max_tokens"`  // of one answer
	Temperature float64       `yaml:"temperature"` // of the policy's sampling; 0 takes the likeliest token
	TopP        float64       `yaml:"top_p"`       // of the policy's sampling
	MustCall    bool          `yaml:"must_call"`   // the first round has to call a tool (tool_choice "required"): small models seldom do by themselves
}

// DefaultConfig is DESIGN section 1.
func DefaultConfig() Config {
	return Config{
		Rounds: 4, FirstCall: 3 * time.Second, LaterCall: 2 * time.Second, ToolCall: 5 * time.Second,
		ToolHedge: 1500 * time.Millisecond, HedgeShare: 0.25, AnswerTime: 1500 * time.Millisecond,
		MinCall: 150 * time.Millisecond, MaxTokens: 512, Temperature: 1.0, TopP: 0.95,
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	positive := func(name string, v float64) {
		if v <= 0 {
			errs = append(errs, fmt.Errorf("%s: %v is not positive", name, v))
		}
	}
	positive("rounds", float64(c.Rounds))
	positive("first_call", float64(c.FirstCall))
	positive("later_call", float64(c.LaterCall))
	positive("tool_call", float64(c.ToolCall))
	positive("answer_time", float64(c.AnswerTime))
	positive("min_call", float64(c.MinCall))
	positive("max_tokens", float64(c.MaxTokens))
	positive("top_p", c.TopP)
	if c.ToolHedge < 0 {
		errs = append(errs, fmt.Errorf("tool_hedge: %v is negative", c.ToolHedge))
	}
	if c.HedgeShare < 0 || c.HedgeShare > 1 {
		errs = append(errs, fmt.Errorf("hedge_share: %v is not from 0 to 1", c.HedgeShare))
	}
	if c.Temperature < 0 {
		errs = append(errs, fmt.Errorf("temperature: %v is negative", c.Temperature))
	}
	return errors.Join(errs...)
}

// Deps are the collaborators.
type Deps struct {
	Clock *clock.Clock
	Log   *slog.Logger
	Model model.Model

	Telemetry *telemetry.Instruments // nil: none
}

// Release is what one run is made with, resolved once at its start.
type Release struct {
	*harness.Release
	Engine  *hook.Engine
	Toolbox Toolbox
	Prompts Prompter
	Private *guardrail.Shingles // prose of the harness that no reply repeats (PrivateTexts)
}

// PrivateTexts are the harness's own words to the policy: prompt blocks, skills
// and what tools are for. No reply may repeat them.
func PrivateTexts(r *harness.Release) *guardrail.Shingles {
	var texts []string
	for _, blocks := range [][]harness.Block{r.Prompt, r.Compact} {
		for _, b := range blocks {
			texts = append(texts, b.Text)
		}
	}
	for _, k := range r.Skills {
		texts = append(texts, k.Body)
	}
	for _, t := range r.Tools {
		texts = append(texts, t.Description)
	}
	return guardrail.Prompts(texts...)
}

// Versions are what the run's events carry.
func (r *Release) Versions() event.Versions {
	return event.Versions{Release: r.ID, PolicyVersion: r.Policy.Version, HarnessHash: r.Hash}
}

// Toolbox executes tool calls (tool.Toolset). Safe for concurrent use; a failure is
// a result with a code.
type Toolbox interface {
	Call(ctx context.Context, run *tool.Run, name, args string) tool.Result
}

// Prompter builds the prompt of a run (prompt.Builder). Safe for concurrent use.
type Prompter interface {
	Build(w *event.Window, compact bool) prompt.Prompt
}

// Task is one run to make.
type Task struct {
	Window   event.Window // Members are those this run holds the claims of
	Attempt  int
	Deadline time.Time // room time; the run's own
	Compact  bool      // too little time for the full route
	Release  *Release
	Received time.Time // wall, when window.v1 was received
	Recorder *trajectory.Recorder
}

// Result is what a run leaves to be published. Reply is nil when every member
// ended in an outcome.
type Result struct {
	Reply    *event.Reply
	Outcomes []event.Outcome
	Hits     []event.GuardrailHit
}

// Runner makes runs. It is safe for concurrent use.
type Runner struct {
	cfg    Config
	clock  *clock.Clock
	log    *slog.Logger
	model  model.Model
	spans  *telemetry.Instruments
	hedges *hedges
}

// New makes a runner.
func New(cfg Config, deps Deps) (*Runner, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("runner: %w", err)
	}
	return &Runner{cfg: cfg, clock: deps.Clock, log: deps.Log, model: deps.Model, spans: deps.Telemetry, hedges: newHedges(cfg.HedgeShare)}, nil
}

// Run makes one run. Its error is only our own shutdown: everything else ends in
// a reply or in outcomes.
func (r *Runner) Run(ctx context.Context, t Task) (Result, error) {
	s := r.begin(t)
	ctx, s.span = r.spans.Agent(ctx, s.w, s.runID, s.rel.Versions())
	runCtx, cancel := r.clock.WithDeadline(ctx, t.Deadline)
	defer cancel()
	end := s.drive(runCtx)
	if err := ctx.Err(); err != nil {
		s.span.AgentDone(ctx, telemetry.AgentResult{Route: s.route, Rounds: s.round, Failure: string(model.Canceled)})
		return Result{}, fmt.Errorf("run %s: %w", s.runID, err)
	}
	s.rescue(ctx, end)
	res := s.finish(ctx)
	s.span.AgentDone(ctx, telemetry.AgentResult{Ending: s.endName(res), Route: s.route, Rounds: s.round, Failure: end.failure()})
	return res, nil
}

// ending is how the loop ended: with decisions made, or with a cause to recover from.
type ending struct {
	cause  string // "" when the policy decided
	action hook.Action
	rule   string
}

var decided = ending{}

// failure is the cause of an ending that is nobody's decision: a rule's verdict is
// no failure.
func (e ending) failure() string {
	if e.rule != "" {
		return ""
	}
	return e.cause
}
