package intent

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

//go:embed model.bin
var weights []byte

// learned is the model of model.bin. The file is part of the program: one that cannot
// be read is a broken build.
var learned = sync.OnceValue(func() *model {
	m, err := parse(weights)
	if err != nil {
		panic(err) //nolint:forbidigo // the file is part of the program; TestAsTrained reads it
	}
	return m
})

// Of is the intent of a text in lower case.
func Of(in []rune) Intent {
	scores := learned().scores(in)
	best := 0
	for i, score := range scores {
		if score > scores[best] {
			best = i
		}
	}
	return order[best]
}

// model scores the intents of a text: scores = bias + the weights of its grams + what
// the patterns found in it say.
type model struct {
	vocabulary *vocabulary
	bias       [classes]float32

	// A gram, one to three tokens in a row, has a weight per intent, in an open-addressed table
	// by the hash of its rows.
	keys     []byte // uint32 each, 0 is empty
	said     []byte // int8 per intent and key
	saidUnit float32

	// A pattern is a channel of a convolution over width tokens: how well it fits at a
	// place is the sum of what the tokens there add, and the best place counts. shares
	// holds what each token adds at each place of the width, a byte per channel of which
	// width fit in a byte.
	shares []byte
	floor  [channels]uint16           // a fit up to this is none
	says   [channels][classes]float32 // by unit of fit
	rows   int
}

const (
	channels = 128
	width    = 5
	reach    = width / 2    // tokens before the middle of a pattern, and after it
	lanes    = channels / 8 // words of eight bytes
)

func (m *model) scores(in []rune) [classes]float32 {
	s := m.vocabulary.read(in)
	scores := m.bias
	m.grams(&s, &scores)
	m.patterns(&s, &scores)
	return scores
}

// grams adds the weights of the grams of s.
func (m *model) grams(s *ids, scores *[classes]float32) {
	var sum [classes]int32
	rows := s.of[reach : reach+s.n]
	for i, a := range rows {
		h := mixed(0, a)
		if a > end {
			m.gram(h, &sum)
		}
		if i+1 < len(rows) {
			h = mixed(h, rows[i+1])
			m.gram(h, &sum)
		}
		if i+2 < len(rows) {
			m.gram(mixed(h, rows[i+2]), &sum)
		}
	}
	for i, n := range sum {
		scores[i] += float32(n) * m.saidUnit
	}
}

// mixed is the hash of a gram that goes on with row.
func mixed(h uint64, row uint16) uint64 {
	h = (h ^ uint64(row)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (m *model) gram(h uint64, sum *[classes]int32) {
	key, mask := uint32(h>>32)|1, uint32(len(m.keys)/4-1)
	for at := uint32(h) & mask; ; at = (at + 1) & mask {
		switch binary.LittleEndian.Uint32(m.keys[4*at:]) {
		case 0:
			return
		case key:
			for i, w := range m.said[classes*at : classes*at+classes] {
				sum[i] += int32(int8(w))
			}
			return
		}
	}
}

// patterns adds what the patterns that fit s say. Eight channels are summed and compared
// at once, as the bytes of a word: width shares fit in a byte.
func (m *model) patterns(s *ids, scores *[classes]float32) {
	var best [lanes]uint64
	for at := range s.n {
		var fit [lanes]uint64
		for place, row := range s.of[at : at+width] {
			share := m.shares[(place*m.rows+int(row))*channels:][:channels]
			for i := range fit {
				fit[i] += binary.LittleEndian.Uint64(share[8*i:])
			}
		}
		for i, f := range fit {
			best[i] = larger(best[i], f)
		}
	}
	for i, word := range best {
		for j := range 8 {
			c := 8*i + j
			if f := uint16(word >> (8 * j) & 0xff); f > m.floor[c] {
				add(scores, float32(f-m.floor[c]), &m.says[c])
			}
		}
	}
}

// add adds by times row to sum. It is written out because it is half the work of a text
// as a loop.
func add(sum *[classes]float32, by float32, row *[classes]float32) {
	sum[0] += by * row[0]
	sum[1] += by * row[1]
	sum[2] += by * row[2]
	sum[3] += by * row[3]
	sum[4] += by * row[4]
	sum[5] += by * row[5]
	sum[6] += by * row[6]
	sum[7] += by * row[7]
	sum[8] += by * row[8]
	sum[9] += by * row[9]
	sum[10] += by * row[10]
}

const tops = 0x8080808080808080

// larger takes the larger of each byte of a and b.
func larger(a, b uint64) uint64 {
	below := (a | tops) - b&^tops // the top bit: the lower seven of a are not below those of b
	takes := (a&^b | ^(a^b)&below) & tops >> 7 * 0xff
	return a&takes | b&^takes
}

const magic = "livehost intent model 1\n"

// parse reads the file that eval/intents writes: the magic line; rows, slots and the
// length of the vocabulary's text as uint32; the tokens, one a line; bias, saidUnit, floor
// and says; shares; keys and said. All little-endian.
func parse(b []byte) (*model, error) {
	r := reader{rest: b}
	if got := string(r.take(len(magic))); got != magic {
		return nil, fmt.Errorf("intent model: begins with %q, want %q; %s", got, magic, again)
	}
	m := &model{rows: int(r.uint32())}
	slots := int(r.uint32())
	tokens := strings.Split(string(r.take(int(r.uint32()))), "\n")
	if len(tokens) != m.rows || m.rows <= unknown || m.rows > math.MaxUint16 || slots <= 0 || slots&(slots-1) != 0 {
		return nil, fmt.Errorf("intent model: %d tokens for %d rows, %d slots; %s", len(tokens), m.rows, slots, again)
	}
	r.floats(m.bias[:])
	m.saidUnit = r.float()
	for i := range m.floor {
		m.floor[i] = uint16(min(r.uint32(), math.MaxUint16))
	}
	for i := range m.says {
		r.floats(m.says[i][:])
	}
	m.shares = r.take(width * m.rows * channels)
	m.keys, m.said = r.take(4*slots), r.take(classes*slots)
	if r.short || len(r.rest) > 0 {
		return nil, fmt.Errorf("intent model: %d bytes do not hold %d rows and %d slots; %s", len(b), m.rows, slots, again)
	}
	if !m.hasRoom() {
		return nil, fmt.Errorf("intent model: no slot of %d is empty; %s", slots, again)
	}
	if slices.Contains(tokens[unknown+1:], "") {
		return nil, fmt.Errorf("intent model: an empty token; %s", again)
	}
	m.vocabulary = learn(tokens)
	return m, nil
}

const again = "write it again with eval/intents/train.py"

// hasRoom reports an empty slot, at which looking for a gram that is not there ends.
func (m *model) hasRoom() bool {
	for at := 0; at < len(m.keys); at += 4 {
		if binary.LittleEndian.Uint32(m.keys[at:]) == 0 {
			return true
		}
	}
	return false
}

// reader takes what is next; once too little is there it gives nothing.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) float() float32 { return math.Float32frombits(r.uint32()) }

func (r *reader) floats(out []float32) {
	for i := range out {
		out[i] = r.float()
	}
}
