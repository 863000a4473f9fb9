package modeltest

import (
	"context"
	"errors"
	"sync"
	"time"

	"livehost/agentworker/model"
	"livehost/internal/fault"
)

// Step is one answer of the script.
type Step func(ctx context.Context, req model.Request) (model.Response, error)

// Script is a model that takes its steps in order and repeats the last one.
type Script struct {
	mu    sync.Mutex
	steps []Step
	next  int
	asked []model.Request
}

// New makes a script.
func New(steps ...Step) *Script { return &Script{steps: steps} }

// Complete takes the next step.
func (s *Script) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	s.mu.Lock()
	req.Messages = append([]model.Message(nil), req.Messages...)
	s.asked = append(s.asked, req)
	step := s.steps[min(s.next, len(s.steps)-1)]
	s.next++
	s.mu.Unlock()
	if req.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, req.Budget) // scripts run at speed 1
		defer cancel()
	}
	resp, err := step(ctx, req)
	if resp.Replica == "" {
		resp.Replica = "script"
	}
	return resp, err
}

// Asked is every request so far.
func (s *Script) Asked() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]model.Request(nil), s.asked...)
}

// Say answers with text.
func Say(text string) Step {
	return func(context.Context, model.Request) (model.Response, error) {
		return model.Response{Content: text, Finish: model.FinishStop}, nil
	}
}

// Call answers with tool calls, given as name, arguments, name, arguments...
func Call(namesAndArgs ...string) Step {
	var calls []model.ToolCall
	for i := 0; i+1 < len(namesAndArgs); i += 2 {
		calls = append(calls, model.ToolCall{Name: namesAndArgs[i], Arguments: namesAndArgs[i+1]})
	}
	return func(context.Context, model.Request) (model.Response, error) {
		return model.Response{ToolCalls: calls, Finish: model.FinishStop}, nil
	}
}

// Finish answers with text and a finish reason.
func Finish(text string, f model.Finish) Step {
	return func(context.Context, model.Request) (model.Response, error) {
		return model.Response{Content: text, Finish: f}, nil
	}
}

// Fail fails at once.
func Fail(class model.Class) Step {
	return func(context.Context, model.Request) (model.Response, error) {
		return model.Response{}, &model.Error{Class: class, Err: fault.Wrap(fault.Unavailable, errors.New("scripted"))}
	}
}

// Hang answers nothing until its budget is used up.
func Hang() Step {
	return func(ctx context.Context, _ model.Request) (model.Response, error) {
		<-ctx.Done()
		class := model.Timeout
		if errors.Is(ctx.Err(), context.Canceled) {
			class = model.Canceled
		}
		return model.Response{}, &model.Error{Class: class, Err: ctx.Err()}
	}
}

// After takes its time before the step.
func After(d time.Duration, step Step) Step {
	return func(ctx context.Context, req model.Request) (model.Response, error) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return step(ctx, req)
		case <-ctx.Done():
			return Hang()(ctx, req)
		}
	}
}
