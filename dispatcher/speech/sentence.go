package speech

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is a piece of a text that is said in one go.
type Sentence struct {
	Heard  string // as heard
	Spoken string // written out for the engine
}

// shortest is how many runes a sentence has at least, so that a "好的！" is not
// synthesised alone.
const shortest = 4

// Script cuts a cleaned text into sentences and writes each out. The Heard parts put
// together are the text, save for spaces between them.
func Script(clean string) []Sentence {
	var out []Sentence
	zh := hasHan(clean)
	for _, s := range split(clean) {
		out = append(out, Sentence{Heard: s, Spoken: say(s, zh)})
	}
	return out
}

// split ends a sentence after 。！？；!?; and after a full stop before a space. A stop or
// comma inside 1,299.00, iPhone 15.5 or U.S. is part of a word.
func split(text string) []string {
	ends := []int{}
	start := 0
	long := func(part string) bool { return utf8.RuneCountInString(strings.TrimSpace(part)) >= shortest }
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if endsSentence(r, text[:i], text[end:]) && long(text[start:end]) {
			ends, start = append(ends, end), end
		}
	}
	switch {
	case start == len(text):
	case len(ends) > 0 && !long(text[start:]): // too short alone: the last sentence takes it
		ends[len(ends)-1] = len(text)
	default:
		ends = append(ends, len(text))
	}
	out, start := make([]string, 0, len(ends)), 0
	for _, end := range ends {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	return out
}

func endsSentence(r rune, before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '。', '！', '？', '；':
		return !closes(next)
	case '!', '?', ';':
		return after == "" || unicode.IsSpace(next) || unicode.Is(unicode.Han, next)
	case '.':
		last, _ := utf8.DecodeLastRuneInString(before)
		return (after == "" || unicode.IsSpace(next)) && !abbreviation(before) && (last != '.')
	}
	return false
}

// closes reports a mark that belongs to the sentence it follows.
func closes(r rune) bool { return strings.ContainsRune("。！？；!?;”’」』）)\"'", r) }

// abbreviations are the words whose full stop ends no sentence, in lower case.
var abbreviations = map[string]bool{
	"no": true, "vs": true, "mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "approx": true, "etc": true, "e.g": true, "i.e": true, "oz": true, "lb": true, "vol": true,
}

// initials are a letter, or letters with full stops between: U.S
var initials = regexp.MustCompile(`^(?:[A-Za-z]\.)*[A-Za-z]$`)

// abbreviation reports whether the text ends in something whose full stop ends no
// sentence.
func abbreviation(before string) bool {
	latin := func(r rune) bool { return r == '.' || r <= unicode.MaxASCII && unicode.IsLetter(r) } // "价格U.S." has no space before it
	word := before[len(strings.TrimRightFunc(before, latin)):]
	return initials.MatchString(word) || abbreviations[strings.ToLower(word)]
}

// Language is that of a voice which can say the text: "zh" for text with Chinese in it,
// "en" for other words and numbers, which Script writes out in English.
func Language(clean string) string {
	if hasHan(clean) {
		return "zh"
	}
	return "en"
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
