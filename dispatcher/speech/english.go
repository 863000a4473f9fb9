package speech

import "strings"

// english is applied in order, like chinese. Numbers become words so that lengths can
// be estimated from letters; models (iPhone15, A4) stay.
var english = []rule{
	on(`(\d),(\d{3})`, func(m []string) string { return m[1] + m[2] }),
	on(`(\d),(\d{3})`, func(m []string) string { return m[1] + m[2] }), // 1,234,567: matches do not overlap
	on(`(?i)\bno\.\s?(\d+)`, func(m []string) string { return "number " + m[1] }),
	on(`#(\d+)`, func(m []string) string { return "number " + m[1] }),
	on(`\b(\d{1,2}):([0-5]\d)\s?([apAP])\.?[mM]\b`, func(m []string) string { return englishTime(m) + " " + strings.ToLower(m[3]) + " m" }),
	on(`\b(\d{1,2})\s?([apAP])\.?[mM]\b`, func(m []string) string { return m[1] + " " + strings.ToLower(m[2]) + " m" }),
	on(`\b((?:19|20)\d\d)[-/](0?[1-9]|1[0-2])[-/](\d{1,2})\b`, func(m []string) string {
		return months[atoi(m[2])-1] + " " + strings.TrimLeft(m[3], "0") + ", " + year(m[1])
	}),
	on(`\b(NUM)x(NUM)(?:x(NUM))?`, func(m []string) string {
		if m[3] != "" {
			return m[1] + " by " + m[2] + " by " + m[3]
		}
		return m[1] + " by " + m[2]
	}),
	on(`\b(NUM)\s?(kg|mg|g|cm|mm|km|m|ml|l|KG|CM|ML|L)\b`, func(m []string) string { return m[1] + " " + englishUnits[strings.ToLower(m[2])] }),
	on(`\b[A-Za-z]+-?\d[A-Za-z\d]*|\b(?:NUM)[A-Za-z][A-Za-z\d]*`, func(m []string) string { return protect(m[0]) }), // 2nd, iPhone15
	on(`\b(\d{3,4})-(\d{3,4})-(\d{2,4})\b`, func(m []string) string { return digitWords(m[1]) + ", " + digitWords(m[2]) + ", " + digitWords(m[3]) }),
	on(`\b\d{10,}\b`, func(m []string) string { return digitWords(m[0]) }),
	on(`\b((?i:in|since|from|spring|summer|autumn|fall|winter|new)) ((?:19|20)\d\d)\b`, func(m []string) string {
		return m[1] + " " + year(m[2])
	}),
	on(`[¥￥](NUM)\s?[-~–—]\s?[¥￥]?(NUM)`, func(m []string) string { return plain(m[1]) + " to " + plain(m[2]) + " yuan" }),
	on(`[¥￥](NUM)`, func(m []string) string { return plain(m[1]) + " yuan" }),
	on(`\$(NUM)`, func(m []string) string { return plain(m[1]) + " dollars" }),
	on(`€(NUM)`, func(m []string) string { return plain(m[1]) + " euros" }),
	on(`£(NUM)`, func(m []string) string { return plain(m[1]) + " pounds" }),
	on(`\b24/7\b`, func([]string) string { return "24 7" }),
	on(`\b([1-9])/([2-9]|10)\b`, englishFraction),
	on(`(NUM)\s?(?:RMB|CNY)\b`, func(m []string) string { return plain(m[1]) + " yuan" }),
	on(`(NUM)%?\s?[-~–—]\s?(NUM)%`, func(m []string) string { return m[1] + " to " + m[2] + " percent" }),
	on(`(NUM)%`, func(m []string) string { return m[1] + " percent" }),
	on(`(NUM)\s?[-~–—]\s?(NUM)`, func(m []string) string { return m[1] + " to " + m[2] }),
	on(`(NUM)\s?[*×x]\s?(NUM)`, func(m []string) string { return m[1] + " by " + m[2] }),
	on(`(NUM)[*×x](NUM)`, func(m []string) string { return m[1] + " by " + m[2] }),
	on(`(^|\s)-(NUM)℃`, func(m []string) string { return m[1] + "minus " + m[2] + " degrees" }),
	on(`\s?≥\s?`, func([]string) string { return " at least " }), on(`\s?≤\s?`, func([]string) string { return " at most " }),
	on(`\s?&\s?`, func([]string) string { return " and " }), on(`(NUM)\s?\+\s?(NUM)`, func(m []string) string { return m[1] + " plus " + m[2] }),
	on(`(NUM)℃`, func(m []string) string { return m[1] + " degrees" }),
	on(`\b([01]?\d|2[0-3]):([0-5]\d)\b`, englishTime),
	on(`(NUM)\+`, func(m []string) string { return "more than " + m[1] }),
	on(`NUM`, func(m []string) string { return words(m[0]) }),
	on(`\x{E000}[^\x{E001}]*\x{E001}`, unprotect),
}

