package filter

import (
	"slices"
	"strings"
	"unicode"

	"livehost/aggregator/text"
)

// meant is what disguised English spells: letters of other alphabets and marked ones
// for Latin letters, "w h a t s a p p" with spaces or signs between them, b1tch and f*ck
// with digits and signs for them. A 1 is an i or an l: there may be two readings. There
// is none when nothing is disguised.
func meant(in []rune) (readings [][]rune) {
	if !slices.ContainsFunc(in, func(r rune) bool { return letter(r) || foreign(r) }) {
		return nil // most Chinese
	}
	typed, plain := string(in), latin(in)
	if !strings.ContainsFunc(plain, letter) {
		return nil
	}
	words := joined(strings.Fields(plain))
	for _, leet := range [...]*strings.Replacer{leetI, leetL} {
		out := make([]string, len(words))
		for i, w := range words {
			out[i] = unleet(w, leet)
		}
		if reading := strings.Join(out, " "); reading != typed {
			readings = append(readings, []rune(reading))
		}
		if !strings.ContainsAny(plain, "1!|") {
			break
		}
	}
	return readings
}

// latin spells what looks Latin in Latin letters, without marks.
func latin(in []rune) string {
	if !slices.ContainsFunc(in, foreign) {
		return string(in)
	}
	var out strings.Builder
	for _, r := range in {
		if foreign(r) {
			if l := text.Fold(r); letter(l) {
				r = l
			} else if unicode.In(r, unicode.Mn, unicode.Me) {
				continue
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

// foreign reports what is neither ASCII nor Chinese.
func foreign(r rune) bool { return r >= 0x80 && (r < 0x3000 || r > 0x9fff) }

// joined puts together what is spelled letter by letter.
func joined(words []string) []string {
	out := words[:0]
	spelling := false
	for _, w := range words {
		w = undotted(w)
		alone := len(w) == 1 && (letter(rune(w[0])) || spelling && strings.Contains(leetSigns, w))
		if alone && spelling {
			out[len(out)-1] += w
		} else {
			out = append(out, w)
		}
		spelling = alone
	}
	return out
}

// undotted is f.u.c.k without what stands between its letters.
func undotted(word string) string {
	const shortest = 5
	if len(word) < shortest {
		return word
	}
	letters := make([]byte, 0, len(word))
	for i := range len(word) {
		switch c := word[i]; {
		case i%2 == 0 && letter(rune(c)):
			letters = append(letters, c)
		case i%2 == 0 || c >= 0x80 || letter(rune(c)) || digit(rune(c)):
			return word
		}
	}
	return string(letters)
}

const leetSigns = "013457898@$!|*€"

// leetI and leetL spell what signs stand for in words; a 1 and what looks like it is an i or an l.
var leetI, leetL = leetAs("i"), leetAs("l")

func leetAs(one string) *strings.Replacer {
	return strings.NewReplacer("1", one, "!", one, "|", one, "0", "o", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b",
		"66", "gg", "99", "gg", "@", "a", "$", "s", "*", "u", "€", "e")
}

// unleet spells a word that holds a letter and something that stands for one.
func unleet(word string, leet *strings.Replacer) string {
	trimmed := strings.TrimRight(word, "!*")
	if !strings.ContainsFunc(trimmed, letter) || !strings.ContainsAny(trimmed, leetSigns) {
		return word
	}
	return leet.Replace(trimmed)
}
