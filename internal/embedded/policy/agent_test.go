package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"livehost/internal/clock"
	"livehost/internal/embedded/policy"
	"livehost/internal/embedded/policy/latency"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a fleet and gives a client of its first replica.
func start(t *testing.T, change func(*policy.Config), clk *clock.Clock) (*policy.Fleet, *openai.Client) {
	t.Helper()
	cfg := policy.DefaultConfig()
	cfg.Replicas, cfg.Profile = 1, latency.Instant
	if change != nil {
		change(&cfg)
	}
	f, err := policy.Start(cfg, clk, discard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, clientOf(t, f.Replicas()[0])
}

// turn is one streamed completion, put together again.
type turn struct {
	content, reasoning, finish string
	calls                      []openai.ToolCall
	usage                      *openai.Usage
}

func stream(ctx context.Context, c *openai.Client, req openai.ChatCompletionRequest) (turn, error) {
	var out turn
	req.Stream, req.StreamOptions = true, &openai.StreamOptions{IncludeUsage: true}
	s, err := c.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return out, err
	}
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if chunk.Usage != nil {
			out.usage = chunk.Usage
		}
		for _, ch := range chunk.Choices {
			out.content += ch.Delta.Content
			out.reasoning += ch.Delta.ReasoningContent
			if ch.FinishReason != "" {
				out.finish = string(ch.FinishReason)
			}
			for _, d := range ch.Delta.ToolCalls {
				if d.ID != "" {
					out.calls = append(out.calls, d)
					continue
				}
				out.calls[*d.Index].Function.Arguments += d.Function.Arguments
			}
		}
	}
}

// agent is a small agent loop with a table of tools.
type agent struct {
	client *openai.Client
	req    openai.ChatCompletionRequest
	run    func(name string, args map[string]any) string // a tool that is not terminal
	final  map[string]bool                               // terminal tools
	used   []string                                      // tools called, in order
}

// play runs rounds until the policy has answered: by content or by terminal calls.
func (a *agent) play(t *testing.T) turn {
	t.Helper()
	for range 5 {
		tn, err := stream(t.Context(), a.client, a.req)
		if err != nil {
			t.Fatal(err)
		}
		done := len(tn.calls) == 0
		msg := openai.ChatCompletionMessage{Role: "assistant", Content: tn.content, ToolCalls: tn.calls}
		a.req.Messages = append(a.req.Messages, msg)
		for _, c := range tn.calls {
			a.used = append(a.used, c.Function.Name)
			result := `{"ok":true}`
			if a.final[c.Function.Name] {
				done = true
			} else {
				var args map[string]any
				if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
					t.Fatalf("%s(%s): %v", c.Function.Name, c.Function.Arguments, err)
				}
				result = a.run(c.Function.Name, args)
			}
			a.req.Messages = append(a.req.Messages, openai.ChatCompletionMessage{Role: "tool", ToolCallID: c.ID, Content: result})
		}
		if done {
			return tn
		}
	}
	t.Fatal("no answer after 5 rounds")
	return turn{}
}

// shop is the test's own harness. Every name in it is looked up, so that all can
// be changed at once.
type shop struct {
	name    func(string) string // the harness's name of a thing
	drop    string              // a skill left out
	mode    string
	private bool
	shuffle bool
}

func plain(s string) string { return s }

// renamed gives every name another one, some of them of other alphabets.
func renamed(s string) string {
	return map[string]string{"load_skill": "open_book", "get_price": "q1", "no": "nr", "find": "tool-7", "words": "w", "my_order": "bestellung"}[s] +
		func() string {
			if slices.Contains([]string{"load_skill", "get_price", "no", "find", "words", "my_order"}, s) {
				return ""
			}
			return "x" + strings.ToUpper(s)
		}()
}

func (s shop) skills() map[string]string {
	n := s.name
	return map[string]string{
		n("pricing"): fmt.Sprintf("## Examples\n\n```yaml\n"+`- viewer: ["{link}号多少钱", "{link}号什么价", "link {link} price"]
  call: {tool: %[1]s, args: {%[2]s: "{link}"}}
  reply: ["{result.title}今天{result.cost}[，{result.offer}]"]
  when:
    - if: {error: NOT_FOUND}
      reply: "没有{link}号哦"
    - if: {result.left: false}
      reply: ["{result.title}卖完啦"]
- viewer: ["这个多少钱", "多少钱"]
  call: {tool: %[1]s, args: {%[2]s: "{focus}"}}
  reply: ["{result.title}{result.cost}", "这款{result.title}只要{result.cost}"]
- viewer: ["多少钱"]
  reply: "您问几号呀"
- viewer: ["{thing}多少钱", "how much is the {thing}"]
  call: {tool: %[3]s, args: {%[4]s: "{thing}"}}
  reply: "{result.title}{result.cost}"
- event: gift
  reply: "谢谢{viewer}送的{gift}"
- viewer: ["*"]
  silent: noise
  when:
    - if: {error: TIMEOUT}
      reply: ["稍等我查一下", "one moment, checking"]
`+"```\n", n("get_price"), n("no"), n("find"), n("words")),
		n("orders"): fmt.Sprintf("# Orders\n\n## Examples\n\n```yaml\n"+`- viewer: ["我的快递到哪了", "where is my order"]
  call: {tool: %s, args: {%s: "{id}"}}
  private: true
  reply: "{result.text}"
- viewer: ["我的快递到哪了"]
  reply: "订单不方便公开说"
- viewer: ["我要投诉"]
  hand_over: complaint
`+"```\n## More\n", n("my_order"), n("who")),
	}
}

