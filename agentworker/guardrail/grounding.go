package guardrail

import (
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
	"livehost/streams/event"
)

// claim is one quantity of a reply and which product it is said of.
type claim struct {
	quantity.Quantity
	link     event.LinkID // "" when the text does not say
	clause   string       // its sentence
	subject  string       // what stands between the number before it and its end
	before   string       // of the sentence
	after    string
	delivery bool // about shipping cost
}

var (
	sentenceEnd = regexp.MustCompile(`[。！？!?；;\n]`)
	deliveryFee = regexp.MustCompile(`(?i)运费|邮费|快递费|包邮|shipping|delivery|postage`)
)

// claims are the quantities of the text with what they belong to.
func claims(text string) []claim {
	var out []claim
	for _, sentence := range sentenceEnd.Split(text, -1) {
		var link event.LinkID
		runes, from := []rune(sentence), 0
		for _, q := range quantity.Read(sentence) {
			if q.Kind == quantity.Link {
				link = linkOf(q)
			}
			out = append(out, claim{
				Quantity: q, link: link, clause: sentence, subject: string(runes[from:q.End]),
				before: string(runes[:q.Start]), after: string(runes[q.End:]), delivery: deliveryFee.MatchString(sentence),
			})
			from = q.End
		}
	}
	return out
}

func linkOf(q quantity.Quantity) event.LinkID {
	return event.LinkID(strings.TrimSuffix(q.String(), "号链接"))
}

// commercial are the kinds that only a tool result supports.
func commercial(k quantity.Kind) bool {
	switch k {
	case quantity.Money, quantity.Discount, quantity.Threshold, quantity.Multi, quantity.Nth, quantity.BuyGet, quantity.Stock:
		return true
	default:
		return false
	}
}

// Grounding objects to the first number, or statement about stock, that the
// run's evidence does not hold.
func Grounding(in *Input) (Finding, bool) {
	var stated []int64 // sums, as far as they hold
	for _, c := range claims(in.Text) {
		switch c = in.Evidence.priced(c); {
		case in.Evidence.supported(c), in.Evidence.computed(c, stated):
			if c.Kind == quantity.Money {
				stated = append(stated, c.Lo)
			}
		default:
			return found(c.Text, "no evidence; looked at: "+in.Evidence.looked())
		}
		if why := in.Evidence.misplaced(c, stated); why != "" {
			return found(c.Text, why+"; looked at: "+in.Evidence.looked())
		}
	}
	for _, side := range []func() string{
		func() string { return in.Evidence.otherCurrency(in.Text) }, in.wrongSize, in.wrongColour, in.wrongPlace,
		in.wrongShare, in.wrongComparison, in.muchOfLittle,
	} {
		if at := side(); at != "" {
			return found(at, "no evidence; looked at: "+in.Evidence.looked())
		}
	}
	return stockWords(in)
}

func (e *Evidence) supported(c claim) bool {
	switch {
	case commercial(c.Kind):
		if recs := e.records(c); holds(recs, c.Quantity, c.clause) {
			return true
		} else if (flatDenial.MatchString(c.before) || flatRefusal.MatchString(c.after) || promotional(c.Quantity) && noneOf.MatchString(c.after)) && e.asked(c.Quantity) {
			return true
		} else if q := c.Quantity; q.Kind == quantity.Money && q.Lo != q.Hi { // a range over several products
			from, to := q, q
			from.Hi, to.Lo = q.Lo, q.Hi
			return holds(recs, from, c.clause) && holds(recs, to, c.clause)
		}
		return c.delivery && c.Kind == quantity.Money && among(e.facts, c.Quantity)
	case c.Kind == quantity.Count && (c.Hi <= quantity.Of(quantity.Count, 2).Hi || e.multiplied(c)):
		return true // 一件, 两款: a way of speaking
	case enumerated(c):
		return true
	case e.echoes(c):
		return true
	}
	about := e
	if s, ok := e.subjectOf(c); ok && c.Kind != quantity.Link {
		about = e.only(s)
	}
	if among(about.facts, c.Quantity) {
		return true
	}
	for _, r := range about.Results {
		for _, rec := range r.records {
			if among(rec.numbers, c.Quantity) || rec.inRole(c.Quantity, c.clause) || (c.Kind == quantity.Link && rec.link == linkOf(c.Quantity)) {
				return true
			}
		}
		if r.named(c.Quantity) {
			return true
		}
	}
	return false
}

// flatDenial right before a number denies it: 不是七折.
var flatDenial = regexp.MustCompile(`(?i)(不是|没有|并非|不打|打不了|不卖|没|isn't|is not|not|no)\s*$`)

