package guardrail

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"livehost/agentworker/guardrail/quantity"
)

var (
	// costsBefore and costsAfter make a bare number what something costs: 现在79, 79带走,
	// 四条356.
	costsBefore = regexp.MustCompile(`(昨天|上周|上次|现在|今天|今儿|目前|[只才就]?卖|[只才]要|[一二两三四五六七八九十0-9](条|件|个|双|瓶|盒|支|包|顶|只|套|袋))(只要|才|要|是)?$`)
	shortBefore = regexp.MustCompile(`(差|再凑|还要凑)(了|个)?$`)
	costsAfter  = regexp.MustCompile(`(?i)^\s*(元|块)?(就|能|可以|都|直接)*(带走|拿下|拿走|带回家|包邮|就卖|起卖|一(条|件|个|双|瓶|盒|支|包|顶|只|套|袋))|^ for (two|three|four|both)\b|^ (short of|more to go|away from)\b`)
)

// sizeAfter says that a number is no sum: 差1码.
var sizeAfter = regexp.MustCompile(`^(码|号|岁|分|名)`)

// priced is the claim as money where a bare number follows a product's name, or the
// words around it say that it is a price: 围巾89, 79带走.
func (e *Evidence) priced(c claim) claim {
	if c.Kind == quantity.Stock && strings.HasSuffix(c.before, "不到") {
		c.Kind = quantity.Plain // 还不到99
	}
	if c.Kind != quantity.Plain {
		return c
	}
	next, _ := utf8.DecodeRuneInString(c.after)
	ends := c.after == "" || unicode.IsPunct(next) // not 小白鞋37码
	if costsAfter.MatchString(c.after) || shortBefore.MatchString(c.before) && !sizeAfter.MatchString(c.after) || ends && costsBefore.MatchString(c.before) && !e.asked(c.Quantity) {
		c.Kind = quantity.Money
		return c
	}
	if !ends {
		return c
	}
	before := strings.TrimRight(c.before, " ：:是只要才卖现在今天")
	for _, r := range e.Results {
		for _, rec := range r.records {
			if rec.name != "" && strings.HasSuffix(before, rec.name) || rec.sku != "" && strings.HasSuffix(before, rec.sku) {
				c.Kind = quantity.Money
			}
		}
	}
	return c
}

// misplaced is why a number that evidence holds may not be said so, "" for nothing.
func (e *Evidence) misplaced(c claim, stated []int64) string {
	switch {
	case e.misused(c):
		return "evidence says this time of something else"
	case e.notBefore(c):
		return "it is not what it cost before"
	case e.uniform(c):
		return "another size costs another price"
	case e.bundled(c, stated), e.byMeasure(c):
		return "it is the price of another amount"
	}
	return ""
}

var formerly = regexp.MustCompile(`(?i)(原价|划线价|吊牌价|门市价|平时|平常|平日|之前|以前|原来|list price|originally|\bwas|regular price|usual price|usually)(都|是|卖|要|为|[:：]| |a|at)*$`)

// notBefore reports whether a sum is said to be the price from before, and is today's.
func (e *Evidence) notBefore(c claim) bool {
	if c.Kind != quantity.Money || !formerly.MatchString(c.before) {
		return false
	}
	today, listed, lower := false, false, false
	for _, r := range e.records(c) {
		for _, h := range r.roles {
			if h.said == moneyRoles[0].said && h.Lo == c.Lo {
				return false
			}
			listed = listed || h.said == moneyRoles[0].said
		}
		for _, h := range r.numbers {
			today = today || h.Kind == quantity.Money && h.Lo == c.Lo
			lower = lower || h.Kind == quantity.Money && h.Lo < c.Lo || promotional(h)
		}
	}
	return today && (listed || !lower)
}

var forAll = regexp.MustCompile(`(一律|统一|全都?|都|所有(码|颜色|规格|尺码)都?)(是|卖|只要)?$|(?i)\b(all|every size|any size|each size)\b[^,.]{0,20}$`)

// uniform reports whether the price of one SKU is given for all of a product.
func (e *Evidence) uniform(c claim) bool {
	if c.Kind != quantity.Money || !forAll.MatchString(c.before) {
		return false
	}
	return slices.ContainsFunc(e.records(c), func(r record) bool {
		price := slices.IndexFunc(r.numbers, sameKind(quantity.Money))
		return r.sku != "" && price >= 0 && !slices.ContainsFunc(r.numbers, c.Same)
	})
}

