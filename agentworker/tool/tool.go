package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"livehost/agentworker/model"
	"livehost/harness"
	"livehost/streams/event"
)

// Code is why a call failed, in the words of docs/harness.md. Empty: it did not.
type Code string

// The codes.
const (
	NotFound   Code = "NOT_FOUND"
	BadArgs    Code = "BAD_ARGS"
	Timeout    Code = "TIMEOUT"
	Permission Code = "PERMISSION"
	Malformed  Code = "MALFORMED"
	Upstream   Code = "UPSTREAM"
)

// Away reports a failure of the tool's side, which says nothing of the call: the same one
// may well succeed a moment later.
func (c Code) Away() bool { return c == Timeout || c == Upstream || c == Malformed }

// Asker is a danmaku of the run and who wrote it.
type Asker struct {
	DanmakuID event.DanmakuID
	ViewerID  event.ViewerID
}

// Run is what a call may know of its run. It is read-only during the run.
type Run struct {
	RoomID     event.RoomID
	MerchantID event.MerchantID
	Release    *harness.Release
	Language   string // of the run, "zh" or "en"
	Askers     []Asker
	NoWrites   bool // replay, dry run, shadow: write tools are refused
}

// Result is what a call gave.
type Result struct {
	Tool     *harness.Tool  // nil for a tool the release does not have
	Args     map[string]any // checked, under the binding's names; nil when they were wrong
	Text     string         // what the model is shown: capped, a JSON object (load_skill: the body, or the resource)
	Full     string         // the whole of it, for the trajectory: about MaxAnswer at most
	Data     map[string]any // the decoded result, errors too; nil for load_skill
	Code     Code
	Private  bool           // nothing of it may be said in public
	Viewer   event.ViewerID // whose facts a private result holds
	Skill    *harness.Skill // the skill that load_skill brought
	Resource string         // the path of the skill's resource that it brought instead
	Facts    []event.Fact   // facts by the tool's declaration
	Took     time.Duration  // wall time
}

// IsError reports whether the call failed.
func (r Result) IsError() bool { return r.Code != "" }

// Output is what a server answered: a JSON object, or text.
type Output struct {
	Text    string
	IsError bool
}

// Servers calls tools on named MCP servers. Concurrency-safe. An error means
// that there is no answer; ErrUnknownServer that there never will be.
type Servers interface {
	Call(ctx context.Context, server, tool string, args, meta map[string]any) (Output, error)
}

// ErrUnknownServer is the error for a server that is not configured.
var ErrUnknownServer = errors.New("tool: no such MCP server")

// Config bounds tool calls.
type Config struct {
	MaxResult  int      `yaml:"max_result"`  // characters of a result shown to the model
	HTTPAllow  []string `yaml:"http_allow"`  // host:port that HTTP tools may call
	HTTPInside []string `yaml:"http_inside"` // host:port of those whose name may lead to a private or local address
}

// DefaultConfig is about 1,500 tokens a result.
func DefaultConfig() Config { return Config{MaxResult: 4000} }

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.MaxResult < 200 {
		errs = append(errs, fmt.Errorf("max_result %d is below 200", c.MaxResult))
	}
	for name, list := range map[string][]string{"http_allow": c.HTTPAllow, "http_inside": c.HTTPInside} {
		for i, h := range list {
			if host, port, err := net.SplitHostPort(h); err != nil || host == "" || port == "" {
				errs = append(errs, fmt.Errorf("%s[%d] %q is not host:port", name, i, h))
			}
		}
	}
	return errors.Join(errs...)
}

// Deps are the toolset's collaborators, all required.
type Deps struct {
	Log     *slog.Logger
	Servers Servers
	HTTP    http.RoundTripper // of HTTP tools
}

// Toolset executes tool calls. Concurrency-safe.
type Toolset struct {
	cfg  Config
	deps Deps
	http *http.Client
}

// New makes a toolset.
func New(cfg Config, deps Deps) (*Toolset, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("tool: %w", err)
	}
	return &Toolset{cfg: cfg, deps: deps, http: newHTTPClient(deps.HTTP)}, nil
}

