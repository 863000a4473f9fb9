package text

import "unicode"

// squeeze trims and drops the spaces that taking things out left around Chinese.
func squeeze(in []rune) []rune {
	out := in[:0]
	for i, r := range in {
		if r == ' ' {
			if len(out) == 0 || i+1 == len(in) || in[i+1] == ' ' {
				continue
			}
			if prev := out[len(out)-1]; isHan(prev) && isHan(in[i+1]) && !worthASpace(in, i) {
				continue
			}
		}
		out = append(out, r)
	}
	for len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return out
}

// worthASpace keeps the space between two Chinese phrases and drops those in
// text that is spaced out rune by rune.
func worthASpace(in []rune, i int) bool {
	return i >= 2 && in[i-2] != ' ' && (i+2 >= len(in) || in[i+2] != ' ')
}

// collapseRuns shortens a repeated rune: 哈哈哈哈 to 哈哈, soooo to soo, !!!! to !.
// Digits stay, 1000 is a number, and so do sizes.
func collapseRuns(in []rune) []rune {
	out := in[:0]
	for i := 0; i < len(in); {
		j := i + 1
		for j < len(in) && in[j] == in[i] {
			j++
		}
		n := j - i
		if n < 3 || !isSize(in, i, j) {
			n = kept(in[i], n)
		}
		out = append(out, in[i:i+n]...)
		i = j
	}
	return out
}

func kept(r rune, n int) int {
	switch {
	case isDigit(r):
		return n
	case isHan(r):
		return min(n, 2)
	case isLatin(r):
		if n < 3 {
			return n
		}
		if l := r | 0x20; l == 'e' || l == 'o' { // free, cool
			return 2
		}
		return 1
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		return 1
	default:
		return min(n, 2)
	}
}

// isSize reports whether the run in[i:j] spells a size: XXXL, xxxs, AAA.
func isSize(in []rune, i, j int) bool {
	letter := in[i] | 0x20
	for i > 0 && in[i-1]|0x20 == letter {
		i--
	}
	if i > 0 && isLatin(in[i-1]) {
		return false
	}
	switch {
	case letter == 'x' && j < len(in) && (in[j]|0x20 == 'l' || in[j]|0x20 == 's'):
		return j+1 == len(in) || !isLatin(in[j+1])
	case in[j-1] == 'A' && j-i <= 4: // batteries
		return j == len(in) || !isLatin(in[j])
	default:
		return false
	}
}

// longestPhrase bounds the period that is looked for, in runes.
const longestPhrase = 48

// collapsePhrases keeps one of a phrase said several times in a row:
// 卸妆油卸妆油卸妆油 to 卸妆油, "咋用?咋用?" to "咋用?".
func collapsePhrases(in []rune) []rune {
	if len(in) < 4 {
		return in
	}
	out := in[:0] // never ahead of i
	for i := 0; i < len(in); {
		period, length := repetition(in, i, out)
		if period == 0 {
			out = append(out, in[i])
			i++
			continue
		}
		out = append(out, in[i:i+period]...)
		i += length
	}
	for len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return out
}

// repetition finds the shortest phrase at i that is repeated at once, and the
// length of all its copies. before is what precedes it. What is no phrase is not
// searched for copies: in a long number each place would find all the rest.
func repetition(in []rune, i int, before []rune) (period, length int) {
	words := !isWordRune(in[i])
	if len(before) > 0 && !mayBegin(in[i:], before[len(before)-1]) {
		return 0, 0
	}
	for p := 2; p <= longestPhrase && i+2*p-1 <= len(in); p++ {
		if words = words || !isWordRune(in[i+p-1]); !words {
			continue
		}
		n := 0
		for i+p+n < len(in) && in[i+n] == in[i+p+n] {
			n++
		}
		end := i + p + n/p*p
		if n%p == p-1 && i+p+n == len(in) && isSeparator(in[i+p-1]) { // "A,A": the last without its comma
			end = len(in)
		} else if n < p {
			continue
		}
		if mayEnd(in, end) {
			return p, end - i
		}
	}
	return 0, 0
}

// mayBegin and mayEnd keep the meaning of what a phrase is a part of: 13号3号 and
// 十三号三号 are two links, XS码S码 two sizes, 不防水防水 two questions. A phrase has
// words: 1010 is one number, haha one word. What 有没有没有盖 asks for has no lid.
func mayBegin(phrase []rune, prev rune) bool {
	return !(isWordRune(phrase[0]) && isWordRune(prev)) && !isNegation(prev) &&
		!(isNegation(phrase[0]) && len(phrase) > 1 && phrase[1] == prev)
}

func mayEnd(in []rune, end int) bool {
	return end >= len(in) || !isNegation(in[end-1]) && (!isWordRune(in[end-1]) || !isWordRune(in[end]))
}

func isWordRune(r rune) bool {
	return isDigit(r) || isLatin(r) || isNumberMark(r) || isNumeral(r)
}

// isNumeral reports the characters that numbers are written with.
func isNumeral(r rune) bool {
	switch r {
	case '零', '〇', '一', '幺', '二', '两', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万':
		return true
	default:
		return false
	}
}

func isNumberMark(r rune) bool { return r == '.' || r == '-' || r == '+' || r == ':' || r == '/' }
func isNegation(r rune) bool {
	return r == '不' || r == '没' || r == '无' || r == '非' || r == '未' || r == '别'
}

func isSeparator(r rune) bool {
	return r == ' ' || !isNumberMark(r) && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}
