package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"livehost/streams/event"
)

// Span is one piece of work under way. The zero value records nothing.
type Span struct {
	in    *Instruments
	span  trace.Span
	began time.Time
	name  string // of the tool or the model
	agent string
}

// Window begins the span of a window's processing by one run, at the wall instant
// at which the window was received. It is the root of the window's trace in this
// process.
func (in *Instruments) Window(ctx context.Context, w *event.Window, run event.RunID, n int, received time.Time) (context.Context, Span) {
	if in == nil {
		return ctx, Span{}
	}
	ctx, span := in.begin(asRoot(ctx, w.WindowID, run), "process "+event.TopicWindow, trace.SpanKindConsumer,
		trace.WithNewRoot(), trace.WithTimestamp(received))
	if span.IsRecording() {
		span.SetAttributes(system.String("kafka"), destination.String(event.TopicWindow), windowID.String(string(w.WindowID)),
			runID.String(string(run)), roomID.String(string(w.RoomID)), variant.String(string(w.Variant)), kind.String(string(w.Kind)),
			mode.String(string(w.Mode)), members.Int(len(w.Members)), attempt.Int(n))
	}
	return ctx, Span{in: in, span: span, began: received}
}

// Agent begins the span of a run's loop.
func (in *Instruments) Agent(ctx context.Context, w *event.Window, run event.RunID, v event.Versions) (context.Context, Span) {
	if in == nil {
		return ctx, Span{}
	}
	ctx, span := in.begin(ctx, invokeAgent+" "+v.Release, trace.SpanKindInternal)
	if span.IsRecording() {
		conversation := string(w.BroadcastID)
		if conversation == "" {
			conversation = string(w.RoomID)
		}
		span.SetAttributes(operationName.String(invokeAgent), providerName.String(openAI), agentName.String(v.Release),
			agentVersion.String(v.HarnessHash), conversationID.String(conversation), requestModel.String(v.PolicyVersion),
			windowID.String(string(w.WindowID)), runID.String(string(run)), variant.String(string(w.Variant)),
			release.String(v.Release), policy.String(v.PolicyVersion))
	}
	return ctx, Span{in: in, span: span, began: time.Now(), agent: v.Release}
}

// AgentResult is how a run ended. Failure is why it has no proper answer: the cause
// of a fallback or our own shutdown; empty when the policy decided.
type AgentResult struct {
	Ending  string // "reply", or the first outcome
	Route   string // "" full, "compact", "conservative"
	Rounds  int
	Failure string
}

// AgentDone ends the span of a run.
func (s Span) AgentDone(ctx context.Context, r AgentResult) {
	if s.in == nil {
		return
	}
	finish(s.span, r.Failure, ending.String(r.Ending), route.String(r.Route), rounds.Int(r.Rounds))
	s.in.agent.Record(ctx, s.in.room(time.Since(s.began)), failed(r.Failure,
		operationName.String(invokeAgent), providerName.String(openAI), agentName.String(s.agent), ending.String(r.Ending), route.String(r.Route)))
}

// ChatRequest is one call to the policy.
type ChatRequest struct {
	Model       string
	MaxTokens   int
	Temperature float64
	TopP        float64
	Round       int
	Route       string
}

// Chat begins the span of a policy call.
func (in *Instruments) Chat(ctx context.Context, r ChatRequest) (context.Context, Span) {
	if in == nil {
		return ctx, Span{}
	}
	ctx, span := in.begin(ctx, chat+" "+r.Model, trace.SpanKindClient)
	if span.IsRecording() {
		span.SetAttributes(operationName.String(chat), providerName.String(openAI), requestModel.String(r.Model), requestMax.Int(r.MaxTokens),
			requestTemp.Float64(r.Temperature), requestTopP.Float64(r.TopP), round.Int(r.Round), route.String(r.Route))
	}
	return ctx, Span{in: in, span: span, began: time.Now(), name: r.Model}
}

