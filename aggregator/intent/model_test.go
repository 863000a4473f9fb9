package intent

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// The scores that train.py computed when it wrote model.bin.
func TestAsTrained(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/scores.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var want struct {
			Text   string
			Scores [classes]float64
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		for i, got := range learned().scores([]rune(want.Text)) {
			if math.Abs(float64(got)-want.Scores[i]) > 0.002 {
				t.Errorf("%q: %s has score %.3f, trained %.3f", want.Text, order[i], got, want.Scores[i])
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d texts", n)
	}
}

func TestOnlyTheBeginningIsRead(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"贵", "9", "\U0001f600"} {
		long := []rune(strings.Repeat(token, 1000))
		if got, want := learned().scores(long), learned().scores(long[:len([]rune(token))*maxTokens]); got != want {
			t.Errorf("%q: %v, the first %d tokens alone %v", token, got, maxTokens, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"nothing": nil, "another file": []byte("livehost intent model 1\n" + strings.Repeat("x", 100)),
		"cut off": weights[:len(weights)-1], "too long": append(append([]byte(nil), weights...), 0), "head only": weights[:len(magic)+8],
		"no slot empty": full(weights),
	} {
		if _, err := parse(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// full is a model whose slots all hold a gram: looking for another would not end.
func full(b []byte) []byte {
	out := slices.Clone(b)
	slots := int(binary.LittleEndian.Uint32(b[len(magic)+4:]))
	for at := len(out) - slots*slotSize; at < len(out); at += slotSize {
		out[at] |= 1
	}
	return out
}

// What tokens add must not carry from one channel into the next, nor reach the top bit.
func TestNoFitIsAbove127(t *testing.T) {
	t.Parallel()
	var most [width][channels]int
	for i, share := range learned().shares {
		for c := range channels {
			at := &most[i%width][c]
			*at = max(*at, int(share[c/8]>>(8*(c%8))&0xff))
		}
	}
	for c := range channels {
		sum := 0
		for place := range width {
			sum += most[place][c]
		}
		if floor := learned().floor[c/8] >> (8 * (c % 8)) & 0xff; sum > 127 || floor > 127 {
			t.Errorf("channel %d fits by up to %d, from %d on", c, sum, floor)
		}
	}
}

func TestLargerTakesEachByte(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]uint64{
		{0x00_01_7f_40_7a_05_64_7f, 0x01_00_40_7f_05_7a_64_00, 0x01_01_7f_7f_7a_7a_64_7f},
		{0, 0x7a_7a_00_01_40_7f_7f_7e, 0x7a_7a_00_01_40_7f_7f_7e},
	} {
		if got := larger(c[0], c[1]); got != c[2] {
			t.Errorf("larger(%x, %x) = %x, want %x", c[0], c[1], got, c[2])
		}
	}
}

func TestOfAllocatesNothing(t *testing.T) {
	in := []rune("does this 包 come in black 多少钱")
	if n := testing.AllocsPerRun(100, func() { Of(in) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("这个面膜敏感肌能用吗")
	f.Add("how much is it??")
	f.Fuzz(func(t *testing.T, in string) {
		for i, score := range learned().scores([]rune(in)) {
			if score != score || score > 1e6 || score < -1e6 {
				t.Errorf("%s has score %v", order[i], score)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	var in [][]rune
	for _, s := range []string{"这个面膜敏感肌能用吗", "多少钱", "洗面奶", "what size would you recommend", "太好看了"} {
		in = append(in, []rune(s))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Of(in[i%len(in)])
	}
}
