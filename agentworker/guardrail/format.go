package guardrail

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest spoken reply, by the language of the text.
const (
	MaxRunesZH = 60
	MaxCharsEN = 160
)

var (
	markdown  = regexp.MustCompile("\\*\\*|__|```|`|^#{1,6} |^[-*] |\\[[^\\]]*\\]\\(|^\\d+\\. ")
	emphasis  = regexp.MustCompile("\\*\\*|__|`{1,3}|(?m)^#{1,6} +|(?m)^[-*] +")
	refusal   = regexp.MustCompile(`(?i)^\W*(拒绝回复|无法回答|我?不能回答|不予回复|no reply|\[?silent\]?|n/?a|null|none|i cannot (answer|help)|i can't (answer|help))\W*$`)
	spaces    = regexp.MustCompile(`\s+`)
	webLink   = regexp.MustCompile(`(?i)https?://\S+|www\.\S+`)
	emoji     = regexp.MustCompile(`[\x{2600}-\x{27BF}\x{1F000}-\x{1FAFF}\x{FE0F}\x{200D}\x{20E3}]+`)
	bracketed = regexp.MustCompile(`\[[\p{Han}A-Za-z_]{1,8}\]`)
)

// ReplyFormat objects to text that cannot be spoken as one natural sentence:
// empty, a refusal string, several lines, Markdown, addresses, platform emoji.
// Markdown and lines are rewritten.
func ReplyFormat(in *Input) (Finding, bool) {
	if !strings.ContainsFunc(in.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return found(in.Text, "nothing to say")
	}
	if refusal.MatchString(in.Text) {
		return found(in.Text, "a refusal is not a reply; staying silent is a tool")
	}
	if at := webLink.FindString(in.Text); at != "" {
		return found(at, "an address cannot be spoken")
	}
	span := markdown.FindString(in.Text)
	if span == "" && strings.ContainsAny(in.Text, "\n\r\t") {
		span = "\n"
	}
	if span == "" {
		span = bracketed.FindString(in.Text)
	}
	if span == "" {
		span = emoji.FindString(in.Text)
	}
	if span == "" {
		return fine, true
	}
	plain := emoji.ReplaceAllString(in.Text, "")
	plain = bracketed.ReplaceAllString(emphasis.ReplaceAllString(plain, ""), "")
	return Finding{Span: span, Detail: "not plain speech", Rewrite: strings.TrimSpace(spaces.ReplaceAllString(plain, " "))}, false
}

// Length objects to text that takes too long to say.
func Length(in *Input) (Finding, bool) {
	n := utf8.RuneCountInString(in.Text)
	most := MaxCharsEN
	if hanShare(in.Text) > 0 {
		most = MaxRunesZH
	}
	if n <= most {
		return fine, true
	}
	return found(string([]rune(in.Text)[most:]), fmt.Sprintf("%d characters, at most %d", n, most))
}

// RequiredSkill objects to a reply with substance for which no reply skill was loaded.
func RequiredSkill(in *Input) (Finding, bool) {
	if !in.SkillNeeded || in.SkillLoaded {
		return fine, true
	}
	return found("", "no reply skill was loaded")
}

// Language objects to a reply in another language than the asker's, by script:
// a Latin word counts as much as a Han character.
func Language(in *Input) (Finding, bool) {
	for _, r := range in.Text {
		if unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Thai, unicode.Arabic) {
			return found(string(r), "neither Chinese nor English")
		}
	}
	han := hanShare(in.Text)
	switch {
	case han < 0:
		return fine, true
	case in.Language == "en" && han > 0.3:
		return found(in.Text, "the asker wrote English")
	case in.Language == "zh" && han < 0.3:
		return found(in.Text, "the asker wrote Chinese")
	}
	return fine, true
}

// hanShare is the share of Han characters among Han characters and Latin words,
// -1 when there is neither.
func hanShare(s string) float64 {
	han, words := 0, 0
	latin := false
	for _, r := range s {
		isLatin := unicode.Is(unicode.Latin, r)
		if isLatin && !latin {
			words++
		}
		latin = isLatin
		if isHan(r) {
			han++
		}
	}
	if han+words == 0 {
		return -1
	}
	return float64(han) / float64(han+words)
}
