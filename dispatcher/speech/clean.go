package speech

import (
	"regexp"
	"strings"
	"unicode"
)

// Clean is the text as it is to be heard; "" when there is nothing to say.
func Clean(text string) string {
	for {
		// What was dropped may have joined halves of something else: [do[玫瑰]g].
		next := clean(text)
		if next == text {
			return text
		}
		text = next
	}
}

// clean never makes text longer, save that a line break becomes a comma, once.
func clean(text string) string {
	for _, r := range dropped {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	text = strings.Map(speakable, text)
	for _, r := range tidied {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	text = strings.TrimSpace(strings.TrimLeft(text, "，。！？、；：,.!?;: "))
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return text
}

type rewrite struct {
	pattern *regexp.Regexp
	with    string
}

// dropped is applied in order, before single runes are looked at.
var dropped = []rewrite{
	{regexp.MustCompile(`[\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2064}\x{FEFF}\x{00AD}]`), ""}, // first: they hide inside all of the below
	{regexp.MustCompile("```[a-z]*"), " "},
	{regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`), "$1"}, // markdown links and images keep their text
	{regexp.MustCompile(`(?i)\b(?:https?://|www\.)[\x21-\x7E]+`), " "},
	{regexp.MustCompile(`(?i)\b(?:[a-z0-9-]+\.)+(?:[a-z]{2,}/[\x21-\x7E]*|(?:com|cn|net|org|shop|invalid|io)\b)`), " "},
	{regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}|>+|[-*+])[ \t]+`), ""},                         // headings, quotes, bullets
	{regexp.MustCompile(`\[[\p{Han}a-zA-Z_]{1,10}\]`), ""},                                   // platform tokens: [玫瑰] [dog]; one with digits is content
	{regexp.MustCompile(`[(（][^)）\p{Han}a-zA-Z0-9\s][^)）\p{Han}a-zA-Z0-9]*[)）][/ノ~～]*`), ""}, // kaomoji
	{regexp.MustCompile("\\*{2,}|~{2,}|_{2,}|`"), ""},
}

// tidied is applied in order, after the single runes.
var tidied = []rewrite{
	{regexp.MustCompile(`(^|[^0-9A-Za-z*])\*([^*\n]*[^*\n0-9.][^*\n]*)\*`), "$1$2"},
	{regexp.MustCompile(`(^|[^0-9A-Za-z\p{Han} ])\*|(\p{Han})\*(\p{Han})|\*([^0-9 ]|$)`), "$1$2$3$4"}, // *emphasis*; 10*20 is a size, 500g*2 a number
	{regexp.MustCompile(`[~～]+([^0-9¥￥$-]|$)`), "$1"},                                                 // 好哒~; 3~5 is a range
	{regexp.MustCompile(`\s*\n+\s*`), "，"},
	{regexp.MustCompile(`\s+`), " "},
	{regexp.MustCompile(`！{2,}`), "！"},
	{regexp.MustCompile(`!{2,}`), "!"},
	{regexp.MustCompile(`？{2,}`), "？"},
	{regexp.MustCompile(`\?{2,}`), "?"},
	{regexp.MustCompile(`。{2,}|\.{3,}|…+`), "，"},
	{regexp.MustCompile(`([\p{Han}，。！？]) ([\p{Han}，。！？])`), "$1$2"}, // what a dropped token leaves
	{regexp.MustCompile(`([，。！？,!?])[，,]+`), "$1"},
}

// units are symbols by their category, words by their meaning.
const units = "°℃℉№㎡㎥㎏㎎㎝㎜㎞±×÷=+$¥￥€£%‰^|≥≤≈"

// speakable drops emoji and other symbols and all that is invisible.
func speakable(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r >= '０' && r <= '９', r >= 'Ａ' && r <= 'Ｚ', r >= 'ａ' && r <= 'ｚ', r == '％', r == '＋', r == '＊':
		return r - 0xFEE0 // full width
	case strings.ContainsRune(units, r):
		return r
	case r == 0xFE0F || r == 0x20E3 || r == 0x200D: // emoji variation, keycap (its digit stays), joiner
		return -1
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.So, unicode.Sk, unicode.Sm, unicode.Variation_Selector):
		return symbolButWord(r)
	case r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r >= 0xE0000 && r <= 0xE0FFF:
		return -1
	}
	return r
}

// symbolButWord keeps the ASCII symbols that have a job in text.
func symbolButWord(r rune) rune {
	if strings.ContainsRune("~～`<>", r) {
		if r == '<' || r == '>' || r == '`' {
			return ' '
		}
		return r
	}
	return -1
}
