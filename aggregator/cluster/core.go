package cluster

import (
	"slices"
	"strings"

	"livehost/streams/event"
)

// splitLink takes out the link number a danmaku names: 3号链接, 链接3, 3号, #3, a
// bare number. Several numbers name no single link and stay in the rest.
func splitLink(in []rune) (event.LinkID, []rune) {
	start, end, link := -1, -1, ""
	for i := 0; i < len(in); {
		if in[i] < '0' || in[i] > '9' {
			i++
			continue
		}
		j := i
		for j < len(in) && in[j] >= '0' && in[j] <= '9' {
			j++
		}
		if from, to, ok := linkAround(in, i, j); ok {
			if start >= 0 {
				return "", in // two links: a comparison
			}
			start, end, link = from, to, strings.TrimLeft(string(in[i:j]), "0")
		}
		i = j
	}
	if start < 0 || link == "" {
		return "", in
	}
	rest := make([]rune, 0, len(in))
	rest = append(append(rest, in[:start]...), in[end:]...)
	return event.LinkID(link), rest
}

// linkAround reports whether in[i:j] is a link number, with the words that say so.
func linkAround(in []rune, i, j int) (from, to int, ok bool) {
	const longest = 4
	if j-i > longest || i > 0 && (letter(in[i-1]) || in[i-1] == '.') || j < len(in) && (letter(in[j]) || in[j] == '.' && j+1 < len(in) && digit(in[j+1])) {
		return 0, 0, false
	}
	from = i
	if hasAt(in, j, "号链接") {
		return from, j + 3, true
	}
	if hasAt(in, j, "链接") {
		return from, j + 2, true
	}
	if hasAt(in, j, "号") && !slices.ContainsFunc(otherNumbers, func(w string) bool { return hasAt(in, j+1, w) }) && !before(in, i, "月") {
		ok = true
		to = j + 1
		if hasAt(in, to, "品") {
			to++
		}
		if before(in, i, "链接") {
			from -= 2
		}
		return from, to, ok
	}
	for _, sign := range []string{"链接", "#", "# ", "link ", "link", "number ", "no.", "item ", "product "} {
		if before(in, i, sign) {
			return i - len([]rune(sign)), j, true
		}
	}
	for k, r := range in { // nothing else is said
		if (k < i || k >= j) && letterOrDigit(r) {
			return 0, 0, false
		}
	}
	return 0, len(in), !strings.ContainsAny(string(in), "+-./:*")
}

// otherNumbers follow 号 where it numbers no link but a day, a shade, a battery.
var otherNumbers = []string{"发", "到", "之", "前", "能", "色", "电池", "码", "线", "楼", "店", "仓"}

func hasAt(in []rune, i int, s string) bool {
	for _, r := range s {
		if i >= len(in) || in[i] != r {
			return false
		}
		i++
	}
	return true
}

