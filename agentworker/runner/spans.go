package runner

import (
	"context"

	"livehost/agentworker/model"
	"livehost/agentworker/tool"
	"livehost/internal/telemetry"
)

// chat makes a policy call inside its span.
func (s *state) chat(ctx context.Context, req model.Request) (model.Response, error) {
	ctx, span := s.r.spans.Chat(ctx, telemetry.ChatRequest{
		Model: s.rel.Policy.Version, MaxTokens: req.MaxTokens, Temperature: req.Temperature, TopP: req.TopP, Round: s.round, Route: s.route,
	})
	resp, err := s.r.model.Complete(ctx, req)
	done := telemetry.ChatResult{
		Model: resp.Model, Replica: resp.Replica, Finish: string(resp.Finish), Rescued: resp.Rescued,
		InputTokens: resp.Usage.Prompt, OutputTokens: resp.Usage.Completion,
		Wait: resp.Wait, Took: resp.Took, FirstToken: resp.FirstToken,
	}
	if err != nil {
		done.Failure = string(model.ClassOf(err))
	}
	span.ChatDone(ctx, done)
	return resp, err
}

// call makes a tool call inside its span.
func (s *state) call(ctx context.Context, run *tool.Run, a *action) (res tool.Result, hedged int) {
	binding := ""
	if a.tool != nil {
		binding = string(a.tool.Binding.Kind)
	}
	ctx, span := s.r.spans.Tool(ctx, a.call.Name, a.call.ID, binding, a.tool != nil, s.round)
	res, hedged = s.execute(ctx, run, a)
	span.ToolDone(ctx, string(res.Code), hedged > 0)
	return res, hedged
}
