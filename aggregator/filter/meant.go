package filter

import (
	"slices"
	"strings"
)

// meant is what disguised English spells: b1tch and f*ck with digits and signs for
// letters, "w h a t s a p p" with spaces between them. It is nil when nothing is
// disguised.
func meant(in []rune) []rune {
	if !slices.ContainsFunc(in, letter) {
		return nil
	}
	words := strings.Fields(string(in))
	var out strings.Builder
	changed, spelling := false, false
	for i, w := range words {
		alone := len(w) == 1 && letter(rune(w[0]))
		if i > 0 && !(alone && spelling) {
			out.WriteByte(' ')
		}
		changed = changed || alone && spelling
		spelling = alone
		plain := unleet(w)
		changed = changed || plain != w
		out.WriteString(plain)
	}
	if !changed {
		return nil
	}
	return []rune(out.String())
}

var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i", "*", "u")

// unleet spells a word that holds a letter and something that stands for one.
func unleet(word string) string {
	trimmed := strings.TrimRight(word, "!*")
	if !strings.ContainsFunc(trimmed, letter) || !strings.ContainsAny(trimmed, "013457@$!*") {
		return word
	}
	return leet.Replace(trimmed)
}
