package guardrail

import (
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
)

var (
	difference = regexp.MustCompile(`(?i)差|凑|short of|away from|more to`)
	discounted = regexp.MustCompile(`(?i)折|算下来|到手|\boff\b|comes to`)
)

// computed reports whether a sum follows from what evidence holds and the sentence
// says how: what is missing to a threshold, or a price at a discount.
func (e *Evidence) computed(c claim) bool {
	if c.Kind != quantity.Money || c.Lo != c.Hi {
		return false
	}
	recs := e.records(c)
	var sums, shares []int64
	add := func(qs []quantity.Quantity) {
		for _, q := range qs {
			switch q.Kind {
			case quantity.Money, quantity.Plain, quantity.Threshold:
				sums = append(sums, q.Lo)
			case quantity.Discount:
				shares = append(shares, q.Lo)
			}
		}
	}
	for _, r := range recs {
		add(r.numbers)
	}
	if difference.MatchString(c.clause) && slices.ContainsFunc(sums, func(a int64) bool { return slices.Contains(sums, a+c.Lo) }) {
		return true
	}
	one := quantity.Of(quantity.Count, 1).Lo
	return discounted.MatchString(c.clause) && slices.ContainsFunc(sums, func(a int64) bool {
		return slices.ContainsFunc(shares, func(s int64) bool { return a/100*s/(one/100) == c.Lo })
	})
}

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

// shares are what a text says there is how much of, as "name share".
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
	said := sharesIn(in.Text)
	if len(said) == 0 {
		return ""
	}
	known := map[string][]string{}
	for _, t := range in.Evidence.texts() {
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
	return ""
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