// flatRefusal right after a number denies it: 80元卖不了.
var flatRefusal = regexp.MustCompile(`(?i)^[^，,。！!？?]{0,4}(卖不了|拿不了|拿不到|做不了|做不到|给不了|下不来|不行|不卖|不够|不可以|没法|isn't possible|is not possible|won't work|not possible)`)

// noneOf right after an offer denies it: 五折没有.
var noneOf = regexp.MustCompile(`^(的)?(优惠|活动)?(是|真|现在)?没有($|[^问])`)

// asked reports whether the viewers' own words hold the value, also as a part.
func (e *Evidence) asked(q quantity.Quantity) bool {
	return slices.ContainsFunc(e.words, func(h quantity.Quantity) bool {
		part := q.Kind == quantity.Discount && (h.Kind == quantity.Multi || h.Kind == quantity.Nth) && h.Hi == q.Lo
		return part || h.Same(q) || h.Kind == quantity.Plain && q.Kind == quantity.Money && h.Lo == q.Lo && h.Hi == q.Hi
	})
}

// promised are words by which a period becomes a promise.
var promised = regexp.MustCompile(`(?i)发货|发出|送到|到货|能到|就到|可以到|到您|质保|保修|无理由|退|换|见效|有效|ship|arriv|deliver|warranty|return|refund`)

// echoes reports whether the number is the viewer's own, said back: a measure, a
// link, a year. What would be a fact about the product or a promise is no echo,
// unless it is denied.
func (e *Evidence) echoes(c claim) bool {
	fact := c.Kind == quantity.Percent || c.Kind == quantity.Duration && promised.MatchString(c.clause) || c.affirmed()
	if fact && !denied.MatchString(notDenied.Replace(c.before)) && !refused(c.after) {
		return false
	}
	return among(e.words, c.Quantity) || slices.ContainsFunc(e.words, func(h quantity.Quantity) bool {
		return h.Kind == quantity.Plain && h.Lo == h.Hi && bodyMeasure(h, c.Quantity)
	})
}

var (
	affirmation = regexp.MustCompile(`(?i)^\s*(是的|对的?|对呀|没错|嗯|就是|确实|yes|yep|right|correct|sure|exactly)[，,!！~ ]`)
	ofTheViewer = regexp.MustCompile(`(?i)您|你|身高|体重|穿|选|码|size|you`)
)

// affirmed reports whether a sentence says yes to what a viewer takes a product to be:
// 对的，500克.
func (c claim) affirmed() bool {
	switch c.Kind {
	case quantity.Weight, quantity.Volume, quantity.Length, quantity.Duration, quantity.Plain, quantity.Count:
		return affirmation.MatchString(c.before) && !ofTheViewer.MatchString(c.clause)
	default:
		return false
	}
}

// refusedAfter turns round what stands before it: 3天到不了.
var refusedAfter = regexp.MustCompile(`(?i)^[^，,。.!！?？]{0,6}(不了|不到|不行|没有|没了|没货|没法|做不到|不能|不敢|不一定|不保证|不好说|说不准|不支持|不发|不送|暂无|没写|没提|没标|没说|没注明|未标|不清楚|不知道|缺货|断码|售罄|卖完|卖光|cannot|can't|\bnot\b|isn't|aren't|\bno\b|sold out)`)

// refused reports whether what follows a phrase turns it round.
func refused(after string) bool { return refusedAfter.MatchString(notDenied.Replace(after)) }

// bodyMeasure reports whether a bare number is the measure without its unit: 175, 110.
func bodyMeasure(bare, q quantity.Quantity) bool {
	switch q.Kind {
	case quantity.Length:
		return q.Lo == bare.Lo*10
	case quantity.Weight:
		return q.Lo == bare.Lo*500 || q.Lo == bare.Lo*1000
	default:
		return false
	}
}

// named reports whether the call's own arguments hold the number: "no link 77 here".
func (r Result) named(q quantity.Quantity) bool {
	for _, v := range r.Args {
		if among(quantity.Read(text(v)), q) {
			return true
		}
	}
	return false
}

