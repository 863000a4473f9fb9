package intent

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
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
	// by the hash of its rows: of each slot a key of four bytes, 0 if it is empty, and then
	// the weights, a byte each above 128, so that a gram is one line of the machine's cache.
	grams    []byte
	mask     uint64 // of the number of slots
	saidUnit float32

	// A pattern is a channel of a convolution over width tokens: how well it fits at a
	// place is the sum of what the tokens there add, and the best place counts. shares
	// holds what each token adds at each place of the width, a byte per channel; no fit
	// is above 127, so that eight are summed and compared at once.
	shares [][lanes]uint64            // by row*width + place
	floor  [lanes]uint64              // a fit up to this is none, a byte per channel
	says   [channels][classes]float32 // by unit of fit
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
	m.addGrams(&s, &scores)
	m.addPatterns(&s, &scores)
	return scores
}

// addGrams adds the weights of the grams of s.
func (m *model) addGrams(s *ids, scores *[classes]float32) {
	var hashes [maxGrams]uint64
	var keys [maxGrams]uint32
	n := s.grams(&hashes)
	// The table is larger than the near caches: its lines are asked for before the first is
	// needed, so that they are waited for together.
	for i, h := range hashes[:n] {
		keys[i] = m.key(h & m.mask)
	}
	// The bytes of the slots, keys and all, are summed in lanes of 16 bits, in which those
	// of all grams have room.
	var even, odd [slotSize / 8]uint64
	found := 0
	for i, h := range hashes[:n] {
		want, at, got := uint32(h>>32)|1, h&m.mask, keys[i]
		for got != 0 && got != want {
			at = (at + 1) & m.mask
			got = m.key(at)
		}
		if got == 0 {
			continue
		}
		slot := m.grams[slotSize*at:][:slotSize]
		a, b := binary.LittleEndian.Uint64(slot), binary.LittleEndian.Uint64(slot[8:])
		even[0] += a & evens
		odd[0] += a >> 8 & evens
		even[1] += b & evens
		odd[1] += b >> 8 & evens
		found++
	}
	for i := range scores {
		at := keySize + i // of the slot
		word := even[at/8]
		if at%2 == 1 {
			word = odd[at/8]
		}
		sum := int(word >> (8 * (at % 8 &^ 1)) & 0xffff)
		scores[i] += float32(sum-128*found) * m.saidUnit
	}
}

const evens = 0x00ff00ff00ff00ff

const keySize, slotSize = 4, 16 // bytes

func (m *model) key(at uint64) uint32 { return binary.LittleEndian.Uint32(m.grams[slotSize*at:]) }

// addPatterns adds what the patterns that fit s say.
func (m *model) addPatterns(s *ids, scores *[classes]float32) {
	best := [lanes]uint64{m.touch(s)}
	for at := range s.n {
		a, b, c, d, e := m.share(s, at, 0), m.share(s, at, 1), m.share(s, at, 2), m.share(s, at, 3), m.share(s, at, 4)
		for i, most := range best {
			best[i] = larger(most, a[i]+b[i]+c[i]+d[i]+e[i])
		}
	}
	for i, word := range best {
		for fits := notBelow(word, m.floor[i]); fits != 0; fits &= fits - 1 {
			j := bits.TrailingZeros64(fits) / 8
			add(scores, float32(byte(word>>(8*j))-byte(m.floor[i]>>(8*j))), &m.says[8*i+j])
		}
	}
}

// touch reads a little of every line of shares that s needs before any is summed, so
// that those that are not in the near caches are waited for together. It is always 0.
func (m *model) touch(s *ids) uint64 {
	var read uint64
	for _, row := range s.of[reach : reach+s.n] {
		for _, share := range m.shares[int(row)*width:][:width] {
			read |= share[0] | share[lanes/2]
		}
	}
	return read & tops // no share is above 127
}

// share is what the token at a place of a pattern that begins at at adds to each channel.
func (m *model) share(s *ids, at, place int) *[lanes]uint64 {
	return &m.shares[int(s.of[at+place])*width+place]
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

// larger takes the larger of each byte of a and b, none of which is above 127.
func larger(a, b uint64) uint64 {
	takes := notBelow(a, b)
	takes -= takes >> 7 // the seven bits below the top one
	return b ^ (a^b)&takes
}

// notBelow has the top bit of each byte of a that is not below that of b.
func notBelow(a, b uint64) uint64 { return ((a | tops) - b) & tops }

const magic = "livehost intent model 2\n"

// parse reads the file that eval/intents writes: the magic line; rows, slots and the
// length of the vocabulary's text as uint32; the tokens, one a line; bias, saidUnit, floor
// and says; shares; grams. All little-endian.
func parse(b []byte) (*model, error) {
	r := reader{rest: b}
	if got := string(r.take(len(magic))); got != magic {
		return nil, fmt.Errorf("intent model: begins with %q, want %q; %s", got, magic, again)
	}
	var m model
	rows, slots := int(r.uint32()), int(r.uint32())
	tokens := strings.Split(string(r.take(int(r.uint32()))), "\n")
	if len(tokens) != rows || rows <= unknown || rows > math.MaxUint16 || slots <= 0 || slots&(slots-1) != 0 {
		return nil, fmt.Errorf("intent model: %d tokens for %d rows, %d slots; %s", len(tokens), rows, slots, again)
	}
	r.floats(m.bias[:])
	m.saidUnit = r.float()
	for i := range m.floor {
		m.floor[i] = r.uint64()
	}
	for i := range m.says {
		r.floats(m.says[i][:])
	}
	m.shares = words(r.take(rows * width * channels))
	m.grams, m.mask = r.take(slotSize*slots), uint64(slots-1)
	if r.short || len(r.rest) > 0 {
		return nil, fmt.Errorf("intent model: %d bytes do not hold %d rows and %d slots; %s", len(b), rows, slots, again)
	}
	if !m.hasRoom() {
		return nil, fmt.Errorf("intent model: no slot of %d is empty; %s", slots, again)
	}
	if slices.Contains(tokens[unknown+1:], "") {
		return nil, fmt.Errorf("intent model: an empty token; %s", again)
	}
	m.vocabulary = learn(tokens)
	return &m, nil
}

const again = "write it again with eval/intents/train.py"

// words are the shares of b.
func words(b []byte) [][lanes]uint64 {
	out := make([][lanes]uint64, len(b)/channels)
	for i := range out {
		for j := range out[i] {
			out[i][j] = binary.LittleEndian.Uint64(b[channels*i+8*j:])
		}
	}
	return out
}

// hasRoom reports an empty slot, at which looking for a gram that is not there ends.
func (m *model) hasRoom() bool {
	for at := range m.mask + 1 {
		if m.key(at) == 0 {
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

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) float() float32 { return math.Float32frombits(r.uint32()) }

func (r *reader) floats(out []float32) {
	for i := range out {
		out[i] = r.float()
	}
}
