package quantity

import (
	"slices"
	"strings"
	"unicode"
)

// Read finds the quantities of a text, in order, without overlaps.
func Read(text string) []Quantity {
	orig := []rune(text)
	s := &scan{text: fold(orig)}
	var out []Quantity
	for i := 0; i < len(s.text); {
		q, ok := s.read(i)
		if !ok || q.End <= i {
			i++
			continue
		}
		q.Start = i
		q.Text = string(orig[i:q.End])
		out = append(out, q)
		i = q.End
	}
	return out
}

// fold maps each rune to the one it is read as: half-width, lower case.
func fold(orig []rune) []rune {
	out := make([]rune, len(orig))
	for i, r := range orig {
		switch {
		case formal[r] != 0:
			r = formal[r]
		case r == '，': // separates, also between digits
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0
		case r == 0x3000 || r == 0xA0:
			r = ' '
		case r == '￥':
			r = '¥'
		}
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		out[i] = r
	}
	return out
}

// formal numerals are read as the plain ones.
var formal = map[rune]rune{'壹': '一', '贰': '二', '貳': '二', '叁': '三', '肆': '四', '伍': '五', '陆': '六', '柒': '七', '捌': '八', '玖': '九', '拾': '十', '佰': '百', '仟': '千', '萬': '万'}

type scan struct{ text []rune }

