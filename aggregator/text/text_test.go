package text_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"livehost/aggregator/text"
)

func question(t *testing.T, tests map[string]string) {
	t.Helper()
	for in, want := range tests {
		if got := text.Clean(in, text.Chinese).Question; got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestP30PlatformEmojiAndEmoji(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{
		"[dog][dog]": "", "👍 👍": "", "❤️": "", "[玫瑰][玫瑰] ": "", "👨‍👩‍👧": "", "🇨🇳": "",
		"多少钱[玫瑰]": "多少钱", "1️⃣号多少钱": "1号多少钱", "nice🎉bag": "nice bag",
		"[这不是一个表情的名字而是一句话吧]": "[这不是一个表情的名字而是一句话吧]",
	})
	if !text.Clean("👍 👍", "").Emoji || !text.Clean("[dog]", "").Emoji {
		t.Error("emoji not flagged")
	}
}

func TestP31EmojiStrippedAlways(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{"🎉🎉🎉好": "好", "🔥🔥🔥🔥多少钱🔥": "多少钱"})
}

func TestP33URLStrippedQuestionKept(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{
		"这个 example.invalid/x 正品吗":     "这个 正品吗",
		"https://a.example/b?c=1这个正品吗": "这个正品吗",
		"看 www.foo.bar 有吗":             "看有吗",
		"is shop.example.com. real?":   "is . real?",
		"29.9还是3.0":                    "29.9还是3.0", "ok.thanks": "ok.thanks",
	})
	if !text.Clean("www.foo.bar", "").URL {
		t.Error("address not flagged")
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{
		"@<USER>": "", "@<USER>胸贴": "胸贴", "@小王 多少钱": "多少钱", "@小王多少钱": "小王多少钱",
		"没了@<USER> 还有吗": "没了 还有吗", "你好@小明 多少钱": "你好 多少钱", "ok@小明 多少钱": "ok 多少钱", "iPhone@<USER> price": "iPhone price",
		"hi @anna how much": "hi how much", "@anna": "anna",
	})
}

// An @ in a word is a letter in disguise, or an e-mail address's: the word lists see it.
func TestAtInAWord(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{
		"you f@ggot ok": "you f@ggot ok", "pizz@": "pizz@", "f\u200b@\u200bggot": "f@ggot", "写到a_1@shop.example吗": "写到a_1@shop.example吗",
		"12345@shop.example 吗": "12345@shop.example 吗", "meet @ 5pm": "meet 5pm", "看@shop.example 吗": "看吗",
	})
	if got := text.Clean("pizz@ a@shop.example", ""); got.Mention || got.URL {
		t.Errorf("%+v: flagged", got)
	}
}

func TestP43ZeroWidthAndHomoglyphs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"加\u200b微\u200b信": "加微信", "ѕhіt": "shit", "ＶＸ": "vx", "加 微.信": "加微信", "V❤": "v心", "加\U000e0041微": "加微", "加√∨ᐯ": "加vvv",
	} {
		got := text.Clean(in, "")
		if got.Match != want {
			t.Errorf("Match(%q) = %q, want %q", in, got.Match, want)
		}
	}
	if got := text.Clean("加\u200b微\u200b信", "").Original; got != "加\u200b微\u200b信" {
		t.Errorf("original changed: %q", got)
	}
}

func TestP57LongTextIsCapped(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		strings.Repeat("这个防水吗那个呢", 250), strings.Repeat("a b c d ", 5000), strings.Repeat("👨‍👩‍👧好", 700),
		"e" + strings.Repeat("\u0301", 3000),
	} {
		got := text.Clean(in, "")
		if n := utf8.RuneCountInString(got.Question); n > text.MaxQuestion {
			t.Errorf("%.20q: question of %d runes", in, n)
		}
		if len(got.Original) > 16*text.MaxOriginal || !utf8.ValidString(got.Original) {
			t.Errorf("%.20q: original of %d bytes", in, len(got.Original))
		}
		if !got.Truncated {
			t.Errorf("%.20q: not flagged", in)
		}
	}
	family := strings.Repeat("👨‍👩‍👧", 400)
	if got := text.Clean(family, "").Original; len(got)%len("👨‍👩‍👧") != 0 {
		t.Errorf("cut inside a grapheme")
	}
	question(t, map[string]string{strings.Repeat("a", 500): "a", strings.Repeat("哈", 300): "哈哈"})
}