// records are the records a claim may rest on: those of its link when it names
// one, those of its SKU when it names one that has its own.
func (e *Evidence) records(c claim) []record {
	var all []record
	for _, r := range e.Results {
		all = append(all, r.records...)
	}
	if s, ok := e.subjectOf(c); ok {
		all = slices.DeleteFunc(all, func(r record) bool { return s.other(r.link, r.name) })
	}
	about := c.subject
	if c.Kind == quantity.Stock { // L码109元，还剩3件
		about = c.before + c.subject
	}
	sku, last := "", -1 // the one named last
	for _, r := range all {
		if i := lastSKU(about, r.sku); r.sku != "" && i >= 0 && (i > last || i == last && len(r.sku) > len(sku)) {
			sku, last = r.sku, i
		}
	}
	if sku != "" {
		all = slices.DeleteFunc(all, func(r record) bool { return r.sku != sku && r.sku != "" })
		if slices.ContainsFunc(all, func(r record) bool { return r.sku == sku && slices.ContainsFunc(r.numbers, sameKind(c.Kind)) }) {
			all = slices.DeleteFunc(all, func(r record) bool { return r.sku == "" })
		}
	}
	return all
}

func sameKind(k quantity.Kind) func(quantity.Quantity) bool {
	return func(q quantity.Quantity) bool { return q.Kind == k }
}

func holds(recs []record, q quantity.Quantity, sentence string) bool {
	return slices.ContainsFunc(recs, func(r record) bool { return supports(r, q, sentence) })
}

// inRole reports whether a record holds a sum that is not what it costs, and the
// sentence says what it is.
func (r record) inRole(q quantity.Quantity, sentence string) bool {
	return slices.ContainsFunc(r.roles, func(h role) bool {
		return h.Lo == q.Lo && h.Hi == q.Hi && (h.Kind == q.Kind || bare(h.Kind) || bare(q.Kind)) && h.said.MatchString(sentence)
	})
}

// supports reports whether a record holds a price, stock or promotion.
func supports(r record, q quantity.Quantity, sentence string) bool {
	if r.inRole(q, sentence) {
		return true
	}
	for _, have := range r.numbers {
		switch {
		case have.Same(q):
			return true
		case q.Kind == quantity.Stock && have.Kind == quantity.Count && have.Lo == q.Lo && have.Hi == q.Hi:
			return true
		case q.Kind == quantity.Stock && have.Kind == quantity.Money && have.Lo == q.Lo && onlyDigits.MatchString(q.Text):
			return true // it's only 89
		}
	}
	return false
}

var onlyDigits = regexp.MustCompile(`^[0-9.,]+$`)

// among reports whether a number that is not a price may rest on one of these:
// the same value, of the same kind where it has one; a bare number on any.
func among(have []quantity.Quantity, q quantity.Quantity) bool {
	for _, h := range have {
		values := h.Lo == q.Lo && h.Hi == q.Hi || q.Lo == q.Hi && (h.Lo == q.Lo || h.Hi == q.Lo)
		if values && (h.Kind == q.Kind || bare(h.Kind) || bare(q.Kind)) {
			return true
		}
	}
	return false
}

func bare(k quantity.Kind) bool {
	return k == quantity.Plain || k == quantity.Count || k == quantity.Link || k == quantity.Stock
}

// NotInRoom objects to facts of some product told to viewers who asked for one
// that is not in this room.
func NotInRoom(in *Input) (Finding, bool) {
	missing := in.Evidence.Missing(in.Members)
	if len(missing) == 0 {
		return fine, true
	}
	all := len(missing) == len(in.Members)
	for _, c := range claims(in.Text) {
		if !commercial(c.Kind) {
			continue
		}
		for _, arg := range missing {
			if all || string(c.link) == arg || strings.Contains(c.clause, arg) {
				return found(c.Text, "asked for "+arg+", which is not in this room")
			}
		}
	}
	return fine, true
}

// Missing maps the members who asked for a product that a tool did not find in
// this room to what they asked for. A danmaku for which another call found
// something is not among them.
func (e *Evidence) Missing(members []event.Member) map[event.DanmakuID]string {
	out := map[event.DanmakuID]string{}
	for _, m := range members {
		for _, r := range e.Results {
			if r.absent != "" && names(m, r.absent) {
				out[m.DanmakuID] = r.absent
			}
		}
		for _, r := range e.Results {
			if r.Code == "" && len(r.records) > 0 && r.asked(m) {
				delete(out, m.DanmakuID)
			}
		}
	}
	return out
}

// asked reports whether the member's question names an argument of the call.
func (r Result) asked(m event.Member) bool {
	for _, v := range r.Args {
		if s := strings.TrimSpace(text(v)); s != "" && names(m, s) {
			return true
		}
	}
	return false
}

// names reports whether a question holds a number or words.
func names(m event.Member, s string) bool {
	if number := quantity.Read(s); len(number) == 1 && number[0].Text == s {
		return among(quantity.Read(m.Question), number[0])
	}
	return strings.Contains(strings.ToLower(m.Question+"\n"+m.Text), strings.ToLower(s))
}
