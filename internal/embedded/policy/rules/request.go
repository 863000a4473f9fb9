package rules

import (
	"bytes"

	"github.com/goccy/go-json"
)

// Request is the part of a chat-completions request that the rules read.
type Request struct {
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`
}

// Message is one turn of the conversation.
type Message struct {
	Role       string     `json:"role"`
	Content    Content    `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

// ToolCall is a call the assistant made earlier.
type ToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is one offered tool.
type Tool struct {
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Content is the text of a message, given as a string, as text parts, or null.
type Content string

// UnmarshalJSON joins text parts; parts of other kinds are ignored.
func (c *Content) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*c = Content(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += Content(p.Text)
	}
	return nil
}

// Decision is what the policy answers: tool calls, or the final content, or
// neither (nothing is left to say). Trace says why, in a line or two.
type Decision struct {
	Calls   []Call
	Content string
	Trace   string
}

// Call is one tool call to make. Arguments is a JSON object with sorted keys.
type Call struct {
	Tool      string
	Arguments string
}