func TestP58RepeatedRunsAndPhrases(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{
		"哈哈哈哈哈哈": "哈哈", "卸妆油卸妆油卸妆油": "卸妆油", "咋用?咋用?": "咋用?", "好吃吗？？？？": "好吃吗?",
		"跪求一千左右手镯,跪求一千左右手镯": "跪求一千左右手镯,", "107!107!107!107!": "107!", "1000": "1000", "1010": "1010", "12.12": "12.12",
		"Slime licker please Slime licker please": "Slime licker please", "haha": "haha", "restockkkk": "restock", "freeee": "free",
		"13号3号": "13号3号", "XS码S码": "XS码S码", "不防水防水": "不防水防水", "有没有没有盖的": "有没有没有盖的", "看5看55": "看5看55", "谢谢": "谢谢",
		"XXXL有吗": "XXXL有吗", "xxs": "xxs", "xxx": "x", "2XL还是xxxxl": "2XL还是xxxxl", "Xxxs": "Xxxs", "AAA电池": "AAA电池", "xxxxlovely": "xlovely", "AAAAAAAA": "A", "maxxxxl": "maxl",
		"十三号三号多少钱": "十三号三号多少钱", "二十一号一号": "二十一号一号", "一号一号": "一号", "幺八幺八": "幺八幺八", "一二一二": "一二一二",
		"今天会有大肚锅有上吗？ 今天会有大肚锅有上吗？": "今天会有大肚锅有上吗?", "价格 价格 价格": "价格",
	})
}

// The longest number or word costs no more than other text: it is no phrase that
// could be repeated.
func TestP57LongNumbersCostNoMore(t *testing.T) {
	t.Parallel()
	cost := func(in string) time.Duration {
		best := time.Hour
		for range 5 {
			start := time.Now()
			text.Clean(in, text.Chinese)
			best = min(best, time.Since(start))
		}
		return best
	}
	plain := cost(strings.Repeat("这一款面膜敏感肌能不能用", 2000))
	for _, in := range []string{"10", "ha", "abcdefg1", "一二", "1.5/"} {
		if got := cost(strings.Repeat(in, 20_000)); got > 30*plain {
			t.Errorf("%q over and over takes %v, other text of that length %v", in, got, plain)
		}
	}
}

// Numbers and letters survive however they are drawn.
func TestLettersAndDigitsInSigns(t *testing.T) {
	t.Parallel()
	question(t, map[string]string{
		"❸号多少钱": "3号多少钱", "➀➈号": "19号", "➊号": "1号", "🔟号多少钱": "10号多少钱", "➓号还是❿": "10号还是10", "⓵⓿号": "10号",
		"加🆅": "加V", "选🅰️还是🅱️": "选A还是B", "🅛码": "L码", "加🇻信": "加V信", "🇨🇳的吗": "的吗",
	})
}

// What shows as nothing is nothing, and hides no word.
func TestP43Blanks(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"\u3164", "\uffa0", "\u1160", "\u115f", "\u2800", "\u2028", "\u1680", "\u00a0", "\u00ad", "\u2060", "\u202e", "\u2067"} {
		if got := text.Clean(blank+blank, "").Question; got != "" {
			t.Errorf("%+q leaves %+q", blank, got)
		}
		if got := text.Clean("加"+blank+"微"+blank+"信", "").Match; got != "加微信" {
			t.Errorf("Match with %+q is %+q", blank, got)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"多少钱": "zh", "how much": "en", "Hence气垫": "zh", "does it come in XL? 🙏": "en", "36!": "en", "iPhone 15 Pro Max 多少钱": "zh",
	} {
		if got := text.Clean(in, "en").Language; got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"@<USER>多少钱[玫瑰]", "http://", "a.com.", "哈哈哈", "\xff[", "1️⃣", "A,A"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Clean(s, "")
		if !utf8.ValidString(got.Question) || !utf8.ValidString(got.Original) || !utf8.ValidString(got.Match) {
			t.Fatalf("invalid UTF-8 from %q: %+v", s, got)
		}
		if len(got.Question) > 16*text.MaxQuestion {
			t.Fatalf("question of %d bytes", len(got.Question))
		}
	})
}

func BenchmarkClean(b *testing.B) {
	in := []string{"这个面膜敏感肌能用吗", "多少钱[玫瑰][玫瑰]", "洗面奶洗面奶洗面奶", "What size would you recommend", "太好看了👍👍"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		text.Clean(in[i%len(in)], "zh")
	}
}
