package guardrail

import (
	"slices"
	"strings"
)

// lexicon finds phrases in a text, by their first character.
type lexicon map[rune][]word

// word is one phrase.
type word struct {
	text  []rune
	latin bool       // matches whole words only
	rule  *claimRule // nil: harmless, and hides what it holds
	cores []string   // what evidence must hold one of
}

// newLexicon reads the phrases of all rules. A phrase is a word of Chinese, or a
// line when it holds Latin letters; "phrase=core|core" names what evidence must
// hold instead of the phrase itself.
func newLexicon(rules []claimRule, harmless string) lexicon {
	l := lexicon{}
	for i := range rules {
		l.add(&rules[i], rules[i].words)
	}
	l.add(nil, harmless)
	for _, list := range l {
		slices.SortStableFunc(list, func(a, b word) int { return len(b.text) - len(a.text) })
	}
	return l
}

func (l lexicon) add(rule *claimRule, list string) {
	for _, p := range phrases(list) {
		phrase, cores, given := strings.Cut(p, "=")
		w := word{text: []rune(phrase), latin: strings.ContainsFunc(phrase, letter), rule: rule, cores: []string{phrase}}
		if given {
			w.cores = strings.Split(cores, "|")
		}
		l[w.text[0]] = append(l[w.text[0]], w)
	}
}

// phrases are those of a list: the words of a line, or the line when it is in Latin
// letters.
func phrases(list string) []string {
	var out []string
	for line := range strings.Lines(list) {
		if first, _, _ := strings.Cut(line, "="); strings.ContainsFunc(first, letter) {
			out = append(out, strings.TrimSpace(line))
			continue
		}
		out = append(out, strings.Fields(line)...)
	}
	return out
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' }

// longest is the longest phrase at a place of a plain text, and its length in runes.
func (l lexicon) longest(text []rune, at int) (*word, int) {
	list := l[text[at]]
	for i := range list {
		w := &list[i]
		if end := at + len(w.text); end <= len(text) && slices.Equal(text[at:end], w.text) && (!w.latin || wholeWords(text, at, end)) {
			return w, len(w.text)
		}
	}
	return nil, 0
}

func wholeWords(text []rune, from, to int) bool {
	return (from == 0 || !letter(text[from-1]) || !letter(text[from])) && (to == len(text) || !letter(text[to]) || !letter(text[to-1]))
}

// plain is a text as phrases are matched: squeezed and in lower case.
func plain(s string) string { return strings.ToLower(squeezed(s)) }
