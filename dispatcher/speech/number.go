package speech

import "strings"

const hanDigits = "零一二三四五六七八九"

func hanDigit(c byte) string {
	i := int(c-'0') * 3 // three bytes a digit
	return hanDigits[i : i+3]
}

// digitByDigit reads a code: 2024 -> 二零二四.
func digitByDigit(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(hanDigit(s[i]))
	}
	return b.String()
}

// cardinal reads a number such as "1,299.50" -> 一千二百九十九点五零.
func cardinal(s string) string {
	whole, frac, _ := strings.Cut(strings.ReplaceAll(s, ",", ""), ".")
	out := integer(strings.TrimLeft(whole, "0"))
	if frac != "" {
		out += "点" + digitByDigit(frac)
	}
	return out
}

// amount reads money: decimals that change nothing are not said.
func amount(s string) string {
	if whole, frac, ok := strings.Cut(s, "."); ok {
		if frac = strings.TrimRight(frac, "0"); frac == "" {
			return cardinal(whole)
		}
		s = whole + "." + frac
	}
	return cardinal(s)
}

// counted reads a number before a measure word: 2件 is 两件.
func counted(s string) string {
	if s == "2" {
		return "两"
	}
	return cardinal(s)
}

// integer reads digits without leading zeros; "" is zero.
func integer(s string) string {
	switch {
	case s == "":
		return "零"
	case len(s) > 12:
		return digitByDigit(s)
	case len(s) > 8:
		return integer(s[:len(s)-8]) + "亿" + rest(s[len(s)-8:])
	case len(s) > 4:
		return integer(s[:len(s)-4]) + "万" + rest(s[len(s)-4:])
	}
	out := group(s)
	if strings.HasPrefix(out, "一十") {
		out = strings.TrimPrefix(out, "一") // 十二, not 一十二
	}
	return out
}

// rest reads what follows 万 or 亿: its leading zeros become one 零.
func rest(s string) string {
	trimmed := strings.TrimLeft(s, "0")
	if trimmed == "" {
		return ""
	}
	out := group4s(trimmed)
	if len(trimmed) < len(s) {
		out = "零" + out
	}
	return out
}

func group4s(s string) string {
	if len(s) > 4 {
		return group(s[:len(s)-4]) + "万" + rest(s[len(s)-4:])
	}
	return group(s)
}

// group reads up to four digits.
func group(s string) string {
	places := [...]string{"", "十", "百", "千"}
	var b strings.Builder
	zero := false
	for i := range len(s) {
		if s[i] == '0' {
			zero = true
			continue
		}
		if zero && b.Len() > 0 {
			b.WriteString("零")
		}
		zero = false
		b.WriteString(hanDigit(s[i]) + places[len(s)-1-i])
	}
	return b.String()
}