func (s shop) system() string {
	n := s.name
	protocol := fmt.Sprintf("<block name=\"protocol\">\n## Protocol\n- load a skill: %s(%s)\n- answer in public: %s(%s, %s)\n- answer one viewer privately: %s(%s, %s)\n- say nothing: %s(%s)\n- hand over: %s(%s)\n\n1. Read.\n</block>",
		n("load_skill"), n("name"), n("answer"), n("text"), n("covers"), n("whisper"), n("id"), n("text"), n("hush"), n("reason"), n("escalate"), n("reason"))
	lines := []string{
		"- " + n("pricing") + " [intents: cost, thanks] What things cost. Viewers say: 多少钱、什么价、how much、price; gift",
		"- " + n("orders") + " [intents: parcel] Orders and parcels: 我的快递、我的订单、投诉、where is my order",
	}
	if s.drop != "" {
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "- "+n(s.drop)+" ") })
	}
	status := "<block name=\"room_status\">\nmode: " + s.mode + "\nlanguage: zh\nhost_name: 小播\n</block>"
	blocks := []string{"<block name=\"identity\">\nYou are an AI host.\n</block>", protocol, "<block name=\"skills\">\n## Skills\n" + strings.Join(lines, "\n") + "\n</block>", status}
	if s.shuffle {
		slices.Reverse(lines)
		blocks[2] = "<block name=\"zzz\">\n## Skills\n" + strings.Join(lines, "\n") + "\n</block>"
		slices.Reverse(blocks)
	}
	return strings.Join(blocks, "\n")
}

func (s shop) tools() []openai.Tool {
	n := s.name
	list := []struct{ name, schema string }{
		{n("load_skill"), `{"type":"object","required":["` + n("name") + `"],"properties":{"` + n("name") + `":{"type":"string"}}}`},
		{n("get_price"), `{"type":"object","required":["` + n("no") + `"],"properties":{"` + n("no") + `":{"type":"string","pattern":"^[0-9]{1,4}$"}}}`},
		{n("find"), `{"type":"object","required":["` + n("words") + `"],"properties":{"` + n("words") + `":{"type":"string"}}}`},
		{n("my_order"), `{"type":"object","properties":{"` + n("who") + `":{"type":"string"}}}`},
		{n("answer"), `{"type":"object","properties":{"` + n("text") + `":{"type":"string"},"` + n("covers") + `":{"type":"array","items":{"type":"string"}}}}`},
		{n("hush"), `{"type":"object","properties":{"` + n("reason") + `":{"type":"string"}}}`},
		{n("escalate"), `{"type":"object","properties":{"` + n("reason") + `":{"type":"string"}}}`},
	}
	if s.private {
		list = append(list, struct{ name, schema string }{n("whisper"), `{"type":"object","properties":{"` + n("id") + `":{"type":"string"},"` + n("text") + `":{"type":"string"}}}`})
	}
	if s.shuffle {
		slices.Reverse(list)
	}
	var out []openai.Tool
	for _, l := range list {
		out = append(out, openai.Tool{Type: "function", Function: &openai.FunctionDefinition{Name: l.name, Description: "d", Parameters: json.RawMessage(l.schema)}})
	}
	return out
}

// facts is what the shop's tools know.
func (s shop) facts(name string, args map[string]any) string {
	n := s.name
	switch name {
	case n("load_skill"):
		return s.skills()[args[n("name")].(string)]
	case n("get_price"):
		switch args[n("no")] {
		case "5":
			return `{"title":"保温杯","cost":"59元","offer":"满100减10","left":true}`
		case "7":
			return `{"title":"雨伞","cost":"39元","left":false}`
		case "9":
			return `{"error":"TIMEOUT","message":"slow"}`
		}
		return `{"error":"NOT_FOUND"}`
	case n("find"):
		if args[n("words")] == "面霜" || args[n("words")] == "face cream" {
			return `{"title":"面霜","cost":"89元"}`
		}
		return `{"error":"UPSTREAM"}`
	case n("my_order"):
		return fmt.Sprintf(`{"text":"%v的包裹明天到"}`, args[n("who")])
	}
	return `{"error":"NO_SUCH_TOOL"}`
}

// ask is an agent for one user message.
func (s shop) ask(c *openai.Client, user string) *agent {
	n := s.name
	return &agent{
		client: c, run: s.facts,
		final: map[string]bool{n("answer"): true, n("whisper"): true, n("hush"): true, n("escalate"): true},
		req: openai.ChatCompletionRequest{
			Model: policy.ModelID, Tools: s.tools(),
			Messages: []openai.ChatCompletionMessage{{Role: "system", Content: s.system()}, {Role: "user", Content: user}},
		},
	}
}

func danmaku(id, text, focus string) string {
	f := ""
	if focus != "" {
		f = ` focus="` + focus + `"`
	}
	return fmt.Sprintf(`<danmaku id="%s" viewer="小雨" lang="zh" intent=""%s>%s</danmaku>`, id, f, text)
}

func clientOf(t *testing.T, r policy.Replica) *openai.Client {
	t.Helper()
	cfg := openai.DefaultConfig("none")
	cfg.BaseURL = r.BaseURL
	cfg.HTTPClient = httpClient(t)
	return openai.NewClientWithConfig(cfg)
}
