package analytics

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a part of a text that identifies a person.
type span struct {
	from, to int
	by       string // what stands there instead
}

// Redact removes phone numbers, identity numbers, e-mail and postal addresses.
// It is for what people type: it rather takes too much than too little, but
// leaves ids, prices, link numbers and times alone. Texts are long (prompts) and
// many, so it walks the text once and looks closer only where something can be.
func Redact(text string) string {
	var b strings.Builder
	end := 0
	for i := 0; i < len(text); {
		s, next := look(text, i, end)
		for _, s := range s {
			if s.from < end { // overlaps what is gone already
				s.from = end
			}
			if s.to <= s.from {
				continue
			}
			b.WriteString(text[end:s.from])
			b.WriteString(s.by)
			end = s.to
		}
		i = max(next, end)
	}
	if end == 0 {
		return text
	}
	b.WriteString(text[end:])
	return b.String()
}

// look reads what begins at i, and says where to go on. What is before end is
// gone already.
func look(text string, i, end int) ([]span, int) {
	c := text[i]
	switch {
	case c == '@':
		return email(text, i, end), i + 1
	case c >= '0' && c <= '9', c == '+':
		return numbers(text, i)
	case c < utf8.RuneSelf:
		return nil, i + 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	switch {
	case wideDigit(r):
		return numbers(text, i)
	case r == '＠':
		return email(text, i, end), i + n
	case roadEnd(r) || estateEnd(r):
		return address(text, i, i+n, end), i + n
	}
	return nil, i + n
}

func wideDigit(r rune) bool { return r >= '０' && r <= '９' }

// narrow is the character of a number that r stands for, 0 for none: Chinese
// keyboards give full-width digits, dashes, spaces and stops.
func narrow(r rune) byte {
	switch {
	case r >= '0' && r <= '9', r < utf8.RuneSelf && strings.IndexByte("+-. ()Xx", byte(r)) >= 0:
		return byte(r)
	case wideDigit(r):
		return byte(r-'０') + '0'
	}
	switch r {
	case '－', '—', '–', '‐':
		return '-'
	case '　':
		return ' '
	case '．', '。', '·':
		return '.'
	case '＋':
		return '+'
	case '（':
		return '('
	case '）':
		return ')'
	}
	return 0
}

var emailPattern = regexp.MustCompile(`^[A-Za-z0-9._%+-]+[@＠][A-Za-z0-9.-]+\.[A-Za-z]{2,}`)

func email(text string, at, end int) []span {
	from := at
	for from > end && strings.IndexByte("._%+-", text[from-1]) >= 0 || from > end && alphanumeric(text[from-1]) {
		from--
	}
	if m := emailPattern.FindStringIndex(text[from:min(at+255, len(text))]); m != nil {
		return []span{{from, from + m[1], "[email]"}}
	}
	return nil
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// numberRules are tried in this order: identity numbers contain digits that look
// like phones.
var numberRules = []struct {
	by   string
	what *regexp.Regexp
}{
	{"[id]", regexp.MustCompile(`[1-9]\d{5}[- ]?(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])[- ]?\d{3}[\dXx]`)},
	{"[phone]", regexp.MustCompile(`(?:(?:\+|00)?86[- ]?)?1[3-9]\d[- .]{0,3}\d{4}[- .]{0,3}\d{4}`)},
	{"[phone]", regexp.MustCompile(`1 [3-9](?: \d){9}|1-[3-9](?:-\d){9}`)},
	{"[phone]", regexp.MustCompile(`0\d{2,3}[- ]\d{7,8}|0\d{2,3}\) ?\d{7,8}`)},
	{"[phone]", regexp.MustCompile(`\+\d{1,3}[- ]?\(?\d{2,4}\)?(?:[- ]?\d{3,4}){2}`)},
	{"[phone]", regexp.MustCompile(`\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}[-. ]\d{3}[-. ]\d{4}`)},
}

// fewest is how many digits the shortest number that identifies somebody has.
const fewest = 9

// numbers reads a run of digits and what people put between them.
func numbers(text string, from int) ([]span, int) {
	to, digits, wide := from, 0, false
	for to < len(text) {
		r, n := utf8.DecodeRuneInString(text[to:])
		c := narrow(r)
		if c == 0 {
			break
		}
		if digit(c) {
			digits++
		}
		wide = wide || n > 1
		to += n
	}
	if digits < fewest {
		return street(text, from, to), to
	}
	run, at := text[from:to], []int(nil)
	if wide {
		run, at = narrowed(run)
	}
	spans := numbersIn(run)
	for i, s := range spans {
		bracketed := s.from == 0 && strings.Contains(run[:s.to], ")")
		if wide {
			s.from, s.to = at[s.from], at[s.to]
		}
		s.from, s.to = from+s.from, from+s.to
		for _, open := range []string{"(", "（"} {
			if bracketed && strings.HasSuffix(text[:s.from], open) {
				s.from -= len(open)
			}
		}
		spans[i] = s
	}
	return spans, to
}

// narrowed is a run in ASCII, and where each of its characters, and its end, was.
func narrowed(wide string) (run string, at []int) {
	b := make([]byte, 0, len(wide))
	for i, r := range wide {
		b, at = append(b, narrow(r)), append(at, i)
	}
	return string(b), append(at, len(wide))
}

// numbersIn finds what identifies somebody in a run in ASCII.
func numbersIn(run string) []span {
	for _, r := range numberRules {
		var found []span
		for _, m := range r.what.FindAllStringIndex(run, -1) {
			if m[0] > 0 && digit(run[m[0]-1]) || m[1] < len(run) && digit(run[m[1]]) {
				continue // part of a longer number
			}
			found = append(found, span{m[0], m[1], r.by})
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

var streetPattern = regexp.MustCompile(`^\d{1,5} (?:(?:[A-Z][a-z]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct)\b\.?|(?i:(?:[a-z]+ ){1,2}(?:street|avenue|boulevard))\b)`)

// street is an English address: it begins with the house number at from.
func street(text string, from, to int) []span {
	if to >= len(text) || text[to-1] != ' ' || !alphanumeric(text[to]) {
		return nil
	}
	if m := streetPattern.FindStringIndex(text[from:min(from+80, len(text))]); m != nil {
		return []span{{from, from + m[1], "[address]"}}
	}
	return nil
}

// A Chinese address is found at the end of its road or estate: what identifies
// somebody is the number behind it.
func roadEnd(r rune) bool   { return strings.ContainsRune("路街巷弄道同", r) } // 胡同
func estateEnd(r rune) bool { return strings.ContainsRune("区园寓苑庭村里厦", r) }

// "专区3号" is a place on the shelf, "小区3栋" is not.
var (
	roadNumber   = regexp.MustCompile(`^\s?[0-9０-９一二三四五六七八九十百]{1,6}\s?(?:号楼|号|弄)`)
	estateNumber = regexp.MustCompile(`^\s?[0-9０-９一二三四五六七八九十百]{1,6}\s?(?:号楼|栋|幢|座|单元|室)`)
	inside       = regexp.MustCompile(`^[\p{Han}A-Za-z]{0,6}?\s?[0-9０-９一二三四五六七八九十百-]{1,6}\s?(?:号楼|栋|幢|座|楼|单元|层|室|号|弄)`)
	regions      = regexp.MustCompile(`(?:黑龙江省|\p{Han}{2}省|\p{Han}{2,5}自治[区州]|\p{Han}{2}市|\p{Han}{2}[区县旗镇乡]|\p{Han}{2}街道)`)
)

const regionSpan = 28 * 3 // bytes of Chinese characters that are searched for regions

// address reads around the last character of a road or estate, text[at:after].
func address(text string, at, after, end int) []span {
	from := at
	for from > end && at-from < regionSpan {
		r, n := utf8.DecodeLastRuneInString(text[:from])
		if !unicode.Is(unicode.Han, r) {
			break
		}
		from -= n
	}
	name := text[from:at]
	if utf8.RuneCountInString(name) < 2 {
		return nil
	}
	named := regions.FindAllStringIndex(name, -1)
	house, bare := estateNumber, false
	if last, _ := utf8.DecodeRuneInString(text[at:]); roadEnd(last) {
		house, bare = roadNumber, len(named) >= 2 // so many regions and a road are enough
	}
	m := house.FindStringIndex(text[after:])
	if m == nil && !bare || m != nil && linkNumber(text[after+m[1]:]) {
		return nil
	}
	if named != nil {
		from += named[0][0]
	} else {
		from = at - len(lastRunes(name, 2))
	}
	to := after
	if m != nil {
		to += m[1]
	}
	for m := inside.FindStringIndex(text[to:]); m != nil && !linkNumber(text[to+m[1]:]); m = inside.FindStringIndex(text[to:]) {
		to += m[1]
	}
	return []span{{from, to, "[address]"}}
}

func lastRunes(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

// linkNumber tells "3号链接" from the end of an address.
func linkNumber(after string) bool {
	return strings.HasPrefix(after, "链") || strings.HasPrefix(after, "宝贝")
}
