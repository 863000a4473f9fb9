package model

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

var thinkTag = regexp.MustCompile(`(?i)<\s*(/?)\s*(?:think|thinking|thought|reasoning)\s*>`)

// SplitThinking separates reasoning that a policy wrote into its content from
// the content itself. Everything before a closer without opener, and everything
// after an opener without closer, is reasoning. It is given the whole content,
// so tags split across chunks need no special care.
func SplitThinking(content string) (text, reasoning string) {
	tags := thinkTag.FindAllStringSubmatchIndex(content, -1)
	if len(tags) == 0 {
		return content, ""
	}
	var out, think strings.Builder
	depth, at := 0, 0
	for _, t := range tags {
		part := content[at:t[0]]
		at = t[1]
		closer := t[3] > t[2]
		switch {
		case depth > 0:
			think.WriteString(part)
		case closer: // orphan closer: what was thought to be text was reasoning
			think.WriteString(out.String())
			think.WriteString(part)
			out.Reset()
		default:
			out.WriteString(part)
		}
		if closer {
			depth = max(depth-1, 0)
		} else {
			depth++
		}
	}
	if depth > 0 {
		think.WriteString(content[at:])
	} else {
		out.WriteString(content[at:])
	}
	return strings.TrimSpace(out.String()), strings.TrimSpace(think.String())
}

var (
	textCall  = regexp.MustCompile(`(?s)<tool_call>\s*(.*?)\s*</tool_call>`)
	xmlCall   = regexp.MustCompile(`(?s)^<function=([^>\s]+)>\s*(.*?)\s*</function>$`)
	xmlParam  = regexp.MustCompile(`(?s)<parameter=([^>\s]+)>\s*(.*?)\s*</parameter>`)
	jsonCall  = regexp.MustCompile(`(?s)^\{.*\}$`)
	jsonSpace = regexp.MustCompile(`^\s*$`)
)

// RescueCalls reads tool calls that a policy wrote as text instead of calling.
// It succeeds only when the content is nothing but complete calls of offered
// tools; otherwise the content is left for the leakage check to stop.
func RescueCalls(content string, tools []Tool) ([]ToolCall, bool) {
	if !strings.Contains(content, "<tool_call>") || !jsonSpace.MatchString(textCall.ReplaceAllString(content, "")) {
		return nil, false
	}
	schemas := make(map[string]json.RawMessage, len(tools))
	for _, t := range tools {
		schemas[t.Name] = t.Parameters
	}
	var calls []ToolCall
	for _, m := range textCall.FindAllStringSubmatch(content, -1) {
		call, ok := parseTextCall(m[1], schemas)
		if !ok {
			return nil, false
		}
		calls = append(calls, call)
	}
	return calls, len(calls) > 0
}

func parseTextCall(body string, schemas map[string]json.RawMessage) (ToolCall, bool) {
	if m := xmlCall.FindStringSubmatch(body); m != nil {
		schema, ok := schemas[m[1]]
		if !ok || !jsonSpace.MatchString(xmlParam.ReplaceAllString(m[2], "")) {
			return ToolCall{}, false
		}
		return ToolCall{Name: m[1], Arguments: xmlArguments(m[2], schema)}, true
	}
	if !jsonCall.MatchString(body) {
		return ToolCall{}, false
	}
	var c struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	if json.Unmarshal([]byte(body), &c) != nil {
		return ToolCall{}, false
	}
	if _, ok := schemas[c.Name]; !ok {
		return ToolCall{}, false
	}
	args := c.Arguments
	if args == nil {
		args = c.Parameters
	}
	return ToolCall{Name: c.Name, Arguments: ArgumentText(args)}, true
}

// xmlArguments makes a JSON object of parameter elements; a value is a string
// unless the schema gives another type and the value is JSON of that kind.
func xmlArguments(body string, schema json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // an unreadable schema leaves every value a string
	args := map[string]any{}
	for _, m := range xmlParam.FindAllStringSubmatch(body, -1) {
		args[m[1]] = m[2]
		if s.Properties[m[1]].Type != "string" && json.Valid([]byte(m[2])) {
			args[m[1]] = json.RawMessage(m[2])
		}
	}
	b, err := json.Marshal(args)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// ArgumentText is the argument text of a call: the content of a JSON string, an
// object as it stands, "{}" for nothing.
func ArgumentText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return "{}"
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		if strings.TrimSpace(s) == "" {
			return "{}"
		}
		return s
	}
	return string(raw)
}
