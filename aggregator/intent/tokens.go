package intent

import "cmp"

// A text is read as tokens: Latin words (a-z and ') and, of everything else, single
// characters. Each is a row of the model's vocabulary.

// Rows that are not of a token.
const (
	// 0 is what is before the begin and after the end
	begin   = 1
	end     = 2
	unknown = 3
)

// maxTokens are read of a text.
const maxTokens = 48

// ids are the rows of a text's tokens between begin and end, n in all, with as many
// rows of nothing on both sides as a pattern reaches.
type ids struct {
	of [reach + maxTokens + 2 + reach]uint16
	n  int
}

func (s *ids) add(row uint16) {
	s.of[reach+s.n] = row
	s.n++
}

func (v *vocabulary) read(in []rune) (s ids) {
	s.add(begin)
	for i := 0; i < len(in) && s.n <= maxTokens; {
		n := word(in[i:])
		if n <= 1 {
			s.add(v.single(in[i]))
			i++
			continue
		}
		s.add(v.word(in[i : i+n]))
		i += n
	}
	s.add(end)
	return s
}

// word is the length of the Latin word that in begins with.
func word(in []rune) (n int) {
	for n < len(in) && (in[n] >= 'a' && in[n] <= 'z' || in[n] == '\'') {
		n++
	}
	return n
}

// vocabulary finds the row of a token.
type vocabulary struct {
	singles map[rune]uint16
	han     [hanEnd - hanStart]uint16 // the common ones without a map
	words   map[string]uint16
	stems   map[string]uint16 // for words that are not there: their first two letters
}

// The CJK unified ideographs.
const hanStart, hanEnd = 0x4e00, 0xa000

func (v *vocabulary) single(r rune) uint16 {
	if r >= hanStart && r < hanEnd {
		return cmp.Or(v.han[r-hanStart], unknown)
	}
	return cmp.Or(v.singles[r], unknown)
}

// longestWord in the vocabulary; a longer one is known by its stem.
const longestWord = 24

func (v *vocabulary) word(in []rune) uint16 {
	var b [longestWord + 1]byte // one more, so that no longer word is taken for one
	n := 0
	for n < len(in) && n < len(b) {
		b[n] = byte(in[n])
		n++
	}
	return cmp.Or(v.words[string(b[:n])], v.stems[string(b[:2])], unknown)
}

// learn makes a vocabulary of tokens, of which the first four are not tokens and a
// ~ before two letters marks a stem.
func learn(tokens []string) *vocabulary {
	v := &vocabulary{singles: map[rune]uint16{}, words: map[string]uint16{}, stems: map[string]uint16{}}
	for row, t := range tokens[unknown+1:] {
		row := uint16(row + unknown + 1)
		switch r := []rune(t); {
		case len(r) == 3 && r[0] == '~':
			v.stems[t[1:]] = row
		case len(r) > 1:
			v.words[t] = row
		case r[0] >= hanStart && r[0] < hanEnd:
			v.han[r[0]-hanStart] = row
		default:
			v.singles[r[0]] = row
		}
	}
	return v
}
