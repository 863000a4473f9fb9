package speech_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"livehost/dispatcher/speech"
)

// heard is the text as its sentences say it.
func heard(sentences []speech.Sentence) (heard, spoken string) {
	for _, s := range sentences {
		heard, spoken = heard+s.Heard, spoken+s.Spoken
	}
	return heard, spoken
}

func TestP30P31EmojiAndPlatformNamesAreNotRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"[dog][dog]": "", "👍 👍": "", "❤️": "", "👨‍👩‍👧": "", "[玫瑰][玫瑰]": "", "🎉🎉🎉好": "好", "好🎉🎉🎉🎉🎉🎉🎉🎉": "好", "(≧▽≦)": "",
	} {
		if got, _ := heard(speech.Script(speech.Clean(in))); got != want {
			t.Errorf("%q is heard %q, want %q", in, got, want)
		}
	}
}

func TestP34MarkdownIsNotRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"**限时** 99 元": "限时99元", "*今天*89元": "今天89元", "# 标题": "标题", "- 第一\n- 第二": "第一，第二", "`89`元": "89元", "__加粗__的": "加粗的", "[点这里](https://example.invalid)下单": "点这里下单",
	} {
		got, said := heard(speech.Script(speech.Clean(in)))
		if strings.ReplaceAll(got, " ", "") != want || strings.ContainsAny(said, "*#`_[]") {
			t.Errorf("%q is heard %q and said %q, want %q", in, got, said, want)
		}
	}
}

func TestP36ReadByContext(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"88块": "八十八块", "88VIP满300减50": "88VIP满三百减五十", "2024款": "二零二四款", "拨打4000": "拨打四零零零", "客服13800138000": "客服幺三八 零零幺三 八零零零",
		"比例1:2": "比例一比二", "打9.5折": "打九五折",
	} {
		if _, got := heard(speech.Script(speech.Clean(in))); got != want {
			t.Errorf("%q is said %q, want %q", in, got, want)
		}
	}
}

// What is one number, size, model or date is in one sentence, whatever stands around it.
func TestP37NumbersAndNamesAreNotSplit(t *testing.T) {
	t.Parallel()
	tokens := []string{
		"1,299.00", "¥1,299.00", "iPhone 15 Pro Max", "10*20*30厘米", "1:2", "50%", "2024-05-01", "v2.0", "3.5-4.2", "12:30", "88VIP", "U.S. size 8", "SPF50+", "No. 5", "2.4GHz", "100,000", "0.5mm", "A.P.C.",
	}
	places := []string{"%", "价格%，包邮。喜欢就拍！", "好的！%！还有吗？", "我们有%。", "It is %. Yes!", "Is it %? It is %, really.", "有%；也有%；都行"}
	for _, token := range tokens {
		for _, place := range places {
			text := speech.Clean(strings.ReplaceAll(place, "%", token))
			script := speech.Script(text)
			whole := 0
			for _, s := range script {
				whole += strings.Count(s.Heard, token)
			}
			if want := strings.Count(text, token); whole != want || want == 0 {
				t.Errorf("%q is cut into %q: %d of %d whole", text, script, whole, want)
			}
			if got, _ := heard(script); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") {
				t.Errorf("%q is heard %q", text, got)
			}
		}
	}
}

// number is what a sentence must not end in the middle of.
var number = regexp.MustCompile(`[0-9]+(?:[.,:*/-][0-9]+)+`)

// FuzzScript: the sentences are the text, and none ends inside a number.
func FuzzScript(f *testing.F) {
	for _, text := range []string{"价格 1,299.00 元，包邮。喜欢就拍！", "It is $1,299.00. Yes! No. 5", "10*20*30厘米；1:2；2024-05-01。", "v2.0.1!!好。3.5-4.2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := speech.Clean(text)
		script := speech.Script(clean)
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		all, spoken := heard(script)
		if bare(all) != bare(clean) {
			t.Errorf("%q is heard %q", clean, all)
		}
		if strings.ContainsFunc(clean, unicode.IsDigit) && strings.TrimSpace(spoken) == "" {
			t.Errorf("%q says nothing", clean)
		}
		count := func(s string) int { return len(number.FindAllString(s, -1)) }
		whole := 0
		for _, s := range script {
			whole += count(s.Heard)
		}
		if whole < count(clean) {
			t.Errorf("a number of %q is cut: %q", clean, script)
		}
	})
}
