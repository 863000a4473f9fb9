package openaimodel

import (
	"bytes"
	"encoding/json"
	"strings"

	"livehost/agentworker/model"
)

// chunk is one streamed object, decoded tolerantly: providers disagree on null,
// strings, objects and arrays.
type chunk struct {
	Choices []struct {
		Delta   delta           `json:"delta"`
		Message delta           `json:"message"` // a whole answer in place of a stream
		Finish  string          `json:"finish_reason"`
		Error   json.RawMessage `json:"error"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Model   string          `json:"model"`
	Object  string          `json:"object"`
	Message json.RawMessage `json:"message"` // flat errors
}

type delta struct {
	Content          parts           `json:"content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent parts           `json:"reasoning_content"`
	ToolCalls        []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// arguments is a piece of argument text, or the whole object.
type arguments string

// UnmarshalJSON takes a string, an object or null.
func (a *arguments) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(a))
	}
	if !bytes.Equal(b, []byte("null")) {
		*a = arguments(b)
	}
	return nil
}

// parts is text, or a list of typed parts of which "thinking" is reasoning.
type parts struct{ text, thinking string }

// UnmarshalJSON takes a string, a list of parts or null.
func (p *parts) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || bytes.Equal(b, []byte("null")):
		return nil
	case b[0] == '"':
		return json.Unmarshal(b, &p.text)
	}
	var list []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	for _, part := range list {
		p.text += part.Text
		if len(part.Thinking) > 0 {
			var inner parts
			if err := inner.UnmarshalJSON(part.Thinking); err != nil {
				return err
			}
			p.thinking += inner.text
		}
	}
	return nil
}

// assembly is an answer under construction.
type assembly struct {
	content, reasoning strings.Builder
	calls              []*slot
	finish, model      string
	usage              model.Usage
	pieces             int  // deltas that held something of the answer
	choices            bool // a chunk had choices: it is the protocol
}

// slot is one tool call under construction.
type slot struct {
	index    int // -1 when the provider gives none
	id, name string
	args     strings.Builder
}

func (a *assembly) add(d delta) {
	reasoning := d.ReasoningContent.text
	if reasoning == "" && len(d.Reasoning) > 0 && d.Reasoning[0] == '"' {
		_ = json.Unmarshal(d.Reasoning, &reasoning) // a broken string is no reasoning
	}
	a.content.WriteString(d.Content.text)
	a.reasoning.WriteString(d.Content.thinking)
	a.reasoning.WriteString(reasoning)
	for _, c := range d.ToolCalls {
		a.addCall(c)
	}
	if d.Content.text != "" || d.Content.thinking != "" || reasoning != "" || len(d.ToolCalls) > 0 {
		a.pieces++
	}
}

// addCall puts a delta where it belongs: to the call of its index, or the last
// one when it has none; a new id, or a name after complete arguments, at a used
// index starts another call.
func (a *assembly) addCall(c callDelta) {
	s := a.find(c)
	name := c.Function.Name
	starts := s == nil || s.ended(c)
	if starts {
		if c.ID == "" && name == "" && c.Function.Arguments == "" {
			return // an empty chunk after the calls
		}
		s = &slot{index: -1}
		if c.Index != nil {
			s.index = *c.Index
		}
		a.calls = append(a.calls, s)
	}
	if s.id == "" {
		s.id = c.ID
	}
	if s.name == "" {
		s.name = name
	}
	s.args.WriteString(string(c.Function.Arguments))
}

// ended reports whether the delta begins another call rather than going on with s.
func (s *slot) ended(c callDelta) bool {
	name := c.Function.Name
	switch {
	case c.ID != "" && c.ID == s.id:
		return false // its id in every delta
	case c.ID != "" && s.id != "":
		return true
	case name == "" || s.name == "":
		return false
	}
	return name != s.name || c.Index == nil || s.args.Len() > 0 && json.Valid([]byte(s.args.String()))
}

// find is the latest slot the delta may continue.
func (a *assembly) find(c callDelta) *slot {
	for i := len(a.calls) - 1; i >= 0; i-- {
		s := a.calls[i]
		switch {
		case c.Index != nil && s.index == *c.Index,
			c.Index == nil && c.ID != "" && s.id == c.ID,
			c.Index == nil && c.ID == "":
			return s
		}
	}
	return nil
}

func (a *assembly) toolCalls() []model.ToolCall {
	out := make([]model.ToolCall, 0, len(a.calls))
	for _, s := range a.calls {
		args := strings.TrimSpace(s.args.String())
		if args == "" || args == "null" {
			args = "{}"
		}
		out = append(out, model.ToolCall{ID: s.id, Name: s.name, Arguments: args})
	}
	return out
}
