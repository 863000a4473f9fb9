package policy

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"livehost/internal/embedded/policy/latency"
	"livehost/internal/embedded/policy/rules"
)

// Finish reasons.
const (
	finishStop   = "stop"
	finishTools  = "tool_calls"
	finishLength = "length"
	finishAbort  = "abort"
)

// errAborted is the cause of a context that /abort_request ended.
var errAborted = errors.New("aborted by request")

// generation is one completion being made: what will be sent, and when.
type generation struct {
	id, rid   string
	created   time.Time
	decision  rules.Decision
	reasoning string
	finish    string
	usage     usage
	draw      latency.Call
	abort     context.CancelCauseFunc
}

// plan sizes the completion: the drawn number of tokens, never fewer than the
// visible ones, never more than the client's limit. The rest is simulated
// reasoning; a limit below the visible tokens cuts the answer.
func (g *generation) plan(req chatRequest, simulated bool) {
	visible := estimate(g.decision.Content)
	for _, c := range g.decision.Calls {
		visible += estimate(c.Tool) + estimate(c.Arguments) + callOverhead
	}
	g.finish = finishStop
	if len(g.decision.Calls) > 0 {
		g.finish = finishTools
	}
	total := visible
	if req.thinks() {
		total = max(g.draw.Tokens, visible)
	}
	if limit := req.limit(); limit > 0 && total > limit {
		if total = limit; visible > limit {
			g.cut(limit)
			visible = limit
		}
	}
	if simulated {
		g.reasoning = reasoningText(g.decision.Trace, total-visible)
	}
	g.usage.CompletionTokens = total
	g.usage.Details.ReasoningTokens = total - visible
	for _, m := range req.Messages {
		g.usage.PromptTokens += estimate(string(m.Content)) + callOverhead
	}
	for _, t := range req.Tools {
		g.usage.PromptTokens += estimate(t.Function.Name) + estimate(string(t.Function.Parameters)) + callOverhead
	}
	g.usage.TotalTokens = g.usage.PromptTokens + total
}

// callOverhead is what a message or call costs beside its text, in tokens.
const callOverhead = 6

// cut shortens the answer to about n tokens, as a server does at max_tokens: text
// stops in the middle, a tool call's arguments stay incomplete.
func (g *generation) cut(n int) {
	g.finish = finishLength
	keep := func(s string) string {
		tenths := 0
		for i, r := range s {
			if tenths += tenthsOf(r); tenths > n*10 {
				s = s[:i]
				break
			}
		}
		n -= estimate(s)
		return s
	}
	g.decision.Content = keep(g.decision.Content)
	for i, c := range g.decision.Calls {
		n -= estimate(c.Tool) + callOverhead
		g.decision.Calls[i].Arguments = keep(c.Arguments)
		if n <= 0 {
			g.decision.Calls = g.decision.Calls[:i+1]
			return
		}
	}
}

// firstCJK is where the CJK blocks begin; most of a prompt is before them.
const firstCJK = 0x2E80

// estimate is a text's tokens: about 0.7 a Han character, 0.3 any other one.
func estimate(s string) int {
	tenths := 0
	for _, r := range s {
		tenths += tenthsOf(r)
	}
	return (tenths + 9) / 10
}

func tenthsOf(r rune) int {
	if r >= firstCJK && unicode.Is(unicode.Han, r) {
		return 7
	}
	return 3
}

// reasoningText is n tokens of simulated reasoning: the rules' own trace, then
// filler that says what it is.
func reasoningText(trace string, n int) string {
	if n <= 0 {
		return ""
	}
	const filler = " (simulated)"
	text := trace
	if have := estimate(text); have < n {
		text += strings.Repeat(filler, (n-have)*10/(3*len(filler)))
	}
	return text
}

// pieces parts the completion for sending: reasoning, content and calls in order.
// There are exactly latency.Chunks waits, so a piece may hold several frames.
func (g *generation) pieces() [latency.Chunks][]message {
	var out [latency.Chunks][]message
	var visible []message
	for i, c := range g.decision.Calls {
		id := "call_" + strings.TrimPrefix(g.id, "chatcmpl-") + "_" + strconv.Itoa(i)
		half := len(c.Arguments) / 2
		for half > 0 && !runeStart(c.Arguments[half]) {
			half--
		}
		visible = append(visible,
			message{ToolCalls: []toolCall{{Index: i, ID: id, Type: "function", Function: functionCall{Name: c.Tool}}}},
			message{ToolCalls: []toolCall{{Index: i, Function: functionCall{Arguments: c.Arguments[:half]}}}},
			message{ToolCalls: []toolCall{{Index: i, Function: functionCall{Arguments: c.Arguments[half:]}}}})
	}
	for _, part := range split(g.decision.Content, 3) {
		visible = append(visible, message{Content: &part})
	}
	// Reasoning fills the pieces before the last; visible frames follow where it ends.
	last := latency.Chunks - 1
	if g.reasoning == "" {
		for i, m := range visible {
			at := i * latency.Chunks / len(visible)
			out[at] = append(out[at], m)
		}
		return out
	}
	for i, part := range split(g.reasoning, last) {
		out[i] = append(out[i], message{ReasoningContent: part})
	}
	out[last] = append(out[last], visible...)
	return out
}

func runeStart(b byte) bool { return b&0xC0 != 0x80 }

// split parts text into n pieces of about equal length, between characters.
func split(text string, n int) []string {
	rs := []rune(text)
	var out []string
	for i := range n {
		if part := rs[len(rs)*i/n : len(rs)*(i+1)/n]; len(part) > 0 {
			out = append(out, string(part))
		}
	}
	return out
}