var bundle = regexp.MustCompile(`(?i)^\s*(?:买|拿|=)?(两|二|俩|三|四|五|六|[2-6])(?:条|件|个|双|瓶|盒|支|包|顶|只|套|袋)(?:$|[，,。！!？?~～哦啦呀]|带走|拿走|拿下|包邮)|^ for (two|three|four|five|six|both|[2-6])\b`)

// bundleBefore is the same the other way round: 两双14.9元.
var bundleBefore = regexp.MustCompile(`(两|二|俩|三|四|五|六|[2-6])(?:条|件|个|双|瓶|盒|支|包|顶|只|套|袋)(?:一共|总共|只要|只需|才|就|是|卖|共)*$()`)

// bundled reports whether the price of one is given for several: 89元两条.
func (e *Evidence) bundled(c claim, stated []int64) bool {
	m := bundle.FindStringSubmatch(c.after)
	if m == nil {
		m = bundleBefore.FindStringSubmatch(c.before)
	}
	if c.Kind != quantity.Money || m == nil || e.says(strings.TrimSpace(c.Text+m[0])) {
		return false
	}
	n := countOf(m[1] + strings.ToLower(m[2]))
	s := e.sums(c, stated)
	for _, a := range s.money {
		for _, o := range append(s.offs, off{}) {
			if a*n >= o.from && a*n-o.sum == c.Lo || slices.ContainsFunc(s.shares, func(share int64) bool {
				return shareTimes(a*n, share) == c.Lo || n == 2 && a+shareTimes(a, share) == c.Lo
			}) {
				return false
			}
		}
	}
	return true
}

// countOf is a number of pieces in either language.
func countOf(word string) int64 {
	if word == "both" {
		return 2
	}
	if i := slices.Index(countWords, word); i >= 0 {
		return int64(i) + 2
	}
	for _, q := range quantity.Read(word + "件") {
		return q.Lo / quantity.Of(quantity.Count, 1).Lo
	}
	return 0
}

var (
	measureBefore = regexp.MustCompile(`(?i)(每|一|per |a )(公?斤|千克|克|kg|kilo|gram|pound)[是卖要只才 ]*$`)
	measureAfter  = regexp.MustCompile(`(?i)^\s*(?:/|每|一|per |an? )\s?(公?斤|千克|克|kg|kilo\w*|gram|pound|lb)`)
	measurePrice  = regexp.MustCompile(`(?i)(元|块|[¥￥]\s?\d+(\.\d+)?)\s*(/|每|一|per |a )\s?(公?斤|千克|克|kg|kilo|gram|pound|lb)|(每|一)(公?斤|千克|克)[^，,。]{0,4}\d`)
)

// byMeasure reports whether the price of a piece is given for a measure of it that
// evidence neither prices nor says to be the piece.
func (e *Evidence) byMeasure(c claim) bool {
	if c.Kind != quantity.Money {
		return false
	}
	unit := ""
	if m := measureBefore.FindStringSubmatch(c.before); m != nil {
		unit = m[2]
	} else if m := measureAfter.FindStringSubmatch(c.after); m != nil {
		unit = m[1]
	}
	if unit == "" || slices.ContainsFunc(e.texts(), measurePrice.MatchString) {
		return false
	}
	q := quantity.Read("1" + unit)
	for _, r := range e.records(c) {
		if len(q) == 1 && q[0].Kind == quantity.Weight && slices.ContainsFunc(r.numbers, q[0].Same) {
			return false
		}
	}
	return true
}

// multiplied reports whether a number of pieces is one whose price the sentence gives
// rightly: 四条356.
func (e *Evidence) multiplied(c claim) bool {
	s, n := e.sums(c, nil), c.Lo/quantity.Of(quantity.Count, 1).Lo
	for _, q := range quantity.Read(c.clause) {
		for _, a := range s.money {
			if q.Lo == a*n && (q.Kind == quantity.Money || q.Kind == quantity.Plain) {
				return true
			}
			for _, o := range s.offs {
				if a*n >= o.from && q.Lo == a*n-o.sum {
					return true
				}
			}
		}
	}
	return false
}
