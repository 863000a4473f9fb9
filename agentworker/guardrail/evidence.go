package guardrail

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
	"livehost/harness"
	"livehost/streams/event"
)

// CodeNotFound is the error code of a tool that found nothing by its arguments.
const CodeNotFound = "NOT_FOUND"

// Evidence is what a run knows. It grows while the run goes on; it is not safe
// for concurrent use.
type Evidence struct {
	Aliases   func(link event.LinkID, name string) []string // what else a product is called; nil: not known
	Results   []Result
	facts     []quantity.Quantity // product facts, FAQ, room status, skills' resources
	shared    []quantity.Quantity // those of the facts that are about no product
	factText  strings.Builder     // lower case; of facts about no product
	told      []part              // facts about products
	subjects  []subject           // products that facts and results are about
	names     []string            // of viewers who are no members: givers of gifts
	words     []quantity.Quantity // the viewers' own words
	wordsText strings.Builder
	orders    Shingles // texts that order the host about
	dictated  []string // what such texts want said, squashed
	times     []period // of facts and results
}

// Result is one finished tool call.
type Result struct {
	Tool    string
	Args    map[string]any
	Code    string // "" when it succeeded
	absent  string // the link or the words of a product that is not in this room
	records []record
	names   []string // of products, brands and shops
	offers  bool     // it holds a promotion
	advises bool     // it recommends a size
	facts   []event.Fact
	text    string         // lower case
	parts   []part         // the same by product
	private bool           // it is for the viewer alone
	viewer  event.ViewerID // whom it was for
}

// record is the numbers of one object of a result: a product, or a product's SKU.
type record struct {
	link    event.LinkID // "" when the object is not about one product
	product event.ProductID
	name    string
	nameEN  string
	sku     string
	stocked stocked
	numbers []quantity.Quantity
	roles   []role // sums that are not what it costs
}

// stocked is what a record says of availability.
type stocked int

const (
	stockUnknown stocked = iota
	stockYes
	stockNo
)

// AddFacts adds text that the prompt gave as facts, one a line. A line that orders
// the host about is none.
func (e *Evidence) AddFacts(text string) {
	for line := range strings.Lines(text) {
		if e.watch(line) {
			continue
		}
		qs := quantity.Read(line)
		e.facts, e.shared = append(e.facts, qs...), append(e.shared, qs...)
		e.addPeriods("", line, qs)
		e.factText.WriteString(strings.ToLower(line))
	}
	e.factText.WriteByte('\n')
}

// AddWords adds what viewers wrote, their names, or an event.
func (e *Evidence) AddWords(text string) {
	e.watch(text)
	e.words = append(e.words, quantity.Read(text)...)
	e.wordsText.WriteString(text)
	e.wordsText.WriteByte('\n')
}

// AddName adds the name of a viewer who may be spoken to without being a member.
func (e *Evidence) AddName(name string) { e.names = append(e.names, name) }

// ToolResult is one finished call as the run got it.
type ToolResult struct {
	Tool   string
	Args   map[string]any
	Code   string              // "" when it succeeded
	Data   map[string]any      // the decoded result
	Fields []harness.FactField // which of its fields are facts
	Facts  []event.Fact        // the facts read from them

	Private bool           // it is for the viewer alone
	Viewer  event.ViewerID // whom it was for; "" when it gives everybody the same
}

// AddResult adds a finished call.
func (e *Evidence) AddResult(t ToolResult) {
	r := Result{Tool: t.Tool, Args: t.Args, Code: t.Code, private: t.Private, viewer: t.Viewer}
	w := walker{kinds: map[string]string{}, watch: e.watch, times: e.addPeriods}
	for _, f := range t.Fields {
		w.kinds[f.Field[strings.LastIndexByte(f.Field, '.')+1:]] = f.Kind
	}
	w.value(record{}, "", t.Data) // an error may hold facts too: what is missing, what is out of range
	r.records, r.names, r.text, r.parts, r.facts = w.records, w.names, strings.ToLower(w.text.String()), w.parts, t.Facts
	for _, rec := range r.records {
		e.meet(rec.link, rec.name, rec.nameEN)
	}
	r.offers = slices.ContainsFunc(r.records, func(rec record) bool { return slices.ContainsFunc(rec.numbers, promotional) }) || offerWords.MatchString(r.text)
	if t.Code != "" {
		r.failed()
	}
	r.advises = text(t.Data["size"]) != ""
	if t.Code == CodeNotFound {
		if r.absent = absent(t); text(t.Data["query"]) != "" {
			e.subjects = append(e.subjects, subject{name: r.absent, calls: []string{strings.ToLower(r.absent)}})
		}
	}
	e.Results = append(e.Results, r)
}

