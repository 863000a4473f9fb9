package lexicon

import (
	"math/bits"
	"strings"
)

// Set maps words to values.
type Set[T any] struct {
	starts runes     // what words begin with: most of a text begins none
	root   []edge[T] // open addressing, by place; half empty
}

type node[T any] struct {
	next  []edge[T] // by rune
	value T
	word  bool
	stem  bool // anything may follow: restock*
}

type edge[T any] struct {
	r  rune
	to *node[T]
}

func (n *node[T]) child(r rune) *node[T] {
	for i := range n.next {
		if n.next[i].r == r {
			return n.next[i].to
		}
	}
	return nil
}

// New makes a set. Words are lower case; a Latin word ending in * is a stem.
func New[T any](words map[string]T) *Set[T] {
	var top node[T]
	for w, v := range words {
		n := &top
		for _, r := range strings.TrimSuffix(w, "*") {
			next := n.child(r)
			if next == nil {
				next = &node[T]{}
				n.next = append(n.next, edge[T]{r, next})
			}
			n = next
		}
		if n != &top {
			n.value, n.word, n.stem = v, true, strings.HasSuffix(w, "*")
		}
	}
	s := &Set[T]{root: make([]edge[T], 1<<bits.Len(uint(2*len(top.next))))}
	for _, e := range top.next {
		s.starts.add(e.r)
		*s.place(e.r) = e
	}
	return s
}

// place is where the words that begin with r are, or would be.
func (s *Set[T]) place(r rune) *edge[T] {
	const golden = 0x9e3779b9 // spreads neighbours
	for i := uint32(r) * golden >> 7; ; i++ {
		if e := &s.root[int(i)&(len(s.root)-1)]; e.to == nil || e.r == r {
			return e
		}
	}
}

// runes is a set of runes that may say yes for one that is not in it, never no for
// one that is.
type runes [64]uint64

func (s *runes) add(r rune)      { s[r>>6&63] |= 1 << (r & 63) }
func (s *runes) may(r rune) bool { return s[r>>6&63]&(1<<(r&63)) != 0 }

// Empty reports that the set has no words.
func (s *Set[T]) Empty() bool { return s.starts == runes{} }

// Longest is the length in runes of the longest word that begins at in[i], and
// its value; 0 when there is none. in is lower case.
func (s *Set[T]) Longest(in []rune, i int) (length int, value T) {
	if !s.starts.may(in[i]) {
		return 0, value
	}
	return s.longest(in, i)
}

func (s *Set[T]) longest(in []rune, i int) (length int, value T) {
	n := s.place(in[i]).to
	if n == nil || i > 0 && joined(in[i-1], in[i]) {
		return 0, value
	}
	for j := i; ; {
		if n.word && (n.stem || j+1 == len(in) || !joined(in[j], in[j+1])) {
			length, value = j+1-i, n.value
		}
		if j++; j == len(in) {
			return length, value
		}
		if n = n.child(in[j]); n == nil {
			return length, value
		}
	}
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
func Lower(s string) []rune { return AppendLower(make([]rune, 0, len(s)), s) }

// AppendLower is Lower into out, for a caller with room of its own.
func AppendLower(out []rune, s string) []rune {
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
	if r < 0x4e00 || !traditional.may(r) {
		return r
	}
	if s, ok := simplified[r]; ok {
		return s
	}
	return r
}

var simplified = func() map[rune]rune {
	m := map[rune]rune{}
	from, to := []rune("沒車總別氣買賣錢價貨發嗎麼這個號鏈貴碼寶媽愛謝們說對還有來點開會員優惠運費碟讓後裡樣種顏軟無與為東雙條塊質綠藍紅黃幾獎庫補現單禮師講時間過進認識聽見裝褲鏡臉隻試選歲搶許話"), []rune("没车总别气买卖钱价货发吗么这个号链贵码宝妈爱谢们说对还有来点开会员优惠运费碟让后里样种颜软无与为东双条块质绿蓝红黄几奖库补现单礼师讲时间过进认识听见装裤镜脸只试选岁抢许话")
	for i, r := range from {
		m[r] = to[i]
	}
	return m
}()

var traditional = func() (s runes) {
	for r := range simplified {
		s.add(r)
	}
	return s
}()
