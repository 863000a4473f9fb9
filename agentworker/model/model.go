package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Role is who speaks in a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one message of the conversation with the policy.
type Message struct {
	Role       Role
	Prefix     string // text before Content that many requests share; it is kept once
	Content    string
	ToolCalls  []ToolCall // assistant
	ToolCallID string     // tool: the call it answers
}

// Tool is what the policy may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema
}

// ToolCall is one call the policy asks for. ID may be empty or repeated: the
// runner gives its own. Arguments is the text as received, "{}" when there was none.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// IsObject reports whether a call's arguments are a whole JSON object.
func IsObject(arguments string) bool {
	var obj map[string]json.RawMessage
	return json.Unmarshal([]byte(arguments), &obj) == nil && obj != nil
}

// Request is one completion to make.
type Request struct {
	ID          string // unique and no prefix of another, as replicas abort by prefix; sent along
	Messages    []Message
	Tools       []Tool
	MaxTokens   int // upper bound; 0 leaves it to the replica
	Temperature float64
	TopP        float64
	MustCall    bool          // the answer has to be a call of one of Tools, where the replica can hold the policy to it
	NoThinking  bool          // ask for no reasoning, where the policy knows the switch
	Budget      time.Duration // room time, from when a replica takes the request; the context bounds the whole
	Avoid       string        // replica that just failed; used only when no other is there
}

// Digest tells two requests apart by all that the policy is shown: messages, tools
// and the thinking switch, but no id and no budget.
func (r Request) Digest() string {
	h := sha256.New()
	add := func(texts ...string) {
		for _, s := range texts {
			_, _ = io.WriteString(h, s) // a hash does not fail
			_, _ = h.Write([]byte{0})
		}
	}
	for _, m := range r.Messages {
		add("message", string(m.Role), m.ToolCallID)
		_, _ = io.WriteString(h, m.Prefix)
		add(m.Content)
		for _, c := range m.ToolCalls {
			add("call", c.ID, c.Name, c.Arguments)
		}
	}
	for _, t := range r.Tools {
		add("tool", t.Name, t.Description, string(t.Parameters))
	}
	if r.NoThinking {
		add("no thinking")
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Usage counts tokens.
type Usage struct {
	Prompt     int
	Completion int
}

// Response is one complete answer. Replica, Wait and Took are set on errors too.
type Response struct {
	Content    string
	Reasoning  string // for trajectory.v1 only
	ToolCalls  []ToolCall
	Finish     Finish
	Usage      Usage
	Rescued    bool          // the tool calls were written as text
	Model      string        // as the replica names it; empty when it does not
	Replica    string        // which replica answered
	FirstToken time.Duration // wall, from the request to the first token of any kind
	LocalSlots bool          // the slots shared with other processes were away: only this process's were counted
	Wait       time.Duration // wall, waiting for a slot
	Took       time.Duration // wall, inside the replica
}

// Finish is why the policy stopped.
type Finish string

// The reasons. Adapters map providers' other words to them, and a word for a failure,
// or an unknown one, to an error; tool calls are told by their presence, not by the reason.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length"
	FinishFilter Finish = "content_filter"
)

// Model makes completions. Implementations are safe for concurrent use, return
// within the context, and fail with an *Error.
type Model interface {
	Complete(ctx context.Context, req Request) (Response, error)
}

// Class says how a call failed, for causes in trajectories.
type Class string

// The classes of failure.
const (
	Timeout     Class = "timeout"      // budget or deadline used up
	Stalled     Class = "stalled"      // no first token, or none after the last, within the limit
	Cut         Class = "cut_stream"   // the stream ended before the answer did
	StreamError Class = "stream_error" // the replica reported an error in the stream
	Rejected    Class = "rejected"     // the replica refuses the request (4xx); another try is useless
	RateLimited Class = "rate_limited" // 429
	Unreachable Class = "unreachable"  // no connection, 5xx
	Malformed   Class = "malformed"    // not the protocol
	NoSlot      Class = "no_slot"      // no replica took it in time, or the queue is full
	Canceled    Class = "canceled"     // our own shutdown
)

// Error is a failed call. It wraps the adapter's error, which has a fault kind.
type Error struct {
	Class Class
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("policy call: %s: %v", e.Class, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of err; a context's end is Timeout or Canceled, and
// anything unknown is Malformed.
func ClassOf(err error) Class {
	var have *Error
	switch {
	case errors.As(err, &have):
		return have.Class
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	default:
		return Malformed
	}
}
