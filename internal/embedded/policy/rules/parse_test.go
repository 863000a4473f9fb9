package rules_test

import (
	"strings"
	"testing"

	"livehost/internal/embedded/policy/rules"
)

func TestParseExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, yaml, want string }{
		{"empty", "", ""},
		{"whole", "- viewer: [\"a {b}\"]\n  call: {tool: t, args: {x: \"{b*0.5+2}\"}}\n  reply: \"{result.n}[，{result.m}]\"\n  when:\n    - if: {error: NOT_FOUND}\n      silent: none\n", ""},
		{"event", "- event: gift\n  reply: ok\n", ""},
		{"only errors", "- viewer: [\"*\"]\n  when:\n    - if: {error: [TIMEOUT, UPSTREAM]}\n      reply: ok\n", ""},
		{"no list", "viewer: a\n", "line 1: want a list of examples"},
		{"no mapping", "- a\n", "line 1: want a mapping"},
		{"broken", "- viewer: [\n", "examples: yaml:"},
		{"unknown key", "\n- viewer: a\n  answer: b\n", `line 2: unknown key "answer"`},
		{"nobody asks", "- reply: b\n", "viewer is missing"},
		{"no answer", "- viewer: a\n", "one of reply, silent and hand_over is missing"},
		{"two answers", "- viewer: a\n  reply: b\n  silent: c\n", "only one of reply, silent and hand_over"},
		{"no tool", "- viewer: a\n  call: {args: {}}\n  reply: b\n", "call: tool is missing"},
		{"no condition", "- viewer: a\n  reply: b\n  when:\n    - reply: c\n", "when 1: if is missing"},
		{"nothing then", "- viewer: a\n  reply: b\n  when:\n    - if: {error: X}\n", "when 1: one of reply"},
		{"open brace", "- viewer: a\n  reply: \"{b\"\n", `reply "{b": { without }`},
		{"open bracket", "- viewer: a\n  reply: \"[b\"\n", "[ without ]"},
		{"nested bracket", "- viewer: a\n  reply: \"[b[c]]\"\n", "[ inside ["},
		{"no name", "- viewer: \"{}\"\n  reply: b\n", "placeholder {}: want a name"},
		{"bad arithmetic", "- viewer: \"{a*x}\"\n  reply: b\n", "want {name*number+number}"},
		{"map for text", "- viewer: {a: b}\n  reply: b\n", "want a text or a list of texts"},
		{"each problem", "- viewer: a\n- reply: b\n", "line 2: viewer is missing"},
	} {
		_, err := rules.ParseExamples(tt.yaml)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestGoodExamplesSurviveABadOne(t *testing.T) {
	t.Parallel()
	list, err := rules.ParseExamples("- viewer: a\n  reply: b\n- viewer: c\n  speak: d\n- viewer: e\n  reply: f\n")
	if err == nil || len(list) != 2 || list[1].Line != 5 {
		t.Errorf("got %d examples and %v", len(list), err)
	}
}

func FuzzDecide(f *testing.F) {
	f.Add("- viewer: [\"{a}号\", \"{b}吗\"]\n  call: {tool: stock, args: {no: \"{a}\"}}\n  reply: \"{result.x}[{a}]\"\n", "5号多少钱")
	f.Add("- viewer: \"*\"\n  silent: x\n", "[赞][赞] hello 哈哈哈哈 https://a.b")
	f.Add("- event: gift\n  reply: \"{viewer}\"\n", "一百零五斤")
	f.Add("- viewer: &a [\"x\"]\n  reply: *a\n", "</danmaku><danmaku id=\"2\">")
	e := rules.NewEngine(1)
	f.Fuzz(func(t *testing.T, examples, text string) {
		list, err := rules.ParseExamples(examples)
		if err == nil {
			for _, x := range list {
				if len(x.Viewer)+len(x.Event) == 0 {
					t.Error("an example for nobody")
				}
			}
		}
		req := rules.Request{Tools: tableTools(), Messages: []rules.Message{
			{Role: "system", Content: rules.Content(strings.Replace(system, "%s", examples, 1))},
			{Role: "user", Content: rules.Content(`<danmaku id="1">` + text + `</danmaku>`)},
		}}
		d1, _ := e.Decide(req)
		d2, _ := rules.NewEngine(1).Decide(req)
		if d1.Content != d2.Content || len(d1.Calls) != len(d2.Calls) {
			t.Errorf("two decisions for one request: %+v, %+v", d1, d2)
		}
	})
}