// ChatResult is what a policy call came to. Durations are wall time.
type ChatResult struct {
	Model        string // as the replica names it; empty when it does not
	Replica      string
	Finish       string
	InputTokens  int
	OutputTokens int
	Wait         time.Duration // for a slot
	Took         time.Duration // inside the replica
	FirstToken   time.Duration // zero: there was none
	Rescued      bool          // calls that were written as text
	Failure      string        // class of the error
}

// ChatDone ends the span of a policy call.
func (s Span) ChatDone(ctx context.Context, r ChatResult) {
	if s.in == nil {
		return
	}
	labels := []attribute.KeyValue{operationName.String(chat), providerName.String(openAI), requestModel.String(s.name)}
	if r.Model != "" {
		labels = append(labels, responseModel.String(r.Model))
	}
	if s.span.IsRecording() {
		s.span.SetAttributes(serverAddress.String(r.Replica), slotWait.Float64(r.Wait.Seconds()))
		if r.Model != "" {
			s.span.SetAttributes(responseModel.String(r.Model))
		}
		if r.FirstToken > 0 {
			s.span.SetAttributes(firstToken.Float64(r.FirstToken.Seconds()))
		}
		if r.Failure == "" {
			s.span.SetAttributes(inputTokens.Int(r.InputTokens), outputTokens.Int(r.OutputTokens), finishReasons.StringSlice([]string{r.Finish}), rescued.Bool(r.Rescued))
		}
	}
	finish(s.span, r.Failure)
	if r.Replica == "" {
		return // no replica was asked
	}
	s.in.operation.Record(ctx, s.in.room(r.Took), failed(r.Failure, labels...))
	if r.FirstToken > 0 {
		s.in.firstToken.Record(ctx, s.in.room(r.FirstToken), failed(r.Failure, labels...))
	}
	s.in.count(ctx, "input", r.InputTokens, labels)
	s.in.count(ctx, "output", r.OutputTokens, labels)
}

func (in *Instruments) count(ctx context.Context, of string, n int, labels []attribute.KeyValue) {
	if n > 0 {
		in.tokens.Record(ctx, int64(n), metric.WithAttributes(append(labels[:len(labels):len(labels)], tokenType.String(of))...))
	}
}

// Tool begins the span of a tool call; id is the call's, binding what runs it. A
// name that the release does not have is the policy's invention: it is given as
// known false, and is no label.
func (in *Instruments) Tool(ctx context.Context, name, id, binding string, known bool, n int) (context.Context, Span) {
	if in == nil {
		return ctx, Span{}
	}
	if !known {
		name = "unknown"
	}
	ctx, span := in.begin(ctx, executeTool+" "+name, trace.SpanKindInternal)
	if span.IsRecording() {
		span.SetAttributes(operationName.String(executeTool), toolName.String(name), toolCallID.String(id),
			toolType.String("function"), kind.String(binding), round.Int(n))
	}
	return ctx, Span{in: in, span: span, began: time.Now(), name: name}
}

// ToolDone ends the span of a tool call; code is its error, empty when it has none, and
// wasHedged that it was made again because it was slow.
func (s Span) ToolDone(ctx context.Context, code string, wasHedged bool) {
	if s.in == nil {
		return
	}
	labels := []attribute.KeyValue{operationName.String(executeTool), toolName.String(s.name)}
	if wasHedged {
		s.span.SetAttributes(hedged.Bool(true))
		labels = append(labels, hedged.Bool(true))
	}
	finish(s.span, code)
	s.in.tool.Record(ctx, s.in.room(time.Since(s.began)), failed(code, labels...))
}

// Hook notes on the span of a run that a rule fired.
func (s Span) Hook(name, did string) { s.note("hook", rule.String(name), action.String(did)) }

// Fallback notes on the span of a run what it fell back to, and why.
func (s Span) Fallback(to, why string) { s.note("fallback", route.String(to), cause.String(why)) }

func (s Span) note(name string, attrs ...attribute.KeyValue) {
	if s.in != nil && s.span.IsRecording() {
		s.span.AddEvent(name, trace.WithAttributes(attrs...))
	}
}

// End ends a span without measurement; failure is empty when all is well.
func (s Span) End(failure string) {
	if s.in != nil {
		finish(s.span, failure)
	}
}