func before(in []rune, i int, s string) bool {
	n := len([]rune(s))
	return i >= n && hasAt(in, i-n, s)
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

// core is what is left of a question when synonyms are made one and what
// carries no meaning is dropped. Word order stays.
func core(in []rune, language string) string {
	if language == "en" {
		return englishCore(in)
	}
	return chineseCore(in)
}

func chineseCore(in []rune) string {
	var plain, kept [96]rune
	in = positive(plain[:0], in)
	out := kept[:0]
	for i := 0; i < len(in); {
		if n, to := synonyms.Longest(in, i); n > 0 {
			switch {
			case to == "":
				to = spokenOf(in, i, i+n)
			case to == or && (i == 0 || !letterOrDigit(in[i-1])):
				to = "" // nothing before it to choose from: 还是包邮吗
			}
			for _, r := range to {
				out = append(out, r)
			}
			i += n
			continue
		}
		if keptInCore(in, i) {
			r := in[i]
			if digit(r) && len(out) > 0 && digit(out[len(out)-1]) && !digit(in[i-1]) {
				out = append(out, ' ') // 3,5 is not 35, nor are 3个5斤 35斤
			}
			out = append(out, r)
		}
		i++
	}
	return why(string(fronted(once(out))))
}

// fronted puts what comes in either order in one: 白色有 is 有白色, 多少钱1斤 1斤多少钱. Only a
// kind of the goods may change places: 专柜有吗 is not 有专柜吗.
func fronted(core []rune) []rune {
	last := len(core) - 1
	switch {
	case last > 0 && core[last] == '有' && ofGoods(core[:last]) && !strings.ContainsAny(string(core), "什哪几"):
		return slices.Concat(core[last:], core[:last])
	case last > 2 && core[0] == '$' && digit(core[2]) && !slices.ContainsFunc(core[2:last], func(r rune) bool { return !digit(r) }):
		return slices.Concat(core[2:], core[:2])
	default:
		return core
	}
}

// ofGoods reports whether core ends with a kind of the goods: a colour, flavour, cut or size.
func ofGoods(core []rune) bool {
	end := len(core)
	for end > 0 && (digit(core[end-1]) || strings.ContainsRune("xsml", core[end-1])) {
		end--
	}
	if end == len(core) {
		return strings.ContainsRune("色码味款", core[end-1])
	}
	return end == 0 || !letter(core[end-1]) // not the m of vm
}

// or stands between what one of is asked for: 早上还是晚上用 is not 早上晚上都用吗.
const or = "还是"

// why drops the reason that a wish for more is given with: 4盒再上点没抢到.
func why(core string) string {
	if rest := strings.Replace(core, "没抢到", "", 1); rest != core && strings.Contains(rest, "再上") {
		return rest
	}
	return core
}

// once is the unit of a text that only repeats it, the last time perhaps cut off:
// 没车没车没 is 没车. 看一看, 甜不甜 and 有线有 are not; numbers and Latin letters are left
// alone.
func once(in []rune) []rune {
	for p := 2; 2*p-1 <= len(in); p++ {
		if !slices.Equal(in[:len(in)-p], in[p:]) || !slices.ContainsFunc(in[:p], func(r rune) bool { return r >= 0x4e00 }) ||
			len(in) == 3 && (in[0] == '有' || strings.ContainsRune("不没一了过来又", in[1])) {
			continue
		}
		return in[:p]
	}
	return in
}

// keptInCore drops punctuation, except in numbers: 3.0 is not 30, -10 not 10, 50% not 50.
func keptInCore(in []rune, i int) bool {
	r := in[i]
	if letterOrDigit(r) || r >= 0x80 && !(r >= 0x2010 && r <= 0x206f || r >= 0x3000 && r <= 0x303f) {
		return true
	}
	switch before, after := i > 0 && letterOrDigit(in[i-1]), i+1 < len(in) && digit(in[i+1]); {
	case r == '-' && !before && after:
		return true
	case (r == '%' || r == '+') && before && digit(in[i-1]):
		return true
	}
	return strings.ContainsRune(".+-:/*%", r) && i > 0 && i+1 < len(in) && (digit(in[i-1]) || letter(in[i-1])) && (digit(in[i+1]) || letter(in[i+1]))
}

// positive turns the A不A question into A: 防不防水 and 甜不甜 ask what 防水吗 and
// 甜吗 ask. A 不 at the end asks too: 甜不. Any other negation stays.
func positive(out, in []rune) []rune {
	asked := 0 // behind the last A不A: 有没有没有帽子的 asks for 没有帽子的
	for i := 0; i < len(in); i++ {
		r := in[i]
		if (r == '不' || r == '没') && i > asked && i+1 < len(in) && in[i-1] == in[i+1] && in[i-1] >= 0x4e00 {
			i++ // A不A: the second A is the first
			asked = i + 1
			continue
		}
		if r == '不' && i >= 3 && i+2 < len(in) && in[i-2] == in[i+1] && in[i-1] == in[i+2] && in[i-1] >= 0x4e00 {
			i += 2 // AB不AB
			continue
		}
		if r == '不' && i > 0 && last(in, i) {
			continue
		}
		out = append(out, r)
	}
	return out
}

func last(in []rune, i int) bool {
	for _, r := range in[i+1:] {
		if letterOrDigit(r) {
			return false
		}
	}
	return true
}

func englishCore(in []rune) string {
	var words []string
	i := 0
	for i < len(in) {
		if !wordRune(in, i) {
			i++
			continue
		}
		if n, to := englishSynonyms.Longest(in, i); n > 0 {
			if to != "" {
				words = append(words, to)
			}
			i += n
			continue
		}
		j := i
		for j < len(in) && wordRune(in, j) {
			j++
		}
		words = append(words, drawn(in[i:j]))
		i = j
	}
	return strings.Join(words, " ")
}

// drawn is a word without the letters that draw it out: noo, backk.
func drawn(word []rune) string {
	const shortest = 3
	n := len(word)
	for n >= shortest && letter(word[n-1]) && word[n-1] == word[n-2] {
		n--
	}
	return string(word[:n])
}

func wordRune(in []rune, i int) bool {
	r := in[i]
	return letterOrDigit(r) || r >= 0xc0 || r == '\'' && i > 0 && i+1 < len(in) && letter(in[i-1]) && letter(in[i+1]) || keptInCore(in, i)
}

func letterOrDigit(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x4e00 && r <= 0x9fff
}
