package text

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// The languages.
const (
	Chinese = "zh"
	English = "en"
)

// The caps, in graphemes, and the bytes that are looked at at all.
const (
	MaxOriginal = 300
	MaxQuestion = 120
	maxBytes    = 8192 // more than MaxOriginal graphemes may take
)

// Text is one danmaku as the stages after this one see it.
type Text struct {
	Original string // what was typed, capped
	Question string // what is asked: the rest is noise to a reader and a voice
	Match    string // folded letters and digits only: for word lists, never shown
	Language string // Chinese or English

	Truncated bool // Original or Question was cut
	Emoji     bool // an emoji or platform emoji name was taken out
	Mention   bool // a mention was taken out
	URL       bool // an address was taken out
}

// Clean normalises raw. Text in neither language gets roomLanguage.
func Clean(raw, roomLanguage string) Text {
	var t Text
	if len(raw) > maxBytes {
		raw, t.Truncated = cutBytes(raw, maxBytes), true
	}
	t.Original = t.capped(strings.ToValidUTF8(raw, ""), MaxOriginal)
	s := scanners.Get().(*scanner)
	defer s.release()
	s.in = runesOf(s.in, raw)
	s.run()
	t.Emoji, t.Mention, t.URL = s.emoji, s.mention, s.url
	out := collapsePhrases(collapseRuns(squeeze(s.out)))
	t.Question = t.capped(stringOf(out, t.Original), MaxQuestion)
	if t.Match = t.Question; string(s.match) != t.Question {
		t.Match = string(s.match)
	}
	t.Language = language(out, roomLanguage)
	return t
}

// scanners are used again: their buffers are most of what Clean would allocate.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

// Truncate cuts s to max graphemes.
func Truncate(s string, max int) string {
	var t Text
	return t.capped(s, max)
}

func (t *Text) capped(s string, max int) string {
	if len(s) <= max {
		return s
	}
	if end := plainCut(s, max); end >= 0 {
		t.Truncated = t.Truncated || end < len(s)
		return s[:end]
	}
	rest, state, end := s, -1, 0
	for n := 0; n < max && rest != ""; n++ {
		var g string
		g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		// A cluster of hundreds of combining marks is one grapheme: bound it too.
		if end += len(g); end > 16*max {
			end -= len(g)
			break
		}
	}
	if end < len(s) {
		t.Truncated = true
	}
	return s[:end]
}

// plainCut is where max runes end, -1 when a rune up to there or the next one may be
// part of a larger grapheme.
func plainCut(s string, max int) int {
	n := 0
	for i, r := range s {
		switch {
		case !(r >= ' ' && r < 0x7f || r >= 0x4e00 && r <= 0x9fff || r >= 0xff01 && r <= 0xff5e || r >= 0x3001 && r <= 0x3011):
			if utf8.RuneCountInString(s) <= max {
				return len(s)
			}
			return -1
		case n == max:
			return i
		}
		n++
	}
	return len(s)
}

// stringOf is the runes as a string: original where they are the same, as in most text.
func stringOf(in []rune, original string) string {
	n := 0
	for _, r := range original {
		if n == len(in) || in[n] != r {
			return string(in)
		}
		n++
	}
	if n < len(in) {
		return string(in)
	}
	return original
}

func cutBytes(s string, max int) string {
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// runesOf normalises to NFKC, without the tables where that changes nothing or
// only full-width forms.
func runesOf(out []rune, s string) []rune {
	for _, r := range s {
		switch {
		case r < 0x7f, r >= 0x4e00 && r <= 0x9fff, r == '、', r == '。', r == '\u200b', r == '\ufe0f':
			out = append(out, r)
		case r >= 0xff01 && r <= 0xff5e:
			out = append(out, r-0xfee0)
		case r == '\u3000':
			out = append(out, ' ')
		default:
			return spelled(out[:0], norm.NFKC.String(s))
		}
	}
	return out
}

// spelled writes out the letters and digits in signs that NFKC leaves alone: 🆅 is V,
// ❸ is 3.
func spelled(out []rune, s string) []rune {
	var prev rune
	for i, r := range s {
		sign := r
		switch {
		case r < '⓫': // nearly all of any script
		case r >= 0x1f150 && r <= 0x1f169: // 🅥
			r = 'A' + r - 0x1f150
		case r >= 0x1f170 && r <= 0x1f189: // 🆅
			r = 'A' + r - 0x1f170
		case isRegional(r):
			if next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):]); !isRegional(prev) && !isRegional(next) { // two are a flag
				r = 'A' + r - 0x1f1e6
			}
		case r == '⓿':
			r = '0'
		case r >= '⓵' && r <= '⓽':
			r = '1' + r - '⓵'
		case r == '⓾', r == '❿', r == '➉', r == '➓', r == '🔟':
			out, r = append(out, '1'), '0'
		case r >= '❶' && r <= '➒': // and ➀
			r = '1' + (r-'❶')%10
		}
		out, prev = append(out, r), sign
	}
	return out
}

func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func language(out []rune, fallback string) string {
	han, latin := 0, 0
	for _, r := range out {
		switch {
		case isHan(r):
			han++
		case isLatin(r):
			latin++
		}
	}
	switch {
	case han == 0 && latin == 0:
		if fallback == English {
			return English
		}
		return Chinese
	case han*4 >= latin:
		return Chinese
	default:
		return English
	}
}

func isHan(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x3134f
}

func isLatin(r rune) bool {
	return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0xc0 && r <= 0x24f && r != 0xd7 && r != 0xf7
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }
