package rules

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// token is one Han character, one Latin word, or one number.
type token struct {
	text   string
	number string // decimal digits when it can be read as a number, else ""
	sure   bool   // surely a number: written in digits, or in several numerals, or before 号
	joined bool   // written to the token before without a space, as the T of 13T
}

// Two private-use characters stand for a captured number and a captured text.
const (
	numberSlot = "\uE000"
	textSlot   = "\uE001"
)

var (
	// platformToken is an emoji name ("[赞]", "[赞" where the text was cut) or a mention: never part of a question.
	platformToken = regexp.MustCompile(`\[[^\[\]\d\s]{1,8}(?:\]|$)|@<[^<>]*>|@[\p{L}\p{N}_]{1,20}[ :：,，]`)
	link          = regexp.MustCompile(`https?://\S+`)
)

// maxTokens is how much of a text is compared; chosen numbers are a 64-bit set.
const maxTokens = 64

const hanNumerals = "零〇一二两三四五六七八九十百千"

// tokenize cuts text as viewers write it into comparable tokens: width and case
// folded, emoji and punctuation dropped, repeated phrases and stretched letters
// written once.
func tokenize(text string) []token { return cut(text, false) }

// cut is tokenize; slots keeps the two slot characters, which a phrase has and a
// viewer's text must not bring in.
func cut(text string, slots bool) []token {
	text = link.ReplaceAllString(text, " ")
	text = platformToken.ReplaceAllString(text, " ")
	text = strings.ToLower(norm.NFKC.String(text))
	rs := []rune(text)
	var out []token
	for i := 0; i < len(rs); {
		r := rs[i]
		j := i + 1
		switch {
		case slots && (string(r) == numberSlot || string(r) == textSlot):
			out = append(out, token{text: string(r)})
		case isDigit(r):
			for j < len(rs) && (isDigit(rs[j]) || (rs[j] == '.' && j+1 < len(rs) && isDigit(rs[j+1]))) {
				j++
			}
			s := shortenRepeated(string(rs[i:j]))
			out = append(out, token{text: s, number: s, sure: true, joined: i > 0 && isWordLetter(rs[i-1])})
		case strings.ContainsRune(hanNumerals, r):
			for j < len(rs) && strings.ContainsRune(hanNumerals, rs[j]) {
				j++
			}
			s := string(rs[i:j])
			n := hanNumber(s)
			if s == "一" && j < len(rs) && strings.ContainsRune("下个点样起直定般会边种些次天款套条双件", rs[j]) {
				n = "" // 一下 counts nothing
			}
			out = append(out, token{text: s, number: n, sure: n != "" && (j-i > 1 || (j < len(rs) && rs[j] == '号'))})
		case unicode.Is(unicode.Han, r):
			out = append(out, token{text: string(r)})
		case unicode.IsLetter(r):
			for j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.Is(unicode.Mn, rs[j]) || isApostrophe(rs, j)) && !unicode.Is(unicode.Han, rs[j]) {
				j++
			}
			out = append(out, token{text: unstretch(rs[i:j]), joined: i > 0 && isDigit(rs[i-1])})
		}
		i = j
	}
	if len(out) > maxTokens {
		out = out[:maxTokens]
	}
	return once(foldQuestion(withoutInterjections(out)))
}

// interjections are breath, not words; 阿 is one only at the end.
var interjections = newSet("啊 呀 哦 噢 喔 哟 捏 诶 嗷")

// withoutInterjections drops them beside other words: 101啊 is 101, 啊啊啊 stays.
func withoutInterjections(ts []token) []token {
	end := len(ts)
	for end > 0 && (ts[end-1].text == "阿" || interjections[ts[end-1].text]) {
		end--
	}
	out := make([]token, 0, end)
	for _, t := range ts[:end] {
		if !interjections[t.text] {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return ts
	}
	return out
}

func isWordLetter(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isApostrophe says that rs[j] joins two letters, as in "what's".
func isApostrophe(rs []rune, j int) bool {
	return (rs[j] == '\'' || rs[j] == '’') && j+1 < len(rs) && unicode.IsLetter(rs[j+1])
}

// shortenRepeated writes 66666 as 666; amounts like 1000 stay.
func shortenRepeated(s string) string {
	if len(s) > 3 && s[0] != '0' && strings.Count(s, s[:1]) == len(s) {
		return s[:3]
	}
	return s
}

// unstretch writes "pleaseee" as "please": runs of three or more letters become one.
func unstretch(rs []rune) string {
	var b strings.Builder
	for i := 0; i < len(rs); {
		j := i
		for j < len(rs) && rs[j] == rs[i] {
			j++
		}
		n := j - i
		if n > 2 {
			n = 1
		}
		for range n {
			if rs[i] != '\'' && rs[i] != '’' {
				b.WriteRune(rs[i])
			}
		}
		i = j
	}
	return b.String()
}

// foldQuestion writes the closing question particles 么, 嘛, 麽, 没 and 不 as 吗.
func foldQuestion(ts []token) []token {
	if n := len(ts); n > 1 {
		switch last, before := ts[n-1].text, ts[n-2].text; last {
		case "么", "麽", "嘛", "没", "不":
			if !strings.Contains("什怎这那多", before) {
				ts[n-1].text = "吗"
			}
		}
	}
	return ts
}

// once drops the repeats of a text that says one thing over and over, and runs
// of three or more equal tokens.
func once(ts []token) []token {
	for p := 1; p <= len(ts)/2; p++ {
		periodic := true
		for i := p; i < len(ts) && periodic; i++ {
			periodic = ts[i].text == ts[i-p].text
		}
		if periodic {
			return ts[:p]
		}
	}
	out := ts[:0:0]
	for i, t := range ts {
		if i+1 < len(ts) && i > 0 && ts[i-1].text == t.text && ts[i+1].text == t.text {
			continue
		}
		if n := len(out); n > 1 && out[n-1].text == t.text && out[n-2].text == t.text {
			continue
		}
		out = append(out, t)
	}
	return out
}

var (
	hanDigits = map[rune]int{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	hanUnits  = map[rune]int{'十': 10, '百': 100, '千': 1000}
)

// hanNumber reads Chinese numerals up to thousands as decimal digits: 十二 is 12,
// 一百五 is 150, 一百零五 is 105, 一六八 is 168. A unit alone (百) is no number.
func hanNumber(s string) string {
	total, digit, unit := 0, -1, 0 // digit: read and not yet used; unit: the last one, 0 after a zero
	spelled := ""                  // digit by digit
	for i, r := range s {
		if d, ok := hanDigits[r]; ok {
			if digit > 0 && strings.ContainsAny(s, "十百千") {
				return "" // 六七千: about that
			}
			if d == 0 {
				unit = 0
			}
			digit = d
			spelled += strconv.Itoa(d)
			continue
		}
		if digit <= 0 && (r != '十' || i > 0) {
			return ""
		}
		unit = hanUnits[r]
		total += max(digit, 1) * unit
		digit = -1
	}
	switch {
	case total == 0:
		return spelled
	case digit > 0 && unit > 10:
		return strconv.Itoa(total + digit*unit/10)
	default:
		return strconv.Itoa(total + max(digit, 0))
	}
}

// joinTokens writes tokens back as text: words and numbers next to words apart.
func joinTokens(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && isLatin(t.text) && isLatin(ts[i-1].text) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

func isLatin(s string) bool { return s[0] < 0x80 }

// languageOf is "zh" when text holds Han characters, else "en", or "" without letters.
func languageOf(text string) string {
	lang := ""
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			return "zh"
		}
		if unicode.IsLetter(r) {
			lang = "en"
		}
	}
	return lang
}