// failed leaves no price, stock or promotion in the records of a call that failed:
// what is missing may be said, what it costs is not known.
func (r *Result) failed() {
	for i := range r.records {
		rec := &r.records[i]
		rec.stocked, rec.roles = stockUnknown, nil
		rec.numbers = slices.DeleteFunc(rec.numbers, func(q quantity.Quantity) bool { return commercial(q.Kind) })
	}
	r.offers = false
}

// absent is the link or the words of a product that a lookup did not find, ""
// when it looked for something about a product: an attribute, a size, an order.
func absent(t ToolResult) string {
	if query := text(t.Data["query"]); query != "" {
		return query
	}
	link := text(t.Data["link_id"])
	if text(t.Data["name"]) != "" { // the product is there, and something about it is not
		return ""
	}
	for _, v := range t.Args {
		if s := text(v); s != link && s != "" {
			return ""
		}
	}
	return link
}

// For is the evidence of a text that only this viewer gets, "" for one that all hear:
// what is private to others supports nothing in it. It is not to be added to.
func (e *Evidence) For(viewer event.ViewerID) *Evidence {
	others := func(r Result) bool { return r.private && (viewer == "" || r.viewer != viewer) }
	if !slices.ContainsFunc(e.Results, others) {
		return e
	}
	out := *e
	out.Results = slices.DeleteFunc(slices.Clone(e.Results), others)
	return &out
}

func promotional(q quantity.Quantity) bool {
	switch q.Kind {
	case quantity.Discount, quantity.Threshold, quantity.Multi, quantity.Nth, quantity.BuyGet:
		return true
	default:
		return false
	}
}

// AddText is AddResult for a result that is plain text, such as an FAQ answer or
// a skill's resource: its numbers are facts, never prices.
func (e *Evidence) AddText(tool string, args map[string]any, text string) {
	e.Results = append(e.Results, Result{Tool: tool, Args: args})
	e.AddFacts(text)
}

// walker flattens a JSON result into records.
type walker struct {
	kinds   map[string]string // field name -> fact kind
	watch   func(string) bool // what it objects to is no evidence
	times   func(field, text string, qs []quantity.Quantity)
	records []record
	names   []string
	text    strings.Builder
	parts   []part
}

func (w *walker) value(of record, field string, v any) {
	switch v := v.(type) {
	case map[string]any:
		w.object(of, v)
	case []any:
		for _, x := range v {
			w.value(of, field, x)
		}
	default:
		w.scalar(&of, field, v)
		if len(of.numbers) > 0 {
			w.records = append(w.records, of)
		}
	}
}

func (w *walker) object(of record, obj map[string]any) {
	at := record{link: of.link, product: of.product, name: of.name, nameEN: of.nameEN, sku: of.sku}
	if s := text(obj["link_id"]); s != "" {
		at = record{link: event.LinkID(s)}
	}
	set(&at.name, text(obj["name"]))
	set(&at.nameEN, text(obj["name_en"]))
	set(&at.sku, text(obj["sku"]))
	if s := text(obj["product_id"]); s != "" {
		at.product = event.ProductID(s)
	}
	for _, field := range slices.Sorted(keys(obj)) {
		switch v := obj[field].(type) {
		case map[string]any, []any:
			w.value(record{link: at.link, product: at.product, name: at.name, nameEN: at.nameEN, sku: at.sku}, field, v)
		default:
			w.scalar(&at, field, v)
		}
	}
	w.records = append(w.records, at)
}

func keys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func set(to *string, s string) {
	if s != "" {
		*to = s
	}
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return fmt.Sprint(v)
	}
	return ""
}

// longestText is how many bytes of one text are evidence: more than the policy is shown
// of a whole result. To read all of a text of a quarter of a megabyte takes a run's time.
const longestText = 16 << 10

