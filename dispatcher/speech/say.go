package speech

import (
	"regexp"
	"strings"
)

// say writes a cleaned text out for an engine, in Chinese or English.
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
	on(`(\d{3})/(\d{2,3})([A-C])`, func(m []string) string { return digitByDigit(m[1]) + "、" + digitByDigit(m[2]) + m[3] }), // 165/88A
	on(`(?i)\bno\.\s?(\d+)`, func(m []string) string { return "第" + m[1] }),
	on(`(^|[^A-Za-z\d.])(NUM)(cm|mm|m|CM|MM)?[xX*×](NUM)(cm|mm|m|CM|MM)?(?:[xX*×](NUM)(cm|mm|m|CM|MM)?)?`, measuredSize),
	on(`(NUM)(?:w|W)(\+?)(元|块|人|单|粉|件|次|条)`, func(m []string) string { return m[1] + "万" + m[2] + m[3] }),
	on(`(NUM)w(\+?)($|[^A-Za-z\d])`, func(m []string) string { return m[1] + "万" + m[2] + m[3] }),
	on(`[A-Za-z]+[\d.-]*\d[A-Za-z\d]*\+?|(?:NUM)[A-Za-z][A-Za-z\d]*`, model),
	on(`(\x{E001})\+`, func(m []string) string { return m[1] + "加" }),
	on(`(万|亿|千|百)\+`, func(m []string) string { return m[1] + "多" }),
	// codes, read digit by digit
	on(`(1[3-9]\d)(\d{4})(\d{4})|(400|800)-?(\d{3,4})-?(\d{3,4})`, phone),
	on(`(拨打|电话|热线|客服|验证码|尾号|单号|编号)([^\d]{0,3})(\d[\d-]*)`, func(m []string) string { return m[1] + m[2] + telephone(m[3]) }),
	on(`(1[3-9]\d)[ -](\d{4})[ -](\d{4})`, phone),
	on(`((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})`, func(m []string) string {
		return digitByDigit(m[1]) + "年" + cardinal(m[2]) + "月" + cardinal(m[3]) + "日"
	}),
	on(`\d+(?:\.\d+){2,}`, func(m []string) string { return version(m[0]) }),
	on(`((?:19|20)\d\d)[-~～–—到至]((?:19|20)\d\d)(年|款)`, func(m []string) string { return digitByDigit(m[1]) + "到" + digitByDigit(m[2]) + m[3] }),
	on(`(^|[^\d.])(00|05|10|[6-9][05])后`, func(m []string) string { return m[1] + digitByDigit(m[2]) + "后" }),
	on(`(^|[^\d.])(11\.11|12\.12|6\.18)(大促|活动|年中|期间|狂欢|预售|当天)`, func(m []string) string { return m[1] + festivals[m[2]] + m[3] }),
	on(`((?:19|20)\d\d)(年|款|春|夏|秋|冬|新款)`, func(m []string) string { return digitByDigit(m[1]) + m[2] }),
	on(`618(大促|活动|年中|期间)`, func(m []string) string { return "六一八" + m[1] }),
	on(`(30[46]|316)(不锈钢)`, func(m []string) string { return digitByDigit(m[1]) + m[2] }),
	// time of day, ratios
	on(`([01]?\d|2[0-4])[:：]([0-5]\d)`, clockTime),
	on(`(^|[^\d:：])(\d{1,2})[:：](\d)($|[^\d:：])`, func(m []string) string { return m[1] + cardinal(m[2]) + "比" + cardinal(m[3]) + m[4] }),
	on(`([点时])[-~～–—](\d{1,2}[点时])`, func(m []string) string { return m[1] + "到" + m[2] }),
	on(`(点|点半|分)[-~～–—]([零一二三四五六七八九十]+点)`, func(m []string) string { return m[1] + "到" + m[2] }),
	// money
	on(`满(NUM)(元|块)?减(NUM)`, func(m []string) string { return "满" + amount(m[1]) + m[2] + "减" + amount(m[3]) }),
	on(`[¥￥]?(NUM)(?:元|块)?[-~～–—到至][¥￥]?(NUM)(元|块)`, func(m []string) string { return amount(m[1]) + "到" + amount(m[2]) + m[3] }),
	on(`[¥￥](NUM)[-~～–—到至][¥￥]?(NUM)`, func(m []string) string { return amount(m[1]) + "到" + amount(m[2]) + "元" }),
	on(`[¥￥](NUM)(万|亿|千|百)元?`, func(m []string) string { return amount(m[1]) + m[2] + "元" }),
	on(`[¥￥](NUM)(元|块)?`, func(m []string) string { return amount(m[1]) + "元" }),
	on(`(元|块)/(\d)`, func(m []string) string { return m[1] + m[2] }),
	on(`(NUM)(元|块)/(\p{Han})`, func(m []string) string { return amount(m[1]) + m[2] + "一" + m[3] }),
	on(`(NUM)\s?(元|块)`, func(m []string) string { return amount(m[1]) + m[2] }),
	on(`(?:US)?\$(NUM)`, func(m []string) string { return amount(m[1]) + "美元" }),
	on(`€(NUM)`, func(m []string) string { return amount(m[1]) + "欧元" }),
	on(`£(NUM)`, func(m []string) string { return amount(m[1]) + "英镑" }),
	on(`(\d)\.(\d)折`, func(m []string) string { return hanDigit(m[1][0]) + hanDigit(m[2][0]) + "折" }),
	// shares, ranges, sizes, fractions
	on(`100%`, func([]string) string { return "百分之百" }),
	on(`(NUM)%?[-~～–—](NUM)%`, func(m []string) string { return "百分之" + cardinal(m[1]) + "到" + cardinal(m[2]) }),
	on(`(NUM)%`, func(m []string) string { return "百分之" + cardinal(m[1]) }),
	on(`(NUM)‰`, func(m []string) string { return "千分之" + cardinal(m[1]) }),
	on(`(-?)(NUM)℃?[~～到至](-?)(NUM)℃`, func(m []string) string {
		return belowZero[m[1]] + cardinal(m[2]) + "到" + belowZero[m[3]] + cardinal(m[4]) + "摄氏度"
	}),
	on(`(\p{Han})[*×](NUM)`, func(m []string) string { return m[1] + "乘" + m[2] }),
	on(`(第)?(NUM)[-~～–—](NUM)(`+measureWords+`)?`, func(m []string) string {
		if m[1] == "" && m[4] != "" {
			return counted(m[2]) + "到" + counted(m[3]) + m[4]
		}
		return m[1] + cardinal(m[2]) + "到" + cardinal(m[3]) + m[4]
	}),
	on(`\d+(?:/\d+){2,}`, func(m []string) string { return strings.ReplaceAll(m[0], "/", "、") }),
	on(`(^|[^\d/.])([1-9])/([2-9]|10)($|[^\d/])`, fraction),
	on(`(升|克|公斤|米|片|粒|颗)/(`+measureWords+`)`, func(m []string) string { return m[1] + "一" + m[2] }),
	on(`(\p{Han})\+(\d)`, func(m []string) string { return m[1] + "加" + m[2] }),
	on(`(\p{Han})/(\p{Han})`, func(m []string) string { return m[1] + "、" + m[2] }),
	on(`(NUM)\+(NUM)`, func(m []string) string { return m[1] + "加" + m[2] }),
	on(`=`, func([]string) string { return "等于" }), on(`≥`, func([]string) string { return "至少" }),
	on(`≤`, func([]string) string { return "至多" }), on(`≈`, func([]string) string { return "约" }),
	on(`±`, func([]string) string { return "正负" }), on(`\s?&\s?`, func([]string) string { return "和" }),
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

var (
	festivals = map[string]string{"11.11": "双十一", "12.12": "双十二", "6.18": "六一八"}
	belowZero = map[string]string{"-": "零下"}
)

func fraction(m []string) string {
	if len(m[3]) == 1 && m[2] >= m[3] {
		return m[0] // 3/2 is no share of anything
	}
	return m[1] + cardinal(m[3]) + "分之" + cardinal(m[2]) + m[4]
}

// version reads 1.0.12: number by number.
func version(s string) string {
	parts := strings.Split(s, ".")
	for i, p := range parts {
		parts[i] = cardinal(p)
	}
	return strings.Join(parts, "点")
}

// measuredSize reads 10cm*20cm*30cm and 7x24.
func measuredSize(m []string) string {
	out := m[1] + m[2] + measures[m[3]] + "乘" + m[4] + measures[m[5]]
	if m[6] != "" {
		out += "乘" + m[6] + measures[m[7]]
	}
	return out
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
	"mAh": "毫安时", "mah": "毫安时", "W": "瓦", "V": "伏", "Hz": "赫兹", "h": "小时", "H": "小时", "min": "分钟", "oz": "盎司",
}

var measured = regexp.MustCompile(`^([\d.,]+)([a-zA-Z]+)$`)

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
