package openaimodel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"livehost/agentworker/model"
	"livehost/internal/fault"
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
	Error  json.RawMessage `json:"error"`
	Model  string          `json:"model"`
	Object string          `json:"object"`

	// of errors that are no object of their own
	Type    json.RawMessage `json:"type"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
}

// failure is the error that the chunk reports, nil when it reports none.
func (c *chunk) failure() json.RawMessage {
	found := c.Error
	for _, ch := range c.Choices {
		if !says(found) {
			found = ch.Error
		}
	}
	flat := c.Object == "error" || string(c.Type) == `"error"`
	switch {
	case says(found):
		return found
	case !flat && (len(c.Choices) > 0 || c.Usage != nil):
		return nil
	case says(c.Message) && (flat || c.Message[0] == '"'): // an object is an answer of another protocol
		return c.Message
	case says(c.Detail):
		return c.Detail
	case flat:
		return json.RawMessage(`"error"`)
	}
	return nil
}

// says reports whether a field is there and not empty.
func says(raw json.RawMessage) bool {
	return len(raw) > 0 && !slices.Contains([]string{"null", `""`, "{}", "false"}, string(raw))
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
	finish             model.Finish // "" until there is one
	model              string
	usage              model.Usage
	pieces             int  // deltas that held something of the answer
	deltas             bool // it comes in deltas: a message after them says all of it again
	choices            bool // a chunk had choices: it is the protocol
}

// slot is one tool call under construction.
type slot struct {
	index    int // -1 when the provider gives none
	id, name string
	args     strings.Builder
}

// chunk adds one streamed object.
func (a *assembly) chunk(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		class := model.Malformed
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && syntax.Offset == int64(len(raw)) {
			class = model.Cut // it ends inside a chunk
		}
		return &model.Error{Class: class, Err: fault.Errorf(fault.Unavailable, "stream: %w", err)}
	}
	if a.model == "" {
		a.model = c.Model
	}
	if failure := c.failure(); failure != nil {
		return &model.Error{Class: model.StreamError, Err: fault.Errorf(fault.Unavailable, "stream: %s", clip(failure))}
	}
	for _, ch := range c.Choices {
		a.choices = true
		a.deltas = a.add(ch.Delta) || a.deltas
		if !a.deltas {
			a.add(ch.Message)
		}
		if err := a.end(ch.Finish); err != nil {
			return err
		}
	}
	if c.Usage != nil && c.Usage.Prompt+c.Usage.Completion > 0 {
		a.usage = model.Usage{Prompt: c.Usage.Prompt, Completion: c.Usage.Completion}
	}
	return nil
}

// end takes a finish reason, in the words of many engines and gateways. One that
// says that the engine gave up is no answer. Nor is one that nobody has heard of: the
// protocol's own are few, and what was ever added to them meant that something had
// gone wrong. The error names it, so that the step of the call does.
func (a *assembly) end(reason string) error {
	switch strings.TrimPrefix(strings.ToLower(reason), "finish_reason_") {
	case "", "null":
		return nil
	case "stop", "tool_calls", "tool_call", "function_call", "tool_use", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "end", "done", "finished", "normal", "stop_token":
		a.finish = model.FinishStop
	case "length", "max_tokens", "max_length", "model_length", "model_context_window_exceeded":
		a.finish = model.FinishLength
	case "content_filter", "sensitive", "refusal", "safety", "recitation", "prohibited_content", "blocklist":
		a.finish = model.FinishFilter
	case "error":
		return &model.Error{Class: model.StreamError, Err: fault.Errorf(fault.Unavailable, "stream: finish reason error")}
	case "abort", "network_error", "insufficient_system_resource":
		return &model.Error{Class: model.Cut, Err: fault.Errorf(fault.Unavailable, "stream: broken off by the engine, finish reason %s", reason)}
	default:
		return &model.Error{Class: model.Malformed, Err: fault.Errorf(fault.Unavailable, "stream: unknown finish reason %s", clip([]byte(reason)))}
	}
	return nil
}

// add takes in what of the answer there is in d, and reports whether there is any.
func (a *assembly) add(d delta) bool {
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
	holds := d.Content.text != "" || d.Content.thinking != "" || reasoning != "" || len(d.ToolCalls) > 0
	if holds {
		a.pieces++
	}
	return holds
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

// toolCalls are the calls, without the one that a broken-off answer ends in: what it
// was to be called with had not come yet.
func (a *assembly) toolCalls() []model.ToolCall {
	out := make([]model.ToolCall, 0, len(a.calls))
	for i, s := range a.calls {
		args := strings.TrimSpace(s.args.String())
		if i == len(a.calls)-1 && a.brokenOff() && !model.IsObject(args) {
			break
		}
		if args == "" || args == "null" {
			args = "{}"
		}
		out = append(out, model.ToolCall{ID: s.id, Name: s.name, Arguments: args})
	}
	return out
}

func (a *assembly) brokenOff() bool { return a.finish != "" && a.finish != model.FinishStop }

// into is the answer as it stands at the stream's end.
func (a *assembly) into(resp model.Response, tools []model.Tool) model.Response {
	text, thought := model.SplitThinking(a.content.String())
	resp.Content, resp.Model = text, a.model
	resp.Reasoning = strings.TrimSpace(a.reasoning.String() + "\n" + thought)
	resp.ToolCalls = a.toolCalls()
	resp.Usage = a.usage
	resp.Finish = cmp.Or(a.finish, model.FinishStop)
	if len(resp.ToolCalls) == 0 {
		if calls, ok := model.RescueCalls(text, tools); ok {
			resp.ToolCalls, resp.Content, resp.Rescued = calls, "", true
		}
	}
	return resp
}
