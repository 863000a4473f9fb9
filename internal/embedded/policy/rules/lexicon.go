package rules

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// lexicon weighs tokens by how few documents (examples or skills) use them, so
// that what the phrases have in common (吗, 有, please) decides little.
type lexicon struct {
	scoring
	ids     map[string]int32
	weights []float64
	whole   map[string]bool // every phrase, by idKey
	denials map[int32]bool  // words that deny what follows
}

// Ids of what is in no vocabulary. Unknown tokens of a text count down from -1.
const (
	beginID int32 = iota
	endID
	numberID
	textID
	firstWordID
)

const (
	boundaryWeight = 0.3
	slotWeight     = 0.15
	unknownWeight  = 0.65
	functionFactor = 0.3 // of a function word's weight
	bigramFactor   = 0.5 // of the mean weight of its two tokens
)

// functionWords carry little of what is asked, in any room.
var functionWords = newSet("吗 呢 啊 呀 吧 哦 噢 哈 的 了 是 个 这 那 就 都 也 还 我 你 您 们 请 问 亲 宝 姐 哥 妹 主 播 老 板 下 一 有 在 " +
	"the a an is are do does you your i it this that please pls plz hi hey hello of for to and can me my on in")

func newSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range splitFields(words) {
		out[w] = true
	}
	return out
}

// newLexicon counts in how many documents each token is.
func newLexicon(docs [][][]token, s scoring) *lexicon {
	l := &lexicon{scoring: s, ids: map[string]int32{numberSlot: numberID, textSlot: textID}, whole: map[string]bool{}, denials: map[int32]bool{}}
	var df []int
	for _, phrases := range docs {
		seen := map[int32]bool{}
		for _, ts := range phrases {
			for _, t := range ts {
				id, ok := l.ids[t.text]
				if !ok {
					id = firstWordID + int32(len(df))
					l.ids[t.text] = id
					df = append(df, 0)
				}
				if id >= firstWordID && !seen[id] {
					seen[id] = true
					df[id-firstWordID]++
				}
			}
		}
	}
	for _, phrases := range docs {
		for _, ts := range phrases {
			l.whole[idKey(l.number(ts))] = true
		}
	}
	for word := range denials {
		if id, ok := l.ids[word]; ok {
			l.denials[id] = true
		}
	}
	l.weights = []float64{beginID: boundaryWeight, endID: boundaryWeight, numberID: slotWeight, textID: slotWeight}
	rarest := math.Log(1 + float64(len(docs)))
	for range df {
		l.weights = append(l.weights, 0)
	}
	for text, id := range l.ids {
		if id < firstWordID {
			continue
		}
		w := 0.25 + 0.75*math.Log(1+float64(len(docs))/float64(df[id-firstWordID]))/math.Max(rarest, 0.1)
		if functionWords[text] {
			w *= functionFactor
		}
		l.weights[id] = math.Min(w, 1)
	}
	return l
}

// idKey makes numbered tokens a map key.
func idKey(ids []int32) string {
	b := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}

// number gives the tokens' ids. An unknown Latin word that is nearly a known one
// is taken for it.
func (l *lexicon) number(ts []token) []int32 {
	out := make([]int32, len(ts))
	unknown := map[string]int32{}
	for i, t := range ts {
		if l.anyNumber && t.sure {
			out[i] = numberID
			continue
		}
		id, ok := l.ids[t.text]
		if !ok && len(t.text) >= 4 && isLatin(t.text) && !t.sure {
			id, ok = l.near(t.text)
		}
		if !ok {
			if id, ok = unknown[t.text]; !ok {
				id = -1 - int32(len(unknown))
				if functionWords[t.text] {
					id -= 1 << 20
				}
				unknown[t.text] = id
			}
		}
		out[i] = id
	}
	return out
}

// near finds the first known word, in alphabetical order, that is one edit away or
// that word continues with an ending (restock, restocking).
func (l *lexicon) near(word string) (int32, bool) {
	best, at := "", int32(0)
	for known, id := range l.ids {
		if len(known) >= 4 && isLatin(known) && (oneEdit(word, known) || hasEnding(word, known)) && (best == "" || known < best) {
			best, at = known, id
		}
	}
	return at, best != ""
}

// hasEnding says that word is stem and a short ending.
func hasEnding(word, stem string) bool {
	return len(stem) >= 5 && len(word)-len(stem) <= 3 && strings.HasPrefix(word, stem)
}

// oneEdit says that a becomes b by one insertion, deletion, replacement or swap.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i >= len(a)-1 || a[i+1:] == b[i+1:] {
		return true
	}
	return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func (l *lexicon) weight(id int32) float64 {
	switch {
	case id >= 0:
		return l.weights[id]
	case id < -1<<20:
		return unknownWeight * functionFactor
	default:
		return unknownWeight
	}
}

// feature is one token or one pair of neighbours.
type feature struct {
	key    uint64
	weight float64
}

// features are sorted by key; total is their summed weight.
type features struct {
	list  []feature
	total float64
}

// features of a numbered text: its tokens, and its pairs with both ends.
func (l *lexicon) features(ids []int32) features {
	var f features
	prev := beginID
	for i := 0; i <= len(ids); i++ {
		id := endID
		if i < len(ids) {
			id = ids[i]
			f.list = append(f.list, feature{uint64(uint32(id))<<32 | math.MaxUint32, l.weight(id)})
		}
		f.list = append(f.list, feature{uint64(uint32(prev))<<32 | uint64(uint32(id)), bigramFactor * (l.weight(prev) + l.weight(id)) / 2})
		prev = id
	}
	slices.SortFunc(f.list, func(a, b feature) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		default:
			return 0
		}
	})
	for _, x := range f.list {
		f.total += x.weight
	}
	return f
}

// common is the summed weight of what two feature lists share; literal says that
// a word is among it.
func common(a, b features) (sum float64, literal bool) {
	for i, j := 0, 0; i < len(a.list) && j < len(b.list); {
		switch x, y := a.list[i], b.list[j]; {
		case x.key < y.key:
			i++
		case x.key > y.key:
			j++
		default:
			sum += x.weight
			literal = literal || (uint32(x.key) == math.MaxUint32 && int32(x.key>>32) >= firstWordID)
			i++
			j++
		}
	}
	return sum, literal
}
