package speech

import (
	"regexp"
	"strings"
)

// Say writes a cleaned text out for an engine. Text with Chinese in it is read in
// Chinese, any other in English.
func Say(clean string) string { return say(clean, hasHan(clean)) }

func say(clean string, zh bool) string {
	rules := english
	if zh {
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

// measureWords make a 2 before them 两.
const measureWords = `件|个|条|双|款|盒|瓶|包|袋|天|套|块|斤|小时|分钟|米|层|片|支|只|份|箱|台|张|杯|位|年|种|次|倍|人|单`

// chinese is applied in order: what needs its context most comes first. A number
// next to a Latin letter is a model or a size (iPhone15, 88VIP, A4) and stays.
var chinese = []rule{
	on(`[A-Za-z]+[\d.-]*\d[A-Za-z\d]*\+?|\d+[A-Za-z][A-Za-z\d]*`, model),
	// codes, read digit by digit
	on(`(1[3-9]\d)(\d{4})(\d{4})|(400|800)-?(\d{3,4})-?(\d{3,4})`, phone),
	on(`(拨打|电话|热线|客服|验证码|尾号|单号|编号)([^\d]{0,3})(\d[\d-]*)`, func(m []string) string { return m[1] + m[2] + telephone(m[3]) }),
	on(`((?:19|20)\d\d)-(\d{1,2})-(\d{1,2})`, func(m []string) string {
		return digitByDigit(m[1]) + "年" + cardinal(m[2]) + "月" + cardinal(m[3]) + "日"
	}),
	on(`((?:19|20)\d\d)(年|款|春|夏|秋|冬|新款)`, func(m []string) string { return digitByDigit(m[1]) + m[2] }),
	on(`618(大促|活动|年中|期间)`, func(m []string) string { return "六一八" + m[1] }),
	on(`(30[46]|316)(不锈钢)`, func(m []string) string { return digitByDigit(m[1]) + m[2] }),
	// time of day
	on(`([01]?\d|2[0-4])[:：]([0-5]\d)`, clockTime),
	on(`(点|点半|分)[-~～–—]([零一二三四五六七八九十]+点)`, func(m []string) string { return m[1] + "到" + m[2] }),
	// money
	on(`满(NUM)(元|块)?减(NUM)`, func(m []string) string { return "满" + amount(m[1]) + m[2] + "减" + amount(m[3]) }),
	on(`[¥￥]?(NUM)(?:元|块)?[-~～–—到至][¥￥]?(NUM)(元|块)`, func(m []string) string { return amount(m[1]) + "到" + amount(m[2]) + m[3] }),
	on(`[¥￥](NUM)[-~～–—到至][¥￥]?(NUM)`, func(m []string) string { return amount(m[1]) + "到" + amount(m[2]) + "元" }),
	on(`[¥￥](NUM)(元|块)?`, func(m []string) string { return amount(m[1]) + "元" }),
	on(`(NUM)(元|块)/(\p{Han})`, func(m []string) string { return amount(m[1]) + m[2] + "一" + m[3] }),
	on(`(NUM)\s?(元|块)`, func(m []string) string { return amount(m[1]) + m[2] }),
	on(`\$(NUM)`, func(m []string) string { return amount(m[1]) + "美元" }),
	on(`(\d)\.(\d)折`, func(m []string) string { return hanDigit(m[1][0]) + hanDigit(m[2][0]) + "折" }),
	// shares, ranges, sizes, fractions
	on(`100%`, func([]string) string { return "百分之百" }),
	on(`(NUM)%?[-~～–—](NUM)%`, func(m []string) string { return "百分之" + cardinal(m[1]) + "到" + cardinal(m[2]) }),
	on(`(NUM)%`, func(m []string) string { return "百分之" + cardinal(m[1]) }),
	on(`(NUM)[*×](NUM)(?:[*×](NUM))?`, size),
	on(`(第)?(NUM)[-~～–—](NUM)(`+measureWords+`)?`, func(m []string) string {
		if m[1] == "" && m[4] != "" {
			return counted(m[2]) + "到" + counted(m[3]) + m[4]
		}
		return m[1] + cardinal(m[2]) + "到" + cardinal(m[3]) + m[4]
	}),
	on(`([1-9])/([2-9]|10)`, fraction),
	on(`(^|[^\d\p{Han}])-(NUM)℃`, func(m []string) string { return m[1] + "零下" + cardinal(m[2]) + "摄氏度" }),
	on(`(\p{Han})-(NUM)℃`, func(m []string) string { return m[1] + "零下" + cardinal(m[2]) + "摄氏度" }),
	on(`(NUM)(℃|㎡|㎏|㎝|㎜)`, func(m []string) string { return cardinal(m[1]) + unitNames[m[2]] }),
	on(`(NUM)\+`, func(m []string) string { return cardinal(m[1]) + "多" }),
	// the rest
	on(`\d{7,}`, func(m []string) string { return digitByDigit(m[0]) }),
	on(`(^|[^\d.,第])2(`+measureWords+`)`, func(m []string) string { return m[1] + "两" + m[2] }),
	on(`(^|[^\d.,])(0\d+)`, func(m []string) string { return m[1] + digitByDigit(m[2]) }),
	on(`NUM`, func(m []string) string { return cardinal(m[0]) }),
	on(`\x{E000}[^\x{E001}]*\x{E001}`, unprotect),
}

func fraction(m []string) string {
	if len(m[2]) == 1 && m[1] >= m[2] {
		return m[0] // 3/2 is no share of anything
	}
	return cardinal(m[2]) + "分之" + cardinal(m[1])
}

// telephone reads groups of digits; 一 is said 幺.
func telephone(s string) string {
	groups := strings.FieldsFunc(s, func(r rune) bool { return r == '-' })
	for i, digits := range groups {
		groups[i] = strings.ReplaceAll(digitByDigit(digits), "一", "幺")
	}
	return strings.Join(groups, " ")
}

var unitNames = map[string]string{"℃": "摄氏度", "㎡": "平方米", "㎏": "公斤", "㎝": "厘米", "㎜": "毫米"}

// measures are units written in Latin letters after a number. Case counts: 5g is a
// weight, 5G a network.
var measures = map[string]string{
	"kg": "公斤", "KG": "公斤", "g": "克", "mg": "毫克", "cm": "厘米", "CM": "厘米", "mm": "毫米", "MM": "毫米", "m": "米",
	"km": "公里", "KM": "公里", "ml": "毫升", "mL": "毫升", "ML": "毫升", "l": "升", "L": "升",
}

var measured = regexp.MustCompile(`^(\d+)([a-zA-Z]+)$`)

// model protects a model's digits from the number rules, or names the unit when it is
// a measure after all.
func model(m []string) string {
	if parts := measured.FindStringSubmatch(m[0]); parts != nil {
		if unit, ok := measures[parts[2]]; ok {
			return parts[1] + unit
		}
	}
	return protect(m[0])
}

// protect hides a token's digits from the rules that follow, until unprotect.
func protect(token string) string {
	return "\uE000" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return 0xE010 + r - '0'
		}
		return r
	}, token) + "\uE001"
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

func phone(m []string) string { return strings.TrimSpace(telephone(strings.Join(m[1:], "-"))) }

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
