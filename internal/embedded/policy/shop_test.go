package policy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"livehost/internal/clock"
)

func httpClient(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// outcome writes a final turn in the plain names: content, or calls.
func outcome(s shop, tn turn) string {
	if len(tn.calls) == 0 {
		return tn.content
	}
	back := map[string]string{}
	for _, name := range []string{"answer", "whisper", "hush", "escalate", "text", "covers", "id", "reason"} {
		back[`"`+s.name(name)+`"`] = `"` + name + `"`
		back[s.name(name)+" "] = name + " "
	}
	var out []string
	for _, c := range tn.calls {
		line := c.Function.Name + " " + c.Function.Arguments
		for from, to := range back {
			line = strings.ReplaceAll(line, from, to)
		}
		// Key order follows the names; only the set counts.
		head, body, _ := strings.Cut(line, " ")
		out = append(out, head+" "+sortedFields(body))
	}
	return strings.Join(out, " + ")
}

func sortedFields(body string) string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		return body
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, fmt.Sprintf("%s=%v", name, fields[name]))
	}
	return strings.Join(out, " ")
}

func TestRenamedAndShuffled(t *testing.T) {
	t.Parallel()
	_, c := start(t, nil, clock.Real())
	cases := []struct {
		name, user, mode string
		private          bool
		want             []string // any of
	}{
		{"price by link", danmaku("d1", "5号多少钱", ""), "single", false, []string{"保温杯今天59元，满100减10"}},
		{"numeral", danmaku("d1", "五号什么价啊", ""), "single", false, []string{"保温杯今天59元，满100减10"}},
		{"focus", danmaku("d1", "这个多少钱", "5"), "single", false, []string{"保温杯59元", "这款保温杯只要59元"}},
		{"no focus", danmaku("d1", "多少钱", ""), "single", false, []string{"您问几号呀"}},
		{"not in room", danmaku("d1", "88号多少钱", ""), "single", false, []string{"没有88号哦"}},
		{"condition", danmaku("d1", "7号多少钱", ""), "single", false, []string{"雨伞卖完啦"}},
		{"generic error", danmaku("d1", "9号多少钱", ""), "single", false, []string{"稍等我查一下"}},
		{"error nobody serves", danmaku("d1", "皮球多少钱", ""), "single", false, []string{"hush reason=no_example_fits"}},
		{"name", danmaku("d1", "面霜多少钱", "5"), "single", false, []string{"面霜89元"}},
		{"english", `<danmaku id="d1" lang="en">how much is the face cream?</danmaku>`, "single", false, []string{"面霜89元"}},
		{"private", danmaku("d1", "我的快递到哪了", ""), "single", true, []string{`whisper id=d1 text=d1的包裹明天到`}},
		{"private without outlet", danmaku("d1", "我的快递到哪了", ""), "single", false, []string{"订单不方便公开说"}},
		{"hand over", danmaku("d1", "我要投诉", ""), "single", false, []string{`escalate reason=complaint`}},
		{"no skill", danmaku("d1", "今晚月色真美", ""), "single", false, []string{`hush reason=no_skill_fits`}},
		{"noise in a skill", `<danmaku id="d1" lang="zh" intent="cost">嗯嗯呐呐</danmaku>`, "single", false, []string{`hush reason=noise`}},
		{"gift", `<event kind="gift" viewer="小雨" gift="玫瑰" count="3"></event>`, "single", false, []string{"谢谢小雨送的玫瑰"}},
		{"gift, empty element", `<event kind="gift" viewer="小雨" gift="玫瑰" count="3"/>`, "single", false, []string{"谢谢小雨送的玫瑰"}},
		{
			"multi, one text", danmaku("d1", "5号多少钱", "") + danmaku("d2", "五号什么价", "") + danmaku("d3", "7号多少钱", ""), "multi", false,
			[]string{`answer covers=[d1 d2 d3] text=保温杯今天59元，满100减10；雨伞卖完啦`},
		},
		{
			"multi, private", danmaku("d1", "7号多少钱", "") + danmaku("d2", "5号多少钱", "") + danmaku("d3", "5号多少钱", "") + danmaku("d4", "我的快递到哪了", ""), "multi", true,
			[]string{`answer covers=[d2 d3] text=保温杯今天59元，满100减10 + whisper id=d4 text=d4的包裹明天到 + whisper id=d1 text=雨伞卖完啦`},
		},
	}
	for _, tc := range cases {
		for _, s := range []shop{{name: plain}, {name: plain, shuffle: true}, {name: renamed}, {name: renamed, shuffle: true}} {
			s.mode, s.private = tc.mode, tc.private
			t.Run(fmt.Sprintf("%s/renamed=%t/shuffled=%t", tc.name, s.name("no") != "no", s.shuffle), func(t *testing.T) {
				t.Parallel()
				got := outcome(s, s.ask(c, tc.user).play(t))
				if !slices.Contains(tc.want, got) {
					t.Errorf("got %s, want one of %q", got, tc.want)
				}
			})
		}
	}
}

func TestWithoutThePriceSkill(t *testing.T) {
	t.Parallel()
	_, c := start(t, nil, clock.Real())
	s := shop{name: plain, mode: "single", drop: "pricing"}
	for _, text := range []string{"5号多少钱", "这个多少钱", "面霜多少钱"} {
		a := s.ask(c, danmaku("d1", text, "5"))
		if got := outcome(s, a.play(t)); strings.Contains(got, "元") || !strings.HasPrefix(got, "hush") {
			t.Errorf("%s: got %s without the price skill", text, got)
		}
	}
}

func TestCallsAreParallelAndOnce(t *testing.T) {
	t.Parallel()
	_, c := start(t, nil, clock.Real())
	s := shop{name: plain, mode: "multi", private: true}
	a := s.ask(c, danmaku("d1", "5号多少钱", "")+danmaku("d2", "5号什么价", "")+danmaku("d3", "7号多少钱", "")+danmaku("d4", "我的快递到哪了", ""))
	a.play(t)
	want := []string{"load_skill", "load_skill", "get_price", "get_price", "my_order", "answer", "whisper", "whisper"}
	if d := cmp.Diff(want, a.used); d != "" {
		t.Error(d)
	}
}

func TestReminderTakesAnotherAnswerAndEnds(t *testing.T) {
	t.Parallel()
	_, c := start(t, nil, clock.Real())
	s := shop{name: plain, mode: "single"}
	a := s.ask(c, danmaku("d1", "这个多少钱", "5"))
	seen := map[string]bool{}
	for range 8 {
		got := outcome(s, a.play(t))
		if seen[got] {
			t.Fatalf("%q was said twice", got)
		}
		seen[got] = true
		if strings.HasPrefix(got, "hush") {
			if len(seen) < 3 {
				t.Errorf("gave up after %d answers, the example has two", len(seen)-1)
			}
			return
		}
		a.req.Messages = append(a.req.Messages, openai.ChatCompletionMessage{Role: "user", Content: "请换一种说法，只说事实。"})
	}
	t.Error("never gave up")
}
