package rules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"livehost/internal/embedded/policy/rules"
)

const system = `<block name="a">
## Protocol
- answer in public: say(text, ids)
- answer one viewer privately: whisper(id, text)
- say nothing: skip(why)
- hand over: escalate(why)
</block>
<block name="b">
mode: single
language: zh
</block>
<block name="c">
## Examples

` + "```yaml\n%s```\n</block>\n"

func tool(name, parameters string) rules.Tool {
	var t rules.Tool
	t.Function.Name = name
	t.Function.Parameters = json.RawMessage(parameters)
	return t
}

func tableTools() []rules.Tool {
	const no = `"no":{"type":"string","pattern":"^[0-9]{1,4}$"}`
	text := func(names ...string) string {
		var b strings.Builder
		for i, n := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%q:{\"type\":\"string\"}", n)
		}
		return `{"type":"object","properties":{` + b.String() + `}}`
	}
	return []rules.Tool{
		tool("say", text("text", "ids")), tool("whisper", text("id", "text")), tool("skip", text("why")), tool("escalate", text("why")),
		tool("product", `{"type":"object","required":["no"],"properties":{`+no+`}}`),
		tool("find", `{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}`),
		tool("stock", `{"type":"object","required":["no"],"properties":{`+no+`,"sku":{"type":"string"}}}`),
		tool("size", `{"type":"object","required":["no"],"properties":{`+no+`,"cm":{"type":"number","minimum":60,"maximum":230},"kg":{"type":"number","minimum":20,"maximum":150}}}`),
		tool("fits", `{"type":"object","properties":{"code":{"type":"string","pattern":"^(S|M|L|XL)$"}}}`),
		tool("compare", `{"type":"object","required":["nos"],"properties":{"nos":{"type":"array","items":{"type":"string","pattern":"^[0-9]{1,4}$"}}}}`),
	}
}

// label runs the danmaku to its end, with tools that always give {}.
func label(t *testing.T, e *rules.Engine, examples, text, focus string) string {
	t.Helper()
	attrs := ""
	if focus != "0" {
		attrs = ` focus="` + focus + `"`
	}
	req := rules.Request{Tools: tableTools(), Messages: []rules.Message{
		{Role: "system", Content: rules.Content(fmt.Sprintf(system, examples))},
		{Role: "user", Content: rules.Content(`<danmaku id="d-1" viewer="u"` + attrs + `>` + escape(text) + `</danmaku>`)},
	}}
	for range 3 {
		d, err := e.Decide(req)
		if err != nil {
			t.Fatal(err)
		}
		if d.Content != "" {
			return d.Content
		}
		if len(d.Calls) != 1 {
			t.Fatalf("%q: %d calls", text, len(d.Calls))
		}
		c := d.Calls[0]
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			t.Fatal(err)
		}
		switch c.Tool {
		case "skip":
			if strings.HasPrefix(args["why"].(string), "no_example") {
				return "none"
			}
			return "-"
		case "escalate":
			return "hand"
		case "whisper":
			return args["text"].(string)
		}
		var call rules.ToolCall
		call.ID = "c1"
		call.Function.Name, call.Function.Arguments = c.Tool, c.Arguments
		req.Messages = append(req.Messages, rules.Message{Role: "assistant", ToolCalls: []rules.ToolCall{call}},
			rules.Message{Role: "tool", ToolCallID: "c1", Content: "{}"})
	}
	t.Fatalf("%q: no end", text)
	return ""
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

func TestMatchingTable(t *testing.T) {
	t.Parallel()
	examples := read(t, "testdata/examples.yaml")
	e := rules.NewEngine(1)
	n := 0
	for line := range strings.Lines(read(t, "testdata/matching.txt")) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("bad line %q", line)
		}
		text, focus, ok := strings.Cut(text, " @ ")
		if !ok {
			focus = "3"
		}
		n++
		if got := label(t, e, examples, text, focus); got != want {
			t.Errorf("%-28s got %q, want %q", text, got, want)
		}
	}
	if n < 150 {
		t.Errorf("only %d phrasings", n)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
