package text

import (
	"unicode"
	"unicode/utf8"

	"livehost/aggregator/lexicon"
)

// scanner takes out what is not language and folds what is.
type scanner struct {
	in    []rune
	out   []rune
	match []byte

	emoji, mention, url bool
}

// release hands the buffers to the next text, unless a long one has made them large.
func (s *scanner) release() {
	const longest = 1024
	if cap(s.in) > longest {
		return
	}
	*s = scanner{in: s.in[:0], out: s.out[:0], match: s.match[:0]}
	scanners.Put(s)
}

func (s *scanner) run() {
	for i := 0; i < len(s.in); {
		if n := s.skip(i); n > 0 {
			i += n
			continue
		}
		s.keep(s.in[i])
		i++
	}
}

// skip reports how many runes from i are not language, or are dealt with here.
func (s *scanner) skip(i int) int {
	switch r := s.in[i]; {
	case r == '[':
		return s.emojiName(i)
	case r == '<':
		return s.placeholder(i)
	case r == '\\' && i+1 < len(s.in) && s.in[i+1] == '/': // \/ is a V
		s.out = append(s.out, r, '/')
		s.match = append(s.match, 'v')
		return 2
	case r == '@':
		n := s.atInWord(i)
		for _, part := range s.in[i : i+n] {
			s.keep(part)
		}
		if n > 0 {
			return n
		}
		return s.mentionAt(i)
	case r < 0x80:
		if n := urlAt(s.in, i); n > 0 {
			s.url = true
			s.gap()
			return n
		}
		return 0
	default:
		return 0
	}
}

func (s *scanner) keep(r rune) {
	switch {
	case r >= 0x4e00 && r <= 0x9fff: // most of what is typed
		s.out = append(s.out, r)
		s.match = utf8.AppendRune(s.match, lexicon.Simplified(r))
	case r == ' ' || r == '\t' || r == '\n' || r == '\r' || isBlank(r):
		s.gap()
	case r < 0x20 || r == 0x7f || r == utf8.RuneError || isInvisible(r):
	case isEmoji(r):
		s.emoji = true
		s.gap()
		switch { // what stands for a name or a sign in contact bait
		case isHeart(r): // "V❤" is read as V信
			s.match = utf8.AppendRune(s.match, '心')
		case r == '➕':
			s.match = append(s.match, '+')
		case r == '🐧':
			s.match = append(s.match, "qq"...)
		case r == '🛰':
			s.match = append(s.match, "卫星"...)
		}
	default:
		s.out = append(s.out, r)
		if f := Fold(r); f != 0 {
			s.match = utf8.AppendRune(s.match, f)
		}
	}
}

// gap keeps two words apart whose separator was taken out.
func (s *scanner) gap() {
	if n := len(s.out); n > 0 && s.out[n-1] != ' ' {
		s.out = append(s.out, ' ')
	}
}

// emojiName is the length of a platform's emoji in brackets: [玫瑰], [dog].
func (s *scanner) emojiName(i int) int {
	const longest = 14
	for j := i + 1; j < len(s.in) && j-i <= longest; j++ {
		switch s.in[j] {
		case '[':
			return 0
		case ']':
			if j == i+1 {
				return 0
			}
			s.emoji = true
			s.gap()
			return j - i + 1
		}
	}
	return 0
}

// placeholder is the length of <USER>, <URL> and the like, which anonymised
// recordings hold.
func (s *scanner) placeholder(i int) int {
	j := i + 1
	for j < len(s.in) && s.in[j] >= 'A' && s.in[j] <= 'Z' && j-i <= 8 {
		j++
	}
	if j == len(s.in) || s.in[j] != '>' || j-i < 3 {
		return 0
	}
	s.mention = true
	s.gap()
	return j - i + 1
}

// atInWord is the length of an @ in a Latin word, where it is an "a" in disguise, as
// nobody mentions without a space before it, or of the rest of an e-mail address; 0 when
// it is neither. Both are kept for the word lists to see.
func (s *scanner) atInWord(i int) int {
	if len(s.out) == 0 {
		return 0
	}
	before, next := s.out[len(s.out)-1], i+1
	for next < len(s.in) && isInvisible(s.in[next]) {
		next++
	}
	end := next == len(s.in) || s.in[next] == ' '
	switch {
	case !end && (isAddressRune(before) || before == '_') && urlAt(s.in, next) > 0:
		return next + urlAt(s.in, next) - i
	case foldsToLatin(before) && (end || foldsToLatin(s.in[next])):
		return next - i
	default:
		return 0
	}
}

func foldsToLatin(r rune) bool { l := Fold(r); return l >= 'a' && l <= 'z' }

// mentionAt is the length of a mention: @<USER>, or @name up to a space. A name
// without a space after it may run into the question: only its sign goes.
func (s *scanner) mentionAt(i int) int {
	const longest = 30
	s.gap()
	if i+1 < len(s.in) && s.in[i+1] == '<' {
		if n := s.placeholder(i + 1); n > 0 {
			return n + 1
		}
	}
	for j := i + 1; j < len(s.in) && j-i <= longest; j++ {
		if s.in[j] == ' ' && j > i+1 {
			s.mention = true
			return j - i + 1
		}
	}
	return 1
}

func isInvisible(r rune) bool {
	return r >= 0x80 && (r >= 0x200b && r <= 0x200f || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0000 && r <= 0xe01ef ||
		r == 0x20e3 || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cc))
}

// isBlank reports what shows as a space or as nothing and keeps words apart: the
// spaces of all scripts, the Hangul fillers and the empty Braille pattern, which
// are a letter and a sign to Unicode.
func isBlank(r rune) bool {
	return r >= 0x80 && (r == 0x1160 || r == 0x115f || r == 0x2800 || unicode.IsSpace(r))
}

func isEmoji(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2600 && r <= 0x27bf || r >= 0x2b00 && r <= 0x2bff ||
		r >= 0x2300 && r <= 0x23ff || r >= 0x2190 && r <= 0x21ff || r >= 0x2500 && r <= 0x25ff
}

func isHeart(r rune) bool {
	return r == '❤' || r == '♥' || r == '♡' || r >= 0x1f493 && r <= 0x1f49f || r == 0x1f9e1 || r == 0x1f90d
}
