package openaimodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"livehost/agentworker/model"
	"livehost/internal/clock"
	"livehost/internal/fault"
)

// Config is one endpoint.
type Config struct {
	BaseURL string // up to and including /v1
	Model   string // the name the endpoint knows the policy by
	APIKey  string // empty when the endpoint wants none
	Abort   bool   // the engine takes rid and /abort_request beside /v1 (SGLang)

	FirstToken time.Duration // room; a stream without a token by then is given up; 0: no limit
	Idle       time.Duration // room; between tokens; 0: no limit
}

// DefaultLimits are the limits for a policy whose first token takes 0.6 s at the
// 95th percentile: generous, so that only a hanging replica meets them.
func DefaultLimits() (firstToken, idle time.Duration) {
	return 2500 * time.Millisecond, 1500 * time.Millisecond
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, fmt.Errorf("base_url: %q is not an http or https address", c.BaseURL))
	}
	if c.Model == "" {
		errs = append(errs, errors.New("model: is empty"))
	}
	if c.FirstToken < 0 || c.Idle < 0 {
		errs = append(errs, fmt.Errorf("first_token %v, idle %v: one is negative", c.FirstToken, c.Idle))
	}
	return errors.Join(errs...)
}

// Deps are the collaborators.
type Deps struct {
	Transport http.RoundTripper // shared by all endpoints, so that connections are reused
	Clock     *clock.Clock
}

// Model is one endpoint as a model.Model.
type Model struct {
	cfg    Config
	deps   Deps
	client *openai.Client
	encode *encoder
}

// New makes the port to one endpoint.
func New(cfg Config, deps Deps) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("openaimodel: %w", err)
	}
	cc := openai.DefaultConfig(cfg.APIKey)
	cc.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	cc.HTTPClient = &http.Client{Transport: transport{deps.Transport}}
	return &Model{cfg: cfg, deps: deps, client: openai.NewClientWithConfig(cc), encode: newEncoder()}, nil
}

// Complete streams one answer and returns it whole. An answer that is not wanted
// any more, or is given up, is aborted at the replica.
func (m *Model) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	start := time.Now()
	body, err := m.encode.body(m.cfg, req)
	if err != nil {
		return model.Response{}, &model.Error{Class: model.Rejected, Err: fault.Errorf(fault.Invalid, "encode: %w", err)}
	}
	ctx, limit := m.limit(ctx)
	defer limit.stop()
	ctx, note := withNote(ctx, req.ID, body)
	resp, err := m.stream(ctx, req, note, limit)
	resp.Took = time.Since(start)
	if !limit.first.IsZero() {
		resp.FirstToken = limit.first.Sub(start)
	}
	if err != nil && (note.left || ctx.Err() != nil) {
		m.abort(ctx, req.ID)
	}
	return resp, err
}

func (m *Model) stream(ctx context.Context, req model.Request, note *noted, limit *limits) (model.Response, error) {
	// The body is the note's; the client is only told what it must know.
	stream, err := m.client.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{Model: m.cfg.Model})
	if err != nil {
		return model.Response{}, classify(ctx, err)
	}
	defer stream.Close()
	note.left = true
	var a assembly
	var resp model.Response
	for {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) {
			note.left = false
			break
		}
		had := a.pieces
		if err == nil {
			err = a.chunk(raw)
		}
		if a.pieces > had {
			limit.token()
		}
		if err != nil {
			return resp, classify(ctx, err)
		}
	}
	switch {
	case !note.done && a.finish == "":
		return resp, cut(ctx)
	case !a.choices:
		return resp, classify(ctx, &model.Error{Class: model.Malformed, Err: fault.Errorf(fault.Unavailable, "stream: no choices in it")})
	}
	return a.into(resp, req.Tools), nil
}

func cut(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return classify(ctx, err)
	}
	return &model.Error{Class: model.Cut, Err: fault.Errorf(fault.Unavailable, "stream: ended without finish reason and [DONE]")}
}

// classify gives a failure its class and fault kind, once.
func classify(ctx context.Context, err error) error {
	var have *model.Error
	if ctx.Err() == nil && errors.As(err, &have) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		if errors.As(cause, &have) {
			return cause
		}
		if errors.Is(cause, context.Canceled) {
			return &model.Error{Class: model.Canceled, Err: fault.Wrap(fault.Canceled, cause)}
		}
		return &model.Error{Class: model.Timeout, Err: fault.Wrap(fault.Unavailable, cause)}
	}
	switch status := statusOf(err); {
	case status == http.StatusTooManyRequests:
		return &model.Error{Class: model.RateLimited, Err: fault.Wrap(fault.Exhausted, err)}
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return &model.Error{Class: model.Rejected, Err: fault.Wrap(fault.Invalid, err)}
	case status == 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return &model.Error{Class: model.Cut, Err: fault.Wrap(fault.Unavailable, err)}
	}
	return &model.Error{Class: model.Unreachable, Err: fault.Wrap(fault.Unavailable, err)}
}

func statusOf(err error) int {
	var api *openai.APIError
	var req *openai.RequestError
	switch {
	case errors.As(err, &api):
		return api.HTTPStatusCode
	case errors.As(err, &req):
		return req.HTTPStatusCode
	}
	return 0
}

func clip(b []byte) string {
	const most = 300
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "..."
	}
	return string(b)
}
