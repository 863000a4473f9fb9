package lexicon

import "strings"

// Set maps words to values.
type Set[T any] struct {
	root map[rune]*node[T]
}

type node[T any] struct {
	next  map[rune]*node[T]
	value T
	word  bool
	stem  bool // anything may follow: restock*
}

// New makes a set. Words are lower case; a Latin word ending in * is a stem.
func New[T any](words map[string]T) *Set[T] {
	s := &Set[T]{root: map[rune]*node[T]{}}
	for w, v := range words {
		stem := strings.HasSuffix(w, "*")
		next := s.root
		var n *node[T]
		for _, r := range strings.TrimSuffix(w, "*") {
			if n = next[r]; n == nil {
				n = &node[T]{}
				next[r] = n
			}
			if n.next == nil {
				n.next = map[rune]*node[T]{}
			}
			next = n.next
		}
		if n != nil {
			n.value, n.word, n.stem = v, true, stem
		}
	}
	return s
}

// Longest is the length in runes of the longest word that begins at in[i], and
// its value; 0 when there is none. in is lower case.
func (s *Set[T]) Longest(in []rune, i int) (length int, value T) {
	if s.root[in[i]] == nil || i > 0 && joined(in[i-1], in[i]) {
		return 0, value
	}
	next := s.root
	for j := i; j < len(in); j++ {
		n := next[in[j]]
		if n == nil {
			break
		}
		if n.word && (n.stem || j+1 == len(in) || !joined(in[j], in[j+1])) {
			length, value = j+1-i, n.value
		}
		next = n.next
	}
	return length, value
}

// Each calls fn for the words of in from left to right, the longest at each
// place, not overlapping, until fn returns false.
func (s *Set[T]) Each(in []rune, fn func(start, end int, value T) bool) {
	for i := 0; i < len(in); {
		n, v := s.Longest(in, i)
		if n == 0 {
			i++
			continue
		}
		if !fn(i, i+n, v) {
			return
		}
		i += n
	}
}

// joined reports whether a and b are parts of one Latin word or number.
func joined(a, b rune) bool {
	return isLetter(a) && isLetter(b) || isDigit(a) && isDigit(b)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r == '\'' }
func isDigit(r rune) bool  { return r >= '0' && r <= '9' }

// Lower makes the lower-case runes that Longest and Each take.
func Lower(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		if r == '’' {
			r = '\''
		}
		out = append(out, Simplified(r))
	}
	return out
}

// Words splits a table cell: words separated by |.
func Words[T any](into map[string]T, value T, cell string) {
	for _, w := range strings.Split(cell, "|") {
		if w = strings.TrimSpace(w); w != "" {
			into[w] = value
		}
	}
}

// Simplified is the simplified form of the traditional characters that viewers
// mix in; others stay.
func Simplified(r rune) rune {
	if r < 0x4e00 {
		return r
	}
	if s, ok := simplified[r]; ok {
		return s
	}
	return r
}

var simplified = func() map[rune]rune {
	m := map[rune]rune{}
	from, to := []rune("沒車總別氣買賣錢價貨發嗎麼這個號鏈貴碼寶媽愛謝們說對還有來點開會員優惠運費碟讓後裡樣種顏軟無與為東雙條塊質綠藍紅黃"), []rune("没车总别气买卖钱价货发吗么这个号链贵码宝妈爱谢们说对还有来点开会员优惠运费碟让后里样种颜软无与为东双条块质绿蓝红黄")
	for i, r := range from {
		m[r] = to[i]
	}
	return m
}()
