package rules

import (
	"strings"
	"testing"
)

func TestHanNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"三": "3", "十": "10", "十二": "12", "二十": "20", "三十六": "36", "一百": "100", "一百五": "150", "一百零五": "105",
		"一百二十": "120", "两千三": "2300", "一六八": "168", "〇": "0", "百": "", "千百": "", "两": "2", "一千零一十": "1010",
	} {
		if got := hanNumber(in); got != want {
			t.Errorf("hanNumber(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestTokenize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"５号多少钱？":              "5 号 多 少 钱",
		"Link5 PRICE!!":       "link 5 price",
		"面膜面膜面膜":              "面 膜",
		"洗发水洗发水洗发":            "洗 发 水",
		"哈哈哈哈哈":               "哈",
		"多少钱[流泪][流泪]":         "多 少 钱",
		"@<USER>有货么":          "有 货 吗",
		"这是什么":                "这 是 什 么",
		"看 https://a.b/c?d 好": "看 好",
		"66666":               "666",
		"1000":                "1000",
		"1.5米":                "1.5 米",
		"pleaseee":            "please",
		"what's":              "whats",
		"三十六号":                "三十六 号",
		"\uE000号\uE001":       "号",
		"👍🏻❤️":                "",
	} {
		var got []string
		for _, tok := range tokenize(in) {
			got = append(got, tok.text)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("tokenize(%q) = %q, want %q", in, g, want)
		}
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	values := func(name string) string {
		return map[string]string{"a": "5", "b": "", "result.items.0.name": "杯"}[name]
	}
	for in, want := range map[string]string{
		"{a}号":                   "5号",
		"{a}号[，{b}]":             "5号",
		"{a}号[，{a}]":             "5号，5",
		"{b}号":                   "-",
		"{result.items.0.name}子": "杯子",
		"{a*0.5}":                "2.5",
		"{a*5+50}":               "75",
		"{a+100}":                "105",
	} {
		parts, err := parseTemplate(in)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := fill(parts, values)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("fill(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestResultField(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a":{"b":[{"n":"x"},{"n":2.50}]},"t":true,"z":null}`,
		`<tool_result name="t">{&quot;a&quot;:{&quot;b&quot;:[{&quot;n&quot;:&quot;x&quot;},{&quot;n&quot;:2.50}]},&quot;t&quot;:true}</tool_result>`,
	} {
		r := parseResult(text)
		for path, want := range map[string]string{"a.b.0.n": "x", "a.b.1.n": "2.50", "t": "true", "z": "", "a": "", "a.b.7.n": "", "a.b.x": "", "q.r": ""} {
			if got := r.field(path); got != want {
				t.Errorf("%s in %s = %q, want %q", path, text, got, want)
			}
		}
	}
	for text, want := range map[string]string{`{"error":"TIMEOUT"}`: "TIMEOUT", `{"error":{"code":"X"}}`: "X", `{"error":{}}`: errMalformed, `oops`: errMalformed, `[1]`: errMalformed, `{"a":1}`: ""} {
		if got := parseResult(text).err; got != want {
			t.Errorf("error of %s = %q, want %q", text, got, want)
		}
	}
}