var englishUnits = map[string]string{
	"kg": "kilos", "mg": "milligrams", "g": "grams", "cm": "centimetres", "mm": "millimetres", "km": "kilometres",
	"m": "metres", "ml": "millilitres", "l": "litres",
}

func englishTime(m []string) string {
	hour := strings.TrimLeft(m[1], "0")
	if hour == "" {
		hour = "0"
	}
	switch {
	case m[2] == "00":
		return hour + " o'clock"
	case m[2][0] == '0':
		return hour + " oh " + m[2][1:]
	}
	return hour + " " + m[2]
}

var (
	ones = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens = strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
)

var months = strings.Fields("January February March April May June July August September October November December")

// atoi reads a few digits.
func atoi(s string) (n int) {
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// year reads 2024 as twenty twenty-four, 2008 as two thousand eight.
func year(s string) string {
	switch {
	case s[2:] == "00", s[:3] == "200":
		return cardinalWords(atoi(s))
	case s[2] == '0':
		return words(s[:2]) + " oh " + words(s[3:])
	}
	return words(s[:2]) + " " + words(s[2:])
}

var shares = strings.Fields("_ _ half third quarter fifth sixth seventh eighth ninth tenth")

func englishFraction(m []string) string {
	over, under := atoi(m[1]), atoi(m[2])
	switch {
	case over >= under:
		return m[0]
	case over == 1:
		return "one " + shares[under]
	}
	return ones[over] + " " + shares[under] + "s"
}

// words reads a number of up to nine digits before the point: 1299.5 -> one thousand
// two hundred ninety-nine point five. A code with a leading zero is read one by one.
func words(s string) string {
	s = strings.ReplaceAll(s, ",", "")
	whole, frac, _ := strings.Cut(s, ".")
	if len(whole) > 9 || len(whole) > 1 && whole[0] == '0' {
		return digitWords(s)
	}
	out := cardinalWords(atoi(whole))
	if frac != "" {
		out += " point " + digitWords(frac)
	}
	return out
}

func cardinalWords(n int) string {
	switch {
	case n >= 1_000_000:
		out := cardinalWords(n/1_000_000) + " million"
		if n%1_000_000 > 0 {
			out += " " + cardinalWords(n%1_000_000)
		}
		return out
	case n >= 1000:
		out := cardinalWords(n/1000) + " thousand"
		if n%1000 > 0 {
			out += " " + cardinalWords(n%1000)
		}
		return out
	case n >= 100:
		out := ones[n/100] + " hundred"
		if n%100 > 0 {
			out += " " + cardinalWords(n%100)
		}
		return out
	case n >= 20:
		out := tens[n/10]
		if n%10 > 0 {
			out += "-" + ones[n%10]
		}
		return out
	}
	return ones[n]
}

func digitWords(s string) string {
	var out []string
	for _, r := range s {
		if r == '.' {
			out = append(out, "point")
		} else {
			out = append(out, ones[r-'0'])
		}
	}
	return strings.Join(out, " ")
}

// plain drops decimals that change nothing.
func plain(s string) string {
	if whole, frac, ok := strings.Cut(s, "."); ok && strings.Trim(frac, "0") == "" {
		return whole
	}
	return s
}
