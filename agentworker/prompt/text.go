package prompt

import (
	"regexp"
	"strings"
	"unicode"
)

var protocolLine = regexp.MustCompile(`^- [a-z ]+: *([\pL\pN_.-]+)\(`)

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escape makes data of a text: one line, no control or format characters, XML escapes.
func escape(s string) string { return escaper.Replace(oneLine(s)) }

// oneLine drops control and invisible format characters and joins lines, so that
// data cannot begin a line of its own.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			return ' '
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Tokens estimates the tokens of a text from what common tokenizers give: about
// 0.7 a CJK character and 0.27 any other. It errs on the high side.
func Tokens(s string) int {
	var han, other int
	for _, r := range s {
		if r >= 0x2E80 {
			han++
		} else {
			other++
		}
	}
	return (han*70+other*27)/100 + 1
}
