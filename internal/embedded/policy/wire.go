package policy

import (
	"github.com/goccy/go-json"

	"livehost/internal/embedded/policy/rules"
)

// chatRequest is what is read of a chat-completions request.
type chatRequest struct {
	rules.Request
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
	ChatTemplate        struct {
		EnableThinking *bool `json:"enable_thinking"`
	} `json:"chat_template_kwargs"`
	RID  string `json:"rid"`  // the client's id of the request, for /abort_request
	User string `json:"user"` // stands in for rid, which some client libraries cannot send
}

// requestID is what /abort_request knows the request by; it may be empty.
func (r chatRequest) requestID() string {
	if r.RID != "" {
		return r.RID
	}
	return r.User
}

// thinks says that the client has not turned reasoning off.
func (r chatRequest) thinks() bool {
	return r.ChatTemplate.EnableThinking == nil || *r.ChatTemplate.EnableThinking
}

// limit is the most completion tokens the client wants, 0 for no limit.
func (r chatRequest) limit() int {
	if r.MaxCompletionTokens > 0 {
		return r.MaxCompletionTokens
	}
	return r.MaxTokens
}

// completion is a response, or one chunk of a streamed one.
type completion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int64    `json:"created"`
	Model             string   `json:"model"`
	SystemFingerprint string   `json:"system_fingerprint"`
	Choices           []choice `json:"choices"`
	Usage             *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int      `json:"index"`
	Message      *message `json:"message,omitempty"`
	Delta        *message `json:"delta,omitempty"`
	FinishReason *string  `json:"finish_reason"`
}

// message is a whole message or a delta.
type message struct {
	Role             string     `json:"role,omitempty"`
	Content          *string    `json:"content,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	Index    int          `json:"index"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type usage struct {
	PromptTokens     int          `json:"prompt_tokens"`
	CompletionTokens int          `json:"completion_tokens"`
	TotalTokens      int          `json:"total_tokens"`
	Details          usageDetails `json:"completion_tokens_details"`
}

type usageDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// apiError is an error body as OpenAI-compatible servers send it.
type apiError struct {
	Error struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    int    `json:"code"`
	} `json:"error"`
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // the types above always encode
		return []byte("{}")
	}
	return b
}
