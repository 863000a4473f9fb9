package cluster

import (
	"slices"
	"strconv"
	"strings"
)

var numerals = []rune("零一二三四五六七八九")

// counted are what numerals below a hundred count: 四盒 is 4盒, 三号链接 link 3. 一下 and
// 第一 count nothing, 一个 is mostly an article.
const counted = "盒瓶单件套支只个斤份双包袋片针次号箱罐条粒颗岁天年月度码级层寸米平公桶枚杯提板"

// figures writes the numerals that count as digits, into out when there are any.
func figures(out, in []rune) []rune {
	if !slices.ContainsFunc(in, counts) {
		return in
	}
	for i := 0; i < len(in); {
		value, n := numeral(in[i:])
		for value == 0 && i+n < len(in) && counts(in[i+n]) {
			n++ // 三四盒, 六八年
		}
		if value == 0 || i+n == len(in) || !strings.ContainsRune(counted, in[i+n]) || i > 0 && strings.ContainsRune("第几百千万", in[i-1]) ||
			value == 1 && strings.ContainsRune("个月公平", in[i+n]) {
			n = max(n, 1)
			out = append(out, in[i:i+n]...)
			i += n
			continue
		}
		if i > 0 && digit(in[i-1]) {
			out = append(out, ' ') // 99四盒
		}
		out = append(out, []rune(strconv.Itoa(value))...)
		i += n
	}
	return out
}

func counts(r rune) bool {
	return r == '十' || r == '两' || r == '俩' || slices.Contains(numerals, r)
}

// numeral reads the one that in begins with: 三, 两, 十, 十二, 二十, 二十五. One digit
// behind another is none.
func numeral(in []rune) (value, n int) {
	ones := func(i int) int {
		if i >= len(in) {
			return -1
		}
		if in[i] == '两' || in[i] == '俩' {
			return 2
		}
		return slices.Index(numerals, in[i])
	}
	if one := ones(0); one > 0 {
		value, n = one, 1
	}
	if n < len(in) && in[n] == '十' {
		value, n = 10*max(value, 1), n+1
		if one := ones(n); one > 0 {
			value, n = value+one, n+1
		}
	}
	if n < len(in) && counts(in[n]) {
		return 0, 0
	}
	return value, n
}