// Offered is the tools a policy is offered for a run of the release in a room:
// those whose outcome the room has an outlet for.
func Offered(r *harness.Release, s event.RoomSettings) []model.Tool {
	out := make([]model.Tool, 0, len(r.Tools))
	for _, t := range r.Tools {
		if offered(t, s) {
			out = append(out, model.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
		}
	}
	return out
}

func offered(t *harness.Tool, s event.RoomSettings) bool {
	builtin := t.Binding.Kind == harness.BindBuiltin
	switch {
	case t.Private, builtin && t.Binding.Name == harness.BuiltinReplyPrivate:
		return s.PrivateText
	case builtin && t.Binding.Name == harness.BuiltinHandOver:
		return s.HandOver
	default:
		return true
	}
}

// Call executes one call; args is the text the policy gave. It returns by ctx's end,
// which is the call's budget.
func (ts *Toolset) Call(ctx context.Context, run *Run, name, args string) Result {
	began := time.Now()
	t, ok := run.Release.Tool(name)
	if !ok {
		return ts.finish(began, failure(Result{}, NotFound, "there is no tool "+name, nil))
	}
	r := Result{Tool: t, Private: t.Private}
	mine, field, err := parseArgs(t, args)
	if err != nil {
		return ts.finish(began, failure(r, BadArgs, err.Error(), map[string]any{"field": field}))
	}
	asker, err := askerOf(run, t, mine)
	if err != nil {
		return ts.finish(began, failure(r, Permission, err.Error(), nil))
	}
	if t.Write && run.NoWrites {
		return ts.finish(began, failure(r, Permission, "nothing may be changed in this run", nil))
	}
	r.Args, r.Viewer = theirArgs(t, mine), asker.ViewerID
	switch t.Binding.Kind {
	case harness.BindBuiltin:
		r = builtin(run, r)
	case harness.BindMCP:
		out, err := ts.deps.Servers.Call(ctx, t.Binding.Server, theirTool(t), r.Args, meta(run, t, asker, mine))
		r = ts.observe(ctx, r, out, err)
	case harness.BindHTTP:
		out, err := ts.callHTTP(ctx, run, t, asker, mine, r.Args)
		r = ts.observe(ctx, r, out, err)
	}
	return ts.finish(began, r)
}

// finish caps the shown text and takes the time.
func (ts *Toolset) finish(began time.Time, r Result) Result {
	if r.Skill == nil && r.Resource == "" {
		r.Text = capResult(r.Full, ts.cfg.MaxResult)
	}
	r.Took = time.Since(began)
	return r
}

// observe turns a server's answer, or its absence, into a result.
func (ts *Toolset) observe(ctx context.Context, r Result, out Output, err error) Result {
	switch {
	case err == nil && len(out.Text) > MaxAnswer:
		ts.deps.Log.WarnContext(ctx, "a tool's answer is too long", "tool", r.Tool.Name, "bytes", len(out.Text))
		return failure(r, Upstream, "the tool's answer is too long", nil)
	case err == nil:
		return decoded(r, out)
	case errors.Is(err, ErrUnknownServer):
		ts.deps.Log.ErrorContext(ctx, "a tool's server is not configured", "tool", r.Tool.Name, "server", r.Tool.Binding.Server)
		return failure(r, Upstream, "the tool is not available", nil)
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return failure(r, Timeout, "the tool did not answer in time", nil)
	default:
		ts.deps.Log.WarnContext(ctx, "a tool call failed", "tool", r.Tool.Name, "err", err)
		return failure(r, Upstream, "the tool is not available", nil)
	}
}

// decoded reads a server's answer: a JSON object, with an error code when it failed.
func decoded(r Result, out Output) Result {
	data, err := decodeObject(out.Text)
	if err != nil {
		if out.IsError {
			return failure(r, Upstream, "the tool failed", map[string]any{"detail": headTail(out.Text, 200)})
		}
		return failure(r, Malformed, "the tool's answer is not a JSON object", nil)
	}
	if out.IsError {
		code := knownCode(data["error"])
		r.Full, r.Data, r.Code = out.Text, data, code
		if data["error"] != string(code) {
			data["error"] = string(code)
			r.Full = encode(data)
		}
		return r
	}
	r.Full, r.Data = out.Text, data
	r.Facts = facts(r.Tool, data)
	return r
}

// knownCode is the server's code, or Upstream for one that is none of ours.
func knownCode(v any) Code {
	s, _ := v.(string)
	switch c := Code(s); c {
	case NotFound, BadArgs, Timeout, Permission, Malformed, Upstream:
		return c
	default:
		return Upstream
	}
}

// failure is a failed call as the model sees it.
func failure(r Result, code Code, message string, more map[string]any) Result {
	data := map[string]any{}
	for k, v := range more {
		if v != "" {
			data[k] = v
		}
	}
	data["error"], data["message"] = string(code), message
	r.Code, r.Data, r.Full = code, data, encode(data)
	return r
}

func encode(data map[string]any) string {
	b, err := json.Marshal(data)
	if err != nil { // data came out of a JSON decoder or is texts
		return `{"error":"MALFORMED","message":"the result cannot be encoded"}`
	}
	return string(b)
}
