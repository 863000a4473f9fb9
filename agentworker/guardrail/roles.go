package guardrail

import (
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
)

// moneyRoles are the result fields whose sums are not what a product costs: a reply
// that states one must say what it is.
var moneyRoles = []struct {
	field string // prefix of the field's name
	said  *regexp.Regexp
}{
	{"list_price", regexp.MustCompile(`(?i)原价|标价|划线价|吊牌价|门市价|挂牌|平时|平常|平日|之前|以前|本来|原来|日常|list|original|\bwas\b|usual|regular|normal|down from|instead|before|\btag\b`)},
	{"saving", regexp.MustCompile(`(?i)省|减|便宜|优惠|差|少|降|save|saving|\boff\b|less|cheaper|discount|down`)},
	{"price_difference", regexp.MustCompile(`(?i)差|贵|便宜|多|少|高|低|more|less|cheaper|difference|extra|dearer`)},
	{"difference", regexp.MustCompile(`(?i)差|贵|便宜|多|少|高|低|more|less|cheaper|difference|extra|dearer`)},
	{"fee", regexp.MustCompile(`(?i)运费|邮费|快递|配送|shipping|delivery|postage|fee`)},
}

// role is a sum with what a sentence must hold to state it.
type role struct {
	quantity.Quantity
	said *regexp.Regexp
}

func moneyRole(field string) *regexp.Regexp {
	for _, r := range moneyRoles {
		if strings.HasPrefix(field, r.field) {
			return r.said
		}
	}
	return nil
}

// use is what a period of time is about.
type use int

const (
	anyUse use = iota
	dispatch
	arrival
	returns
	warranty
	shelfLife
)

var uses = []struct {
	of    use
	words *regexp.Regexp
}{
	{arrival, regexp.MustCompile(`(?i)送到|送达|到货|到家|到手|能到|就到|可到|天到|时到|收到|拿到|发货后|发出后|寄出后|路上|到您|到你|at your door|on your doorstep|in your hands|arriv\w*|deliver\w*|reach\w*|receive\w*|get (it|to you)|have it|takes?\b`)},
	{dispatch, regexp.MustCompile(`(?i)发货|发出|寄出|出库|发走|就发|内发|时发|ship\w*|dispatch\w*|leaves?\b|sent\b|send\b`)},
	{returns, regexp.MustCompile(`(?i)无理由|退换|退货|退款|可退|能退|包退|return\w*|send it back|bring it back|refund\w*|exchange\w*`)},
	{warranty, regexp.MustCompile(`(?i)质保|保修|包修|warrant\w*|guarantee\w*`)},
	{shelfLife, regexp.MustCompile(`(?i)保质|存放|储存|能放|可放|开封|shelf|keeps?\b|best before`)},
}

var clauseEnd = regexp.MustCompile(`[，,；;。！!？?\n]`)

// useOf is what the period between before and after is about. Chinese says it after
// the number, English before it or right behind.
func useOf(before, after string) use {
	if at := clauseEnd.FindAllStringIndex(before, -1); at != nil {
		before = before[at[len(at)-1][1]:]
	}
	if at := clauseEnd.FindStringIndex(after); at != nil {
		after = after[:at[0]]
	}
	follows, precedes := anyUse, anyUse
	first, last := len(after), -1
	for _, u := range uses {
		if at := u.words.FindStringIndex(after); at != nil && at[0] < first {
			first, follows = at[0], u.of
		}
		if at := u.words.FindAllStringIndex(before, -1); at != nil && at[len(at)-1][0] > last {
			last, precedes = at[len(at)-1][0], u.of
		}
	}
	const right = 2 // bytes: 7-day returns
	han := hanShare(before+after) > 0
	if follows != anyUse && (han || first <= right) || precedes == anyUse {
		return follows
	}
	return precedes
}

// period is a time that evidence holds, with what it is about.
type period struct {
	quantity.Quantity
	of use
}

// fieldUses is what a time in a result field is about when its text does not say.
var fieldUses = []struct {
	field string // prefix of the field's name
	of    use
}{{"ships_within", dispatch}, {"return", returns}, {"warranty", warranty}}

func fieldUse(field string) use {
	for _, f := range fieldUses {
		if strings.HasPrefix(field, f.field) {
			return f.of
		}
	}
	return anyUse
}

// addPeriods adds the times of a text that is evidence; field is where it stands, ""
// for facts.
func (e *Evidence) addPeriods(field, text string, qs []quantity.Quantity) {
	runes := []rune(text)
	for _, q := range qs {
		if q.Kind != quantity.Duration {
			continue
		}
		of := useOf(string(runes[:q.Start]), string(runes[q.End:]))
		if of == anyUse {
			of = fieldUse(field)
		}
		e.times = append(e.times, period{q, of})
	}
}

// misused reports whether a period that evidence holds is said of something else:
// sent within 48 hours is not there within 48 hours.
func (e *Evidence) misused(c claim) bool {
	of := useOf(c.before, c.after)
	if c.Kind != quantity.Duration || of == anyUse {
		return false
	}
	known := false
	for _, t := range e.times {
		if !among([]quantity.Quantity{t.Quantity}, c.Quantity) {
			continue
		}
		if t.of == of || t.of == anyUse {
			return false
		}
		known = true
	}
	return known
}

var (
	foreign      = regexp.MustCompile(`(?i)(\$|£|€|us\$)\s?\d|\d\s?(usd|dollars?|bucks|euros?|pounds? sterling|美元|美金|美刀|刀($|[^头片具刃叉削法口])|欧元|英镑|日元|港币)`)
	foreignSigns = regexp.MustCompile(`(?i)[$£€]|usd|dollar|euro|美元|美金|欧元|英镑|日元|港币`)
)

// otherCurrency is a sum in a currency that no evidence uses, "" for none.
func (e *Evidence) otherCurrency(text string) string {
	at := foreign.FindString(text)
	if at == "" || slices.ContainsFunc(e.texts(), foreignSigns.MatchString) {
		return ""
	}
	return at
}
