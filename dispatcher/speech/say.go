package speech

import (
	"regexp"
	"strings"
	"unicode"
)

// Say writes a cleaned text out for an engine. Text with Chinese in it is read in
// Chinese, any other in English.
func Say(clean string) string {
	rules := english
	if strings.ContainsFunc(clean, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		rules = chinese
	}
	for _, r := range rules {
		clean = r.apply(clean)
	}
	return clean
}

// rule rewrites matches of a pattern; to gets the submatches (0 is the match).
type rule struct {
	pattern *regexp.Regexp
	to      func(m []string) string
}

func (r rule) apply(s string) string {
	return r.pattern.ReplaceAllStringFunc(s, func(match string) string {
		return r.to(r.pattern.FindStringSubmatch(match))
	})
}

const number = `(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`

func on(pattern string, to func(m []string) string) rule {
	return rule{regexp.MustCompile(strings.ReplaceAll(pattern, "NUM", number)), to}
}

// chinese is applied in order: what needs its context most comes first. A number
// next to a Latin letter is a model or a size (iPhone15, 88VIP, A4) and stays.
var chinese = []rule{
	on(`[A-Za-z]+[\d.-]*\d[A-Za-z\d]*|\d+[A-Za-z][A-Za-z\d]*`, model),
	on(`[¥￥]?(NUM)(?:元|块)?[-~～–—到至][¥￥]?(NUM)(元|块)`, func(m []string) string { return cardinal(m[1]) + "到" + cardinal(m[2]) + m[3] }),
	on(`(NUM)(元|块)`, func(m []string) string { return cardinal(m[1]) + m[2] }),
	on(`(1[3-9]\d)(\d{4})(\d{4})|(400|800)-?(\d{3,4})-?(\d{3,4})`, phone),
	on(`((?:19|20)\d\d)(年|款|春|夏|秋|冬|新款)`, func(m []string) string { return digitByDigit(m[1]) + m[2] }),
	on(`([01]?\d|2[0-4]):([0-5]\d)`, clockTime),
	on(`满(NUM)(元|块)?减(NUM)`, func(m []string) string { return "满" + cardinal(m[1]) + m[2] + "减" + cardinal(m[3]) }),
	on(`[¥￥](NUM)[-~～–—到至][¥￥]?(NUM)`, func(m []string) string { return cardinal(m[1]) + "到" + cardinal(m[2]) + "元" }),
	on(`[¥￥](NUM)(元|块)?`, func(m []string) string { return cardinal(m[1]) + "元" }),
	on(`\$(NUM)`, func(m []string) string { return cardinal(m[1]) + "美元" }),
	on(`(NUM)%?[-~～–—](NUM)%`, func(m []string) string { return "百分之" + cardinal(m[1]) + "到" + cardinal(m[2]) }),
	on(`(NUM)%`, func(m []string) string { return "百分之" + cardinal(m[1]) }),
	on(`(NUM)[-~～–—](NUM)`, func(m []string) string { return cardinal(m[1]) + "到" + cardinal(m[2]) }),
	on(`(NUM)[*×](NUM)(?:[*×](NUM))?`, size),
	on(`(\d+)/(\d+)`, func(m []string) string { return cardinal(m[2]) + "分之" + cardinal(m[1]) }),
	on(`(NUM)(℃|㎡|㎏|㎝|㎜)`, func(m []string) string { return cardinal(m[1]) + unitNames[m[2]] }),
	on(`\d{7,}`, func(m []string) string { return digitByDigit(m[0]) }),
	on(`(^|[^\d.])2(件|个|条|双|款|盒|瓶|包|袋|天|套|块|斤)`, func(m []string) string { return m[1] + "两" + m[2] }),
	on(`(^|[^\d.,])(0\d+)`, func(m []string) string { return m[1] + digitByDigit(m[2]) }), // a code
	on(`NUM`, func(m []string) string { return cardinal(m[0]) }),
	on(`\x{E000}[^\x{E001}]*\x{E001}`, unprotect),
}

var unitNames = map[string]string{"℃": "摄氏度", "㎡": "平方米", "㎏": "公斤", "㎝": "厘米", "㎜": "毫米"}

// measures are units written in Latin letters after a number.
var measures = map[string]string{
	"kg": "公斤", "g": "克", "mg": "毫克", "cm": "厘米", "mm": "毫米", "m": "米", "km": "公里", "ml": "毫升", "l": "升",
}

var measured = regexp.MustCompile(`^(\d+)([a-zA-Z]+)$`)

// model protects a model's digits from the number rules (as private-use runes), or
// names the unit when it is a measure after all.
func model(m []string) string {
	if parts := measured.FindStringSubmatch(m[0]); parts != nil {
		if unit, ok := measures[strings.ToLower(parts[2])]; ok {
			return parts[1] + unit
		}
	}
	return "\uE000" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return 0xE010 + r - '0'
		}
		return r
	}, m[0]) + "\uE001"
}

func unprotect(m []string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xE000 || r == 0xE001:
			return -1
		case r >= 0xE010 && r <= 0xE019:
			return '0' + r - 0xE010
		}
		return r
	}, m[0])
}

func phone(m []string) string {
	var groups []string
	for _, digits := range m[1:] {
		if digits != "" {
			groups = append(groups, strings.ReplaceAll(digitByDigit(digits), "一", "幺"))
		}
	}
	return strings.Join(groups, " ")
}

func clockTime(m []string) string {
	switch m[2] {
	case "00":
		return cardinal(m[1]) + "点"
	case "30":
		return cardinal(m[1]) + "点半"
	}
	minutes := cardinal(m[2])
	if m[2][0] == '0' {
		minutes = "零" + minutes
	}
	return cardinal(m[1]) + "点" + minutes + "分"
}

func size(m []string) string {
	out := cardinal(m[1]) + "乘" + cardinal(m[2])
	if m[3] != "" {
		out += "乘" + cardinal(m[3])
	}
	return out
}

// english engines read plain numbers well; symbols need their words.
var english = []rule{
	on(`(\d),(\d{3})`, func(m []string) string { return m[1] + m[2] }),
	on(`(\d),(\d{3})`, func(m []string) string { return m[1] + m[2] }), // 1,234,567: matches do not overlap
	on(`[¥￥](NUM)`, func(m []string) string { return plain(m[1]) + " yuan" }),
	on(`\$(NUM)`, func(m []string) string { return plain(m[1]) + " dollars" }),
	on(`(NUM)\s?(?:RMB|CNY)\b`, func(m []string) string { return plain(m[1]) + " yuan" }),
	on(`(NUM)%`, func(m []string) string { return plain(m[1]) + " percent" }),
	on(`(NUM)\s?[-~–—]\s?(NUM)`, func(m []string) string { return m[1] + " to " + m[2] }),
	on(`(NUM)\s?[*×x]\s?(NUM)`, func(m []string) string { return m[1] + " by " + m[2] }),
	on(`(NUM)[*×x](NUM)`, func(m []string) string { return m[1] + " by " + m[2] }),
	on(`(NUM)℃`, func(m []string) string { return m[1] + " degrees" }),
}

// plain drops decimals that change nothing.
func plain(s string) string {
	if whole, frac, ok := strings.Cut(s, "."); ok && strings.Trim(frac, "0") == "" {
		return whole
	}
	return s
}
