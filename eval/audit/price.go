package audit

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	digits  = `\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`
	hanNum  = `[零〇一二两三四五六七八九十百千万点]+`
	numeral = `(?:` + digits + `|` + hanNum + `)`
)

// The ways of stating a price, each with the amount in its groups: a currency
// sign before, a unit after, a range whose unit follows the second number, and
// jiao alone; behind is the small change after a unit.
var (
	signed = regexp.MustCompile(`(?i)(?:[¥$€£]|\b(?:rmb|cny|usd))\s*(` + digits + `)(\s*万)?`)
	united = regexp.MustCompile(`(?i)(` + numeral + `)\s*(?:(万)?(元|块|圆)|(?:dollars?|yuan|rmb|bucks|usd|cny)\b)`)
	ranged = regexp.MustCompile(`(` + numeral + `)\s*(?:-|~|到|至)\s*` + numeral + `\s*(?:元|块|圆)`)
	behind = regexp.MustCompile(`^(?:(\d)(\d)?|([一二两三四五六七八九]))((?:毛|角)?)(?:$|[^\d.毛角元块圆])`)
	jiao   = regexp.MustCompile(`(?:^|[^元块圆\d一二两三四五六七八九])(` + numeral + `)\s*(?:毛|角)钱?`)
)

// notMoney are words that begin with a money unit and mean something else.
var notMoney = []string{"元素", "元旦", "元宵", "元气", "块头", "块装", "块儿", "圆形", "圆领", "圆润"}

// Prices lists the amounts of money that a text states, in fen, each once, in
// order. Numbers without a currency sign or unit are no prices.
func Prices(text string) []int64 {
	text = norm.NFKC.String(text)
	var out []int64
	add := func(fen int64, ok bool) {
		if ok && !slices.Contains(out, fen) {
			out = append(out, fen)
		}
	}
	for _, m := range signed.FindAllStringSubmatch(text, -1) {
		fen, ok := amount(m[1])
		if strings.TrimSpace(m[2]) != "" {
			fen *= 10_000
		}
		add(fen, ok)
	}
	for _, m := range united.FindAllStringSubmatchIndex(text, -1) {
		add(unitedAmount(text, m))
	}
	for _, m := range ranged.FindAllStringSubmatch(text, -1) {
		add(amount(m[1]))
	}
	for _, m := range jiao.FindAllStringSubmatch(text, -1) {
		fen, ok := amount(m[1])
		add(fen/10, ok)
	}
	return out
}

// unitedAmount reads one match of united.
func unitedAmount(text string, m []int) (int64, bool) {
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return text[m[2*i]:m[2*i+1]]
	}
	number, unit, after := group(1), group(3), text[m[1]:]
	tail := int64(0)
	if unit != "" {
		for _, w := range notMoney {
			if strings.HasPrefix(unit+after, w) {
				return 0, false
			}
		}
		tail = smallChange(unit, after)
		// 一块 alone is "together" or "one piece" more often than a price.
		if unit == "块" && number == "一" && tail == 0 && !strings.HasPrefix(after, "钱") {
			return 0, false
		}
	}
	fen, ok := amount(number)
	if group(2) != "" {
		fen *= 10_000
	}
	return fen + tail, ok
}

// smallChange reads what stands behind a unit, in fen: 89块9, 89块95, 三块五毛. After
// 元 it needs 毛 or 角; after 块 a word like 件 makes it a count of something.
func smallChange(unit, after string) int64 {
	m := behind.FindStringSubmatch(after)
	if m == nil {
		return 0
	}
	rest := after[len(m[1])+len(m[2])+len(m[3])+len(m[4]):]
	next, _ := utf8.DecodeRuneInString(rest)
	if m[4] == "" && (unit != "块" || unicode.IsLetter(next) && !strings.ContainsRune("的一每包起哦呢啦吧呀啊", next)) {
		return 0
	}
	jiao, _ := amount(m[1] + m[3])
	fen, _ := amount(m[2])
	return jiao/10 + fen/100
}

// amount reads a number of yuan, in digits or in Chinese, as fen.
func amount(s string) (int64, bool) {
	if s = strings.ReplaceAll(s, ",", ""); s == "" {
		return 0, false
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return int64(math.Round(f * 100)), f < 1e12
	}
	whole, fraction, dotted := strings.Cut(s, "点")
	fen, ok := hanNumber(whole)
	fen *= 100
	if !dotted {
		return fen, ok
	}
	scale := int64(10)
	for _, c := range fraction {
		d, isDigit := hanDigits[c]
		if !isDigit || scale == 0 {
			return 0, false
		}
		fen, scale = fen+d*scale, scale/10
	}
	return fen, ok && fraction != ""
}

var (
	hanDigits = map[rune]int64{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	hanUnits  = map[rune]int64{'十': 10, '百': 100, '千': 1000}
)

// hanNumber reads a Chinese numeral: 八十九, 一千二 (1200), 一二九九 (1299).
func hanNumber(s string) (int64, bool) {
	var total, section, digit, last int64 // last: the unit before, for 一千二
	plain, n, zero := true, 0, false
	for _, c := range s {
		if d, ok := hanDigits[c]; ok {
			if plain && n > 0 {
				digit = digit*10 + d
			} else {
				digit = d
			}
			zero = zero || d == 0
			n++
			continue
		}
		plain, n = false, n+1
		if c == '万' {
			total, section, digit, last = (total+section+digit)*10_000, 0, 0, 10_000
			continue
		}
		unit, ok := hanUnits[c]
		if !ok {
			return 0, false
		}
		if digit == 0 {
			digit = 1 // 十五
		}
		section, digit, last, zero = section+digit*unit, 0, unit, false
	}
	if !plain && digit > 0 && last >= 100 && !zero {
		digit *= last / 10
	}
	return total + section + digit, n > 0 && n < 16
}
