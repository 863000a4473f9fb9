package filter

import "strings"

// phone finds a mainland mobile number, also in Chinese numerals or with letters that
// look like digits, a number with a + before it, and one that someone asks to call.
// Without the spaces a number may touch another or a letter of a word, with them it may
// be in groups: either will do.
func phone(match, english []rune) string {
	if !numerous(match) || measures(english) {
		return ""
	}
	asked := asksToCall(english)
	for _, in := range [...][]rune{match, english} {
		for i := 0; i < len(in); i++ {
			j := i
			for j < len(in) && numeral(in[j]) != 0 {
				j++
			}
			if i == j {
				continue
			}
			run, bare := in[i:j], i == 0 || !letter(in[i-1])
			if plain := figures(run); mobile(plain, bare && !letter(run[0])) {
				return string(plain)
			}
			if mobile(run, bare) || long(run, asked || abroad(in, i)) {
				return string(run)
			}
			i = j
		}
	}
	return ""
}

// numerous reports digits enough for a phone number.
func numerous(in []rune) bool {
	const fewest = 10
	n := 0
	for _, r := range in {
		if numeral(r) != 0 {
			n++
		}
	}
	return n >= fewest
}

// mobile reports a mainland number: 1, from 3 on, and nine digits, after the country's
// code or the 0 of a call from far off. Letters may stand for two of its digits. What
// follows letters at once is not bare: YT86… is a parcel's.
func mobile(run []rune, bare bool) bool {
	const longest, wanted, lookAlike = 18, 11, 2
	if len(run) < wanted || len(run) > longest {
		return false
	}
	var number strings.Builder
	letters := 0
	for _, r := range run {
		if letter(r) {
			letters++
		}
		number.WriteRune(numeral(r))
	}
	n := strings.TrimLeft(number.String(), "0")
	if len(n) > wanted && (bare || len(n) < len(run)) {
		n = strings.TrimLeft(strings.TrimPrefix(n, "86"), "0")
	}
	return len(n) == wanted && n[0] == '1' && n[1] >= '3' && letters <= lookAlike
}

// abroad reports the + of a country's code before i, not that of a sum.
func abroad(in []rune, i int) bool {
	return i > 0 && in[i-1] == '+' && (i == 1 || !digit(in[i-2])) && i < len(in) && in[i] != '0'
}

// long reports a number that is one to call when something says so.
func long(run []rune, tocall bool) bool {
	const shortest = 10
	return tocall && len(run) >= shortest && !strings.ContainsFunc(string(run), letter)
}

// figures is the run without what words around it have given: tel 138…, 138…一下.
func figures(run []rune) []rune {
	for len(run) > 0 && !digit(run[0]) {
		run = run[1:]
	}
	for len(run) > 0 && !digit(run[len(run)-1]) {
		run = run[:len(run)-1]
	}
	return run
}

// email finds an address to write to. A mention in a word is none: ok@some.name.
func email(in []rune) string {
	const ending = 3 // letters at most, of com and its like
	part := func(r rune) bool { return letter(r) || digit(r) || strings.ContainsRune("._-+", r) }
	for at, r := range in {
		if r != '@' {
			continue
		}
		from, to := at, at+1
		for from > 0 && part(in[from-1]) {
			from--
		}
		for to < len(in) && part(in[to]) {
			to++
		}
		address := strings.TrimRight(string(in[from:to]), "._-+")
		if dot := strings.LastIndexByte(address, '.'); from < at && dot > at-from+1 {
			if n := len(address) - dot - 1; n > 1 && n <= ending && letter(rune(address[dot+1])) {
				return address
			}
		}
	}
	return ""
}

// measures reports several numbers of two or three digits and none that is longer:
// height, weight and girths, or links, "165 98 85 66 90". A phone number is written in
// one, in longer groups or digit by digit.
func measures(english []rune) bool {
	const longest, several = 3, 3
	groups := 0
	for i := 0; i < len(english); i++ {
		j := i
		for j < len(english) && digit(english[j]) {
			j++
		}
		if j-i > longest {
			return false
		}
		if j-i > 1 {
			groups++
		}
		i = max(i, j-1)
	}
	return groups >= several
}

func asksToCall(english []rune) bool {
	for i := range english {
		if n, _ := callWords.Longest(english, i); n > 0 {
			return true
		}
	}
	return false
}

var callWords = list("call|call me|text|text me|whatsapp|my number|hmu|reach me")

// numeral is the digit that r stands for in a phone number, or 0.
func numeral(r rune) rune {
	if digit(r) {
		return r
	}
	return numerals[r]
}

var numerals = map[rune]rune{
	'零': '0', '〇': '0', '一': '1', '幺': '1', '二': '2', '三': '3', '四': '4', '五': '5', '六': '6', '七': '7', '八': '8', '九': '9',
	'壹': '1', '贰': '2', '叁': '3', '肆': '4', '伍': '5', '陆': '6', '柒': '7', '捌': '8', '玖': '9',
	'l': '1', 'i': '1', 'o': '0',
}
