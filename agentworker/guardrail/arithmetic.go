package guardrail

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
)

// What a sentence must say for a sum that follows from others.
var (
	missing    = regexp.MustCompile(`(?i)差|凑|还要|short of|away from|more to`)
	apart      = regexp.MustCompile(`(?i)差|贵|便宜|多|少|more|less|cheaper|difference`)
	taken      = regexp.MustCompile(`(?i)减|到手|算下来|\boff\b|after|comes to`)
	added      = regexp.MustCompile(`(?i)一共|加|合计|总共|共|一起|总价|两双|两件|两条|together|total|both|altogether|in all|plus`)
	discounted = regexp.MustCompile(`(?i)折|算下来|到手|半价|\boff\b|half|comes to`)
	threshold  = regexp.MustCompile(`(?i)满|凑|够|over|spend|reach`)
	pair       = regexp.MustCompile(`(?i)两|2|both|two|pair`)
)

// sums are what a sum may follow from.
type sums struct {
	money  []int64 // prices, and sums that the text has rightly stated before
	limits []int64 // to be reached
	offs   []off
	shares []int64 // to pay
	counts []int64 // of pieces, in the sentence
}

// off is what is taken off from a limit on.
type off struct{ from, sum int64 }

// computed reports whether a sum follows from what evidence holds and the sentence
// says how: several of one, two together, what is off or missing, a price at a
// discount.
func (e *Evidence) computed(c claim, stated []int64) bool {
	if c.Kind != quantity.Money || c.Lo != c.Hi {
		return false
	}
	s := e.sums(c, stated)
	v := c.Lo
	has := func(list []int64, x int64) bool { return slices.Contains(list, x) }
	any := func(list []int64, ok func(int64) bool) bool { return slices.ContainsFunc(list, ok) }
	switch {
	case threshold.MatchString(c.clause) && (has(s.limits, v) || slices.ContainsFunc(s.offs, func(o off) bool { return o.sum == v })):
		return true
	case any(s.counts, func(n int64) bool { return n > 1 && any(s.money, func(a int64) bool { return a*n == v }) }):
		return true
	case added.MatchString(c.clause) && any(s.money, func(a int64) bool { return has(s.money, v-a) }):
		return true
	case apart.MatchString(c.clause) && any(s.money, func(a int64) bool { return has(s.money, a+v) }):
		return true
	case missing.MatchString(c.clause) && any(s.money, func(a int64) bool { return has(s.limits, a+v) }):
		return true
	case taken.MatchString(c.clause) && any(s.money, func(a int64) bool {
		return slices.ContainsFunc(s.offs, func(o off) bool {
			return a >= o.from && a-o.sum == v || any(s.counts, func(n int64) bool { return a*n >= o.from && a*n-o.sum == v })
		})
	}):
		return true
	case !discounted.MatchString(c.clause):
		return false
	}
	return any(s.money, func(a int64) bool {
		return any(s.shares, func(share int64) bool {
			return shareTimes(a, share) == v || pair.MatchString(c.clause) && a+shareTimes(a, share) == v ||
				any(s.counts, func(n int64) bool { return shareTimes(a*n, share) == v })
		})
	})
}

// shareTimes is a share of a sum.
func shareTimes(a, share int64) int64 { return a * share / quantity.Of(quantity.Count, 1).Lo }

func (e *Evidence) sums(c claim, stated []int64) sums {
	s := sums{money: slices.Clone(stated)}
	add := func(qs []quantity.Quantity) {
		for _, q := range qs {
			switch q.Kind {
			case quantity.Money:
				s.money = append(s.money, q.Lo)
			case quantity.Plain: // 满99包邮
				s.limits = append(s.limits, q.Lo)
			case quantity.Threshold:
				s.limits, s.offs = append(s.limits, q.Lo), append(s.offs, off{q.Lo, q.Hi})
			case quantity.Discount:
				s.shares = append(s.shares, q.Lo)
			case quantity.Nth, quantity.Multi:
				s.shares = append(s.shares, q.Hi)
			}
		}
	}
	for _, r := range e.Results {
		for _, rec := range r.records {
			if c.link == "" || rec.link == "" || rec.link == c.link {
				add(rec.numbers)
			}
		}
	}
	one := quantity.Of(quantity.Count, 1).Lo
	for _, q := range quantity.Read(c.clause) {
		if q.Kind == quantity.Count {
			s.counts = append(s.counts, q.Lo/one)
		}
	}
	for _, m := range englishCount.FindAllStringSubmatch(strings.ToLower(c.clause), -1) {
		s.counts = append(s.counts, int64(slices.Index(countWords, m[1])+2))
	}
	return s
}

var (
	countWords   = strings.Fields("two three four five six")
	englishCount = regexp.MustCompile(`\b(two|three|four|five|six)\b`)
)

// enumerated reports whether a count is of what the sentence lists before it: S、M、L三个.
func enumerated(c claim) bool {
	before := c.before
	if at := clauseEnd.FindAllStringIndex(before, -1); at != nil {
		before = before[at[len(at)-1][1]:]
	}
	n := int64(strings.Count(before, "、") + 1)
	return n > 1 && c.Kind == quantity.Count && c.Lo == quantity.Of(quantity.Count, n).Lo
}

var (
	shareOf = regexp.MustCompile(`(?i)([\p{Han}]{1,6}?)\s?(\d+(?:\.\d+)?)[%％]|(\d+(?:\.\d+)?)[%％]\s?([\p{Han}]{1,6}|[a-z]+)`)
	listed  = regexp.MustCompile(`[，,、；;]`)
)

// sharesIn are what a text says there is how much of, as "name share".
func sharesIn(text string) map[string][]string {
	out := map[string][]string{}
	for _, part := range listed.Split(strings.ToLower(text), -1) {
		for _, m := range shareOf.FindAllStringSubmatch(part, -1) {
			name, share := m[1]+m[4], m[2]+m[3]
			for _, lead := range []string{"成分是", "材质是", "含有", "含", "是"} {
				if i := strings.LastIndex(name, lead); i >= 0 {
					name = name[i+len(lead):]
				}
			}
			if name != "" {
				out[name] = append(out[name], share)
			}
		}
	}
	return out
}

// wrongShare is a share that evidence gives to something else, "" for none.
func (in *Input) wrongShare() string {
	for at, clause := range clausesOf(in.Text) {
		said := sharesIn(clause)
		if len(said) == 0 {
			continue
		}
		known := map[string][]string{}
		for _, t := range in.Evidence.on(in.Text, at).texts() {
			for name, shares := range sharesIn(t) {
				known[name] = append(known[name], shares...)
			}
		}
		for name, shares := range said {
			for _, s := range shares {
				if len(known[name]) > 0 && !slices.Contains(known[name], s) {
					return name + s + "%"
				}
			}
		}
	}
	return ""
}

// clausesOf are the clauses of a text with the places where they begin.
func clausesOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		from := 0
		for _, end := range append(clauseEnd.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
			if !yield(from, text[from:end[0]]) {
				return
			}
			from = end[1]
		}
	}
}

var compared = regexp.MustCompile(`(?i)^(.*?)(?:比|要比)(.*?)(?:还|要|更|又)*(便宜|贵|划算)|^(.*?)\bis\b.*?(cheaper|more expensive|dearer|more)\b than(.*)$`)

// wrongComparison is a comparison of two products that their prices deny, "" for none.
func (in *Input) wrongComparison() string {
	for _, s := range sentenceEnd.Split(in.Text, -1) {
		m := compared.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		left, right, word := m[1], m[2], m[3]
		if m[5] != "" {
			left, right, word = m[4], m[6], m[5]
		}
		a, okA := in.Evidence.priceOf(left)
		b, okB := in.Evidence.priceOf(right)
		dearer := word == "贵" || strings.HasPrefix(word, "more") || word == "dearer"
		if okA && okB && (dearer && a < b || !dearer && a > b) {
			return s
		}
	}
	return ""
}

// priceOf is the price of the one product that a text names, in full or by the end
// of its name: 围巾 for 羊毛围巾.
func (e *Evidence) priceOf(text string) (price int64, ok bool) {
	for _, r := range e.Results {
		for _, rec := range r.records {
			name := []rune(rec.name)
			if len(name) < 2 || !strings.Contains(text, string(name[len(name)-2:])) {
				continue
			}
			for _, q := range rec.numbers {
				if q.Kind == quantity.Money {
					return q.Lo, true
				}
			}
		}
	}
	return 0, false
}
