package speech_test

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"livehost/dispatcher/speech"
)

//go:embed testdata/spoken.txt
var spoken string

// TestSpoken is our own table of replies and what an engine is given.
func TestSpoken(t *testing.T) {
	t.Parallel()
	n := 0
	for line := range strings.Lines(spoken) {
		line = strings.TrimRight(line, "\n")
		in, want, ok := strings.Cut(line, " =>")
		if !ok {
			continue
		}
		n++
		in, want = strings.NewReplacer(`\u200b`, "\u200b", `\n`, "\n").Replace(in), strings.TrimSpace(want)
		if got := speech.Say(speech.Clean(in)); got != want {
			t.Errorf("%q is said %q, want %q", in, got, want)
		}
	}
	if n < 200 {
		t.Errorf("%d cases, want 200 or more", n)
	}
}

// TestNoDigitIsLostOrChanged says random numbers in random places and reads them back:
// the same values in the same order.
func TestNoDigitIsLostOrChanged(t *testing.T) {
	t.Parallel()
	places := []string{"卖%元", "¥%起", "还剩%件", "满%减%", "%-%元", "长%厘米，宽%厘米", "%*%厘米", "便宜%%", "共%单，好评%条", "第%名", "%号链接", "%克乘%袋", "%升，%小时"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var want []int64
		in := places[rng.IntN(len(places))]
		for strings.Contains(in, "%") {
			in = strings.Replace(in, "%%", "%\x00", 1)
			n := rng.Int64N([]int64{10, 100, 1000, 100_000, 1_000_000}[rng.IntN(5)])
			want = append(want, n)
			in = strings.Replace(in, "%", fmt.Sprint(n), 1)
		}
		in = strings.ReplaceAll(in, "\x00", "%")
		said := speech.Say(speech.Clean(in))
		var got []int64
		for _, numeral := range numerals.FindAllString(strings.NewReplacer("百分之", "", "两", "二").Replace(said), -1) {
			got = append(got, value(numeral))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is said %q: numbers %v, want %v", in, said, got, want)
		}
	}
}

var numerals = regexp.MustCompile(`[零一二三四五六七八九十百千万]+`)

// FuzzSay: nothing panics, no digit of Chinese text stays unread beside a letter or mark
// that protects it, and sentences lose no letter or digit.
func FuzzSay(f *testing.F) {
	for line := range strings.Lines(spoken) {
		if in, _, ok := strings.Cut(line, " =>"); ok {
			f.Add(in)
		}
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) || len(in) > 200 {
			return
		}
		clean := speech.Clean(in)
		speech.Say(clean)
		var heard strings.Builder
		for _, s := range speech.Script(clean) {
			heard.WriteString(s.Heard)
			if strings.ContainsFunc(s.Spoken, func(r rune) bool { return r >= 0xE000 && r <= 0xE01F }) {
				t.Fatalf("Script(%q) says a private rune: %q", clean, s.Spoken)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if bare(heard.String()) != bare(clean) {
			t.Fatalf("Script(%q) is heard %q", clean, heard.String())
		}
	})
}

func TestScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"价格 1,299.00 元，包邮。喜欢就拍！", []string{"价格 1,299.00 元，包邮。", "喜欢就拍！"}}, // CASES P37
		{"好的！这款89.9元。", []string{"好的！这款89.9元。"}},
		{"这款很好看。对", []string{"这款很好看。对"}},
		{"It is ¥1,299.00 now. Ships in 2.5 days! OK", []string{"It is ¥1,299.00 now.", "Ships in 2.5 days! OK"}},
		{"See No. 3 vs. No. 4. Both fit.", []string{"See No. 3 vs. No. 4.", "Both fit."}},
		{"Dr. Martens by U.S. makers. Yes they fit.", []string{"Dr. Martens by U.S. makers.", "Yes they fit."}},
		{"尺寸10*20*30厘米；重2.5kg。iPhone 15 Pro Max也行", []string{"尺寸10*20*30厘米；", "重2.5kg。", "iPhone 15 Pro Max也行"}},
		{"真的吗？！是真的哦。", []string{"真的吗？！", "是真的哦。"}},
		{"", nil},
	} {
		var got []string
		for _, s := range speech.Script(tt.in) {
			got = append(got, s.Heard)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Script(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	// A sentence of digits alone is read in the language of the whole text.
	if got := speech.Script("这款89元包邮。12345。"); len(got) != 2 || got[1].Spoken != "一万二千三百四十五。" {
		t.Errorf("Script = %q", got)
	}
}