// at is the rune at i, 0 outside the text.
func (s *scan) at(i int) rune {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

// has reports which of the words stands at i, and the offset after it. Latin
// words must end there.
func (s *scan) has(i int, words ...string) (int, bool) {
	for _, w := range words {
		n := i
		ok := true
		for _, r := range w {
			if s.at(n) != r {
				ok = false
				break
			}
			n++
		}
		if ok && n > i && !(isLower(s.at(n-1)) && isLower(s.at(n))) {
			return n, true
		}
	}
	return i, false
}

// space skips at most one space.
func (s *scan) space(i int) int {
	if s.at(i) == ' ' {
		return i + 1
	}
	return i
}

// read tries the patterns at i, the longest first.
func (s *scan) read(i int) (Quantity, bool) {
	for _, pattern := range []func(int) (Quantity, bool){
		s.threshold, s.nth, s.buyGet, s.hundredths, s.halfPrice, s.prefixedMoney, s.prefixedLink, s.article, s.half, s.measured,
	} {
		if q, ok := pattern(i); ok {
			return q, true
		}
	}
	return Quantity{}, false
}

// half reads 半个月, 半年 and 半小时.
func (s *scan) half(i int) (Quantity, bool) {
	for _, u := range []struct {
		word    string
		minutes int64
	}{{"半个月", 15 * 1440}, {"半年", 365 * 720}, {"半个小时", 30}, {"半小时", 30}} {
		if j, ok := s.has(i, u.word); ok {
			return Quantity{Kind: Duration, Lo: u.minutes * scale, Hi: u.minutes * scale, End: j}, true
		}
	}
	return Quantity{}, false
}

// article reads "within a month": one of a unit of time.
func (s *scan) article(i int) (Quantity, bool) {
	j, ok := s.has(i, "within a", "within an", "in a", "in an", "for a", "for an", "after a", "after an")
	if !ok || isLower(s.at(i-1)) {
		return Quantity{}, false
	}
	for _, u := range unitTable {
		if k, ok := s.has(s.space(j), u.words...); ok && u.kind == Duration {
			v := convert(scale, u)
			return Quantity{Kind: Duration, Lo: v, Hi: v, End: k}, true
		}
	}
	return Quantity{}, false
}

// offWords may stand between what is taken off and what must be spent.
var offWords = strings.Fields("on any all your every each orders order purchases purchase baskets basket cart total once when if it goes is reaches hits you spend spending buy over above of at least more than from for")

var (
	currencies = []string{"¥", "$", "rmb", "cny", "usd", "£", "€"}
	moneyUnits = []string{"元", "块钱", "块", "圆", "yuan", "kuai", "rmb", "cny", "dollars", "dollar", "bucks"}
)

// prefixedMoney reads ¥89.00 and ¥89-99.
func (s *scan) prefixedMoney(i int) (Quantity, bool) {
	if isLower(s.at(i)) && isLower(s.at(i-1)) {
		return Quantity{}, false
	}
	j := i
	ok := false
	for _, c := range currencies {
		k := i
		match := true
		for _, r := range c {
			if s.at(k) != r {
				match = false
				break
			}
			k++
		}
		if match {
			j, ok = k, true
			break
		}
	}
	if !ok {
		return Quantity{}, false
	}
	lo, hi, end, ok := s.span(s.space(j))
	if !ok {
		return Quantity{}, false
	}
	if k, unit := s.has(s.space(end), moneyUnits...); unit {
		end = k
	}
	if q, ok := s.offOver(lo, end); ok {
		return q, true
	}
	return Quantity{Kind: Money, Lo: lo, Hi: hi, End: end}, true
}

// offOver reads the rest of "¥50 off over ¥300", "¥50 off when you spend over ¥300".
func (s *scan) offOver(off int64, i int) (Quantity, bool) {
	j, ok := s.has(s.space(i), "off")
	if !ok {
		return Quantity{}, false
	}
	begun := j
	for more := true; more; {
		var k int
		if k, more = s.has(s.space(j), offWords...); more {
			j = k
		}
	}
	if j == begun {
		return Quantity{}, false
	}
	a, end, ok := s.amount(s.space(j))
	return Quantity{Kind: Threshold, Lo: a, Hi: off, End: end}, ok
}

// prefixedLink reads 链接3, link 3, link number 3, #3.
func (s *scan) prefixedLink(i int) (Quantity, bool) {
	if isLower(s.at(i-1)) || isDigit(s.at(i-1)) || isChineseNumeral(s.at(i-1)) || s.at(i-1) == '号' {
		return Quantity{}, false
	}
	j, ok := s.has(i, "链接", "link number", "link no.", "link", "item number", "#")
	if !ok {
		return Quantity{}, false
	}
	n, ok := s.number(s.space(j))
	if !ok {
		return Quantity{}, false
	}
	end := n.end
	if k, hao := s.has(end, "号"); hao {
		end = k
	}
	return Quantity{Kind: Link, Lo: n.value, Hi: n.value, End: end}, true
}

// span reads a number or a range of two.
func (s *scan) span(i int) (lo, hi int64, end int, ok bool) {
	n, ok := s.number(i)
	if !ok {
		return 0, 0, i, false
	}
	return s.spanFrom(n)
}

func (s *scan) spanFrom(n number) (lo, hi int64, end int, ok bool) {
	lo, hi, end = n.value, n.value, n.end
	if j, dash := s.has(s.space(end), "-", "~", "–", "—", "到", "至", "to"); dash {
		j = s.space(j)
		if k, cur := s.has(j, currencies...); cur {
			j = k
		}
		if m, ok := s.number(j); ok && m.value > n.value {
			return lo, m.value, m.end, true
		}
	}
	return lo, hi, end, true
}

// measured reads a number by what follows it, or alone when it is in digits.
func (s *scan) measured(i int) (Quantity, bool) {
	n, ok := s.number(i)
	if !ok {
		return Quantity{}, false
	}
	if q, ok := s.shares(n); ok {
		return q, true
	}
	lo, hi, end, _ := s.spanFrom(n)
	for _, u := range unitTable {
		j, ok := s.has(s.space(end), u.words...)
		if !ok && s.at(end) == '-' && isLower(s.at(end+1)) { // 7-day, one-year
			j, ok = s.has(end+1, u.words...)
		}
		if !ok || s.at(j-1) == '包' && slices.Contains([]rune("邮退换赔您你"), s.at(j)) { // 满99包邮
			continue
		}
		if u.kind == Duration && lo == hi {
			lo, hi = s.about(i, n)
		}
		if s.at(j) == '半' && s.at(j+1) != '价' && lo == hi && u.kind != Percent && u.kind != Link { // 一斤半
			lo, hi, j = lo+scale/2, hi+scale/2, j+1
		}
		q := Quantity{Kind: u.kind, Lo: convert(lo, u), Hi: convert(hi, u), End: j}
		return s.refine(i, q, u), true
	}
	if n.style == chinese && n.value >= 10*scale && s.before(i, amountWords) >= 0 && !isHan(s.at(n.end)) {
		return Quantity{Kind: Money, Lo: n.value, Hi: n.value, End: n.end}, true // 只要六十九
	}
	if n.style == chinese && n.value >= 10*scale && isChineseDigit(s.at(i)) && s.at(i+1) == '十' && !isHan(s.at(n.end)) {
		return Quantity{Kind: Plain, Lo: n.value, Hi: n.value, End: n.end}, true // 围巾八十八
	}
	about := false // 大概一百左右 is a price; a waist of 七十左右 and 三十左右 of age are none
	if _, about = s.has(n.end, "左右", "上下", "出头"); about {
		about = s.before(i, []string{"大概", "大约", "差不多", "只要", "就", "才", "卖", "价", "价格", "钱"}) >= 0
	}
	if _, taken := s.has(n.end, "带走", "拿下", "拿走", "包邮", "到手", "不到", "就卖"); n.style == chinese && n.value >= 10*scale && (taken || about || isChineseDigit(s.at(n.end))) { // 七十九一条
		return Quantity{Kind: Money, Lo: n.value, Hi: n.value, End: n.end}, true
	}
	if n.style == english && n.value >= 20*scale && s.before(i, []string{"only", "just", "it's"}) >= 0 && !isLower(s.at(s.space(n.end))) {
		return Quantity{Kind: Money, Lo: n.value, Hi: n.value, End: n.end}, true // it's only seventy-nine
	}
	if n.style != digits {
		return Quantity{}, false
	}
	return s.bare(i, n, lo, hi, end), true
}

// about reads 三五, 一两 and 七八 before a unit of time as a range.
func (s *scan) about(i int, n number) (lo, hi int64) {
	if n.style != chinese || n.end != i+2 || !isChineseDigit(s.at(i)) || !isChineseDigit(s.at(i+1)) {
		return n.value, n.value
	}
	a, b := chineseDigit(s.at(i)), chineseDigit(s.at(i+1))
	if a < 1 || b != a+1 && (a != 3 || b != 5) {
		return n.value, n.value
	}
	return a * scale, b * scale
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// bare is a number in digits without a unit: what stands before it may still say
// what it is.
func (s *scan) bare(i int, n number, lo, hi int64, end int) Quantity {
	kind := Plain
	switch j, left := s.has(s.space(end), stockAfter...); {
	case left:
		kind, end = Stock, j
	case s.before(i, stockWords) >= 0:
		kind = Stock
	case s.before(i, amountWords) >= 0:
		kind = Money
	}
	if lo != hi && s.at(n.end) == '-' && kind == Plain { // 2024-11 and the like: two numbers
		return Quantity{Kind: kind, Lo: lo, Hi: lo, End: n.end}
	}
	return Quantity{Kind: kind, Lo: lo, Hi: hi, End: end}
}

// shares reads 八折, 20% off, 两件八折.
func (s *scan) shares(n number) (Quantity, bool) {
	if v, end, ok := s.shareOf(n); ok {
		return Quantity{Kind: Discount, Lo: v, Hi: v, End: end}, true
	}
	if j, ok := s.has(n.end, pieces...); ok {
		j, _ = s.has(j, "打", "享", ",")
		if v, end, ok := s.share(j); ok {
			return Quantity{Kind: Multi, Lo: n.value, Hi: v, End: end}, true
		}
	}
	if j, ok := s.has(n.end, " for "); ok {
		if v, end, ok := s.share(j); ok {
			return Quantity{Kind: Multi, Lo: n.value, Hi: v, End: end}, true
		}
	}
	return Quantity{}, false
}

// before is the offset at which one of the words stands right before i (one space
// or 了, 为, 是 between), or -1.
func (s *scan) before(i int, words []string) int {
	for slices.Contains([]rune(" 了为是有:约"), s.at(i-1)) && s.at(i-1) != 0 {
		i--
	}
	for _, w := range words {
		r := []rune(w)
		if i >= len(r) && slices.Equal(s.text[i-len(r):i], r) {
			return i - len(r)
		}
		// 还有 ends with a filler that was skipped above
		if last := len(r) - 1; last > 0 && r[last] == '有' && i >= last && slices.Equal(s.text[i-last:i], r[:last]) && s.at(i) == '有' {
			return i - last
		}
	}
	return -1
}

// refine looks at what else follows: 89块9, 一米七, 3件现货, ¥50 off over ¥300.
func (s *scan) refine(i int, q Quantity, u unit) Quantity {
	switch {
	case q.Kind == Money && u.num == 1 && u.den == 1:
		q = s.small(q)
		if t, ok := s.offOver(q.Lo, q.End); ok {
			return t
		}
	case q.Kind == Length && u.num == 1000:
		if d, ok := s.digit(q.End); ok && q.Lo == q.Hi { // 一米七 and 1米75
			q.Lo += d * 100 * scale
			q.End++
			if d, ok := s.digit(q.End); ok {
				q.Lo += d * 10 * scale
				q.End++
			}
			q.Lo = min(q.Lo, maxValue)
			q.Hi = q.Lo
		}
	case q.Kind == Count:
		if j, ok := s.has(s.space(q.End), stockAfter...); ok {
			q.Kind, q.End = Stock, j
		} else if s.before(i, stockWords) >= 0 {
			q.Kind = Stock
		}
	}
	return q
}

// small adds 毛 to 块: 89块9, 八十九块五毛.
func (s *scan) small(q Quantity) Quantity {
	d, ok := s.digit(q.End)
	if !ok || q.Lo != q.Hi || s.at(q.End-1) != '块' {
		return q
	}
	if next := s.at(q.End + 1); isDigit(next) || isChineseNumeral(next) && !isDigit(s.at(q.End)) { // 19块9一双
		return q
	}
	end := q.End + 1
	var fen int64
	if j, ok := s.has(end, "毛", "角"); ok {
		fen, end = s.fen(j)
	} else if _, counted := s.has(end, append(pieces, "折", "号", "天", "斤")...); counted {
		return q // 89块3件: the digit counts something else
	}
	q.Lo = min(q.Lo+d*scale/10+fen*scale/100, maxValue)
	q.Hi, q.End = q.Lo, end
	return q
}

// fen reads the last digit of 254块1毛5.
func (s *scan) fen(i int) (fen int64, end int) {
	d, ok := s.digit(i)
	if _, counted := s.has(i+1, append(pieces, "折", "号", "天", "斤")...); !ok || counted || isDigit(s.at(i+1)) || isChineseNumeral(s.at(i+1)) {
		return 0, i
	}
	end, _ = s.has(i+1, "分")
	return d, end
}

func (s *scan) digit(i int) (int64, bool) {
	switch r := s.at(i); {
	case isDigit(r):
		return int64(r - '0'), true
	case isChineseDigit(r):
		return chineseDigit(r), true
	}
	return 0, false
}
