package policy

import (
	"fmt"
	"net/http"
)

// sender writes a generation to the client, as a stream of server-sent events or
// at the end as one object.
type sender struct {
	w      http.ResponseWriter
	flush  *http.ResponseController
	g      *generation
	stream bool
	usage  bool
	begun  bool
}

func newSender(w http.ResponseWriter, g *generation, cr chatRequest) *sender {
	return &sender{w: w, flush: http.NewResponseController(w), g: g, stream: cr.Stream, usage: cr.StreamOptions.IncludeUsage}
}

// begin sends the headers and the role.
func (s *sender) begin() error {
	s.begun = true
	if !s.stream {
		return nil
	}
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
	empty := ""
	return s.send([]message{{Role: "assistant", Content: &empty}})
}

// send streams deltas in one flush.
func (s *sender) send(deltas []message) error {
	if !s.stream || len(deltas) == 0 {
		return nil
	}
	for i := range deltas {
		if err := s.event(choice{Delta: &deltas[i]}); err != nil {
			return err
		}
	}
	return s.flushed()
}

func (s *sender) event(c ...choice) error {
	out := s.object("chat.completion.chunk", c)
	if len(c) == 0 {
		out.Usage = &s.g.usage
	}
	if _, err := fmt.Fprintf(s.w, "data: %s\n\n", marshal(out)); err != nil {
		return fmt.Errorf("policy: stream: %w", err)
	}
	return nil
}

func (s *sender) flushed() error {
	if err := s.flush.Flush(); err != nil {
		return fmt.Errorf("policy: stream: %w", err)
	}
	return nil
}

// end sends the finish reason, usage and end of stream; or the whole object. Once
// the client is gone there is nobody to tell, so errors are dropped.
func (s *sender) end() {
	finish := s.g.finish
	if !s.stream {
		writeJSON(s.w, http.StatusOK, s.whole(&finish))
		return
	}
	if !s.begun && s.begin() != nil {
		return
	}
	if s.event(choice{Delta: &message{}, FinishReason: &finish}) != nil {
		return
	}
	if s.usage && s.event() != nil {
		return
	}
	if _, err := fmt.Fprint(s.w, "data: [DONE]\n\n"); err == nil {
		_ = s.flush.Flush()
	}
}

func (s *sender) whole(finish *string) completion {
	m := &message{Role: "assistant", ReasoningContent: s.g.reasoning}
	if content := s.g.decision.Content; content != "" || len(s.g.decision.Calls) == 0 {
		m.Content = &content
	}
	for _, piece := range s.g.pieces() {
		for _, d := range piece {
			for _, c := range d.ToolCalls {
				if c.ID != "" {
					c.Function.Arguments = s.g.decision.Calls[c.Index].Arguments
					m.ToolCalls = append(m.ToolCalls, c)
				}
			}
		}
	}
	if *finish == finishAbort {
		m = &message{Role: "assistant"}
	}
	out := s.object("chat.completion", []choice{{Message: m, FinishReason: finish}})
	out.Usage = &s.g.usage
	return out
}

func (s *sender) object(kind string, c []choice) completion {
	if c == nil {
		c = []choice{}
	}
	return completion{
		ID: s.g.id, Object: kind, Created: s.g.created.Unix(), Model: ModelID,
		SystemFingerprint: ModelName, Choices: c,
	}
}
