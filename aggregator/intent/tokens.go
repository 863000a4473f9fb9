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

// maxTokens are read of a text; each, begin and end begin up to three grams.
const (
	maxTokens = 48
	maxGrams  = 3 * (maxTokens + 2)
)

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

// grams are the hashes of the n grams of one to three rows, but for begin and end alone.
func (s *ids) grams(out *[maxGrams]uint64) (n int) {
	rows := s.of[reach : reach+s.n]
	for i, a := range rows {
		h := mixed(0, a)
		if a > end {
			out[n] = h
			n++
		}
		if i+1 < len(rows) {
			h = mixed(h, rows[i+1])
			out[n] = h
			n++
		}
		if i+2 < len(rows) {
			out[n] = mixed(h, rows[i+2])
			n++
		}
	}
	return n
}

// mixed is the hash of a gram that goes on with row.
func mixed(h uint64, row uint16) uint64 {
	h = (h ^ uint64(row)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
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
	near  [nearEnd]uint16 // characters up to the end of the CJK unified ideographs
	far   map[rune]uint16 // the others
	words map[string]uint16
	stems map[string]uint16 // for words that are not there: their first two letters
}

// nearEnd is the end of the CJK unified ideographs.
const nearEnd = 0xa000

func (v *vocabulary) single(r rune) uint16 {
	if r >= 0 && r < nearEnd {
		return cmp.Or(v.near[r], unknown)
	}
	return cmp.Or(v.far[r], unknown)
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
	v := &vocabulary{far: map[rune]uint16{}, words: map[string]uint16{}, stems: map[string]uint16{}}
	for row, t := range tokens[unknown+1:] {
		row := uint16(row + unknown + 1)
		switch r := []rune(t); {
		case len(r) == 3 && r[0] == '~':
			v.stems[t[1:]] = row
		case len(r) > 1:
			v.words[t] = row
		case r[0] < nearEnd:
			v.near[r[0]] = row
		default:
			v.far[r[0]] = row
		}
	}
	return v
}