// scalar adds what one field says.
func (w *walker) scalar(to *record, field string, v any) {
	switch v := v.(type) {
	case string:
		if w.watch(v) {
			return
		}
		if len(v) > longestText {
			v = strings.ToValidUTF8(v[:longestText], "")
		}
		said := v
		if strings.ContainsFunc(field, isHan) && v != "" && !negative.MatchString(v) { // 防水: IPX4
			said = field + " " + v
		}
		w.text.WriteString(said)
		w.text.WriteByte('\n')
		w.parts = append(w.parts, part{link: to.link, name: to.name, text: strings.ToLower(said) + "\n"})
		if nameFields[field] && v != "" && !slices.Contains(w.names, v) {
			w.names = append(w.names, v)
		}
		qs := quantity.Read(v)
		w.times(field, v, qs)
		if said := moneyRole(field); said != nil {
			to.special(said, qs...)
			return
		}
		to.numbers = append(to.numbers, qs...)
		if w.kinds[field] == "price" && v != "" { // a price in words without a unit
			for _, q := range qs {
				if q.Kind == quantity.Plain {
					q.Kind = quantity.Money
					to.numbers = append(to.numbers, q)
				}
			}
		}
	case bool:
		if field == "in_stock" {
			to.stocked = map[bool]stocked{true: stockYes, false: stockNo}[v]
		}
	case float64:
		w.number(to, field, int64(v))
	case json.Number:
		if n, err := v.Int64(); err == nil {
			w.number(to, field, n)
		} else {
			to.numbers = append(to.numbers, quantity.Read(v.String())...)
		}
	}
}

// negative is a value that denies what the name of its field says.
var negative = regexp.MustCompile(`(?i)不|没|无|否|非|弱|差|^(no|not|none|n/a)\b|-`)

func (w *walker) number(to *record, field string, n int64) {
	switch kind := w.kinds[field]; {
	case strings.HasSuffix(field, "_fen"):
		if said := moneyRole(field); said != nil {
			to.special(said, quantity.Fen(n))
			return
		}
		to.numbers = append(to.numbers, quantity.Fen(n))
	case kind == "price":
		to.numbers = append(to.numbers, quantity.Of(quantity.Money, n))
	case kind == "stock":
		to.numbers = append(to.numbers, quantity.Of(quantity.Stock, n))
		if to.stocked == stockUnknown {
			to.stocked = stockNo
			if n > 0 {
				to.stocked = stockYes
			}
		}
	case strings.HasSuffix(field, "_days"):
		to.numbers = append(to.numbers, quantity.Of(quantity.Duration, n*1440))
	case strings.HasSuffix(field, "_h"):
		to.numbers = append(to.numbers, quantity.Of(quantity.Duration, n*60))
	default:
		to.numbers = append(to.numbers, quantity.Of(quantity.Plain, n))
	}
}

// special keeps sums, with what must be said with them, apart from what it costs;
// other numbers of such a text count as any.
func (r *record) special(said *regexp.Regexp, qs ...quantity.Quantity) {
	for _, q := range qs {
		if q.Kind == quantity.Money || q.Kind == quantity.Plain {
			r.roles = append(r.roles, role{q, said})
		} else {
			r.numbers = append(r.numbers, q)
		}
	}
}

// nameFields are the fields that say what something is called.
var nameFields = map[string]bool{"name": true, "name_en": true, "brand": true, "brand_en": true, "shop": true, "shop_en": true}

var offerWords = regexp.MustCompile(`优惠|满减|折扣|打折|特价|秒杀|限时|赠|红包|返现|券|活动|coupon|discount|on sale|offer|gift`)

// says reports whether facts or a result hold the phrase.
func (e *Evidence) says(phrase string) bool {
	phrase = strings.ToLower(phrase)
	return slices.ContainsFunc(e.texts(), func(t string) bool { return strings.Contains(t, phrase) })
}

// offers reports whether a result holds any promotion.
func (e *Evidence) offers() bool {
	return slices.ContainsFunc(e.Results, func(r Result) bool { return r.offers })
}

// looked names the tools whose results were there, for details.
func (e *Evidence) looked() string {
	var names []string
	for _, r := range e.Results {
		if r.Code != "" {
			names = append(names, r.Tool+":"+r.Code)
			continue
		}
		names = append(names, r.Tool)
	}
	return strings.Join(names, ", ")
}

// CitedProducts are the products whose results hold a price, stock or promotion
// that the text states.
func (e *Evidence) CitedProducts(text string) []event.LinkID {
	var out []event.LinkID
	for _, c := range claims(text) {
		for _, rec := range e.records(c) {
			if rec.link != "" && supports(rec, c.Quantity, c.clause) && !slices.Contains(out, rec.link) {
				out = append(out, rec.link)
			}
		}
	}
	return out
}
