package guardrail

import (
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
	"livehost/streams/event"
)

// subject is a product that evidence is about, and what replies call it.
type subject struct {
	link  event.LinkID
	name  string
	calls []string // lower case: its name, the end of its name, the same in English
}

// part is a text of evidence and the product it is about; neither link nor name: none.
type part struct {
	link event.LinkID
	name string
	text string // lower case
	qs   []quantity.Quantity
}

// other reports whether something about the product of this link and name is about
// another one than s.
func (s subject) other(link event.LinkID, name string) bool {
	if link != "" && s.link != "" {
		return link != s.link
	}
	return name != "" && s.name != "" && name != s.name
}

// AddProduct adds the facts that the prompt gave of one product, one a line; names are
// what it is called, one at least.
func (e *Evidence) AddProduct(link event.LinkID, names []string, text string) {
	e.meet(link, names...)
	p := part{link: link, name: names[0]}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if e.watch(line) {
			continue
		}
		qs := quantity.Read(line)
		p.qs = append(p.qs, qs...)
		e.addPeriods("", line, qs)
		b.WriteString(strings.ToLower(line))
	}
	if p.text = b.String(); slices.ContainsFunc(e.told, func(have part) bool { return have.link == link && have.text == p.text }) {
		return // told again: another route
	}
	e.told = append(e.told, p)
	e.facts = append(e.facts, p.qs...)
}

// meet remembers what a product is called.
func (e *Evidence) meet(link event.LinkID, names ...string) {
	at := slices.IndexFunc(e.subjects, func(s subject) bool { return s.link == link && (link != "" || s.name == names[0]) })
	if at < 0 {
		if link == "" && names[0] == "" {
			return
		}
		at = len(e.subjects)
		e.subjects = append(e.subjects, subject{link: link})
		if e.Aliases != nil {
			names = append(names, e.Aliases(link, names[0])...)
		}
	}
	s := &e.subjects[at]
	set(&s.name, names[0])
	for _, name := range names {
		for _, call := range callsOf(strings.ToLower(name)) {
			if !slices.Contains(s.calls, call) {
				s.calls = append(s.calls, call)
			}
		}
	}
}

// vague ends of English names are ordinary words too: a face wash.
var vague = strings.Fields("wash light pack with plus size free")

// callsOf are a name and its end, by which a product is called: 羊毛围巾 is 围巾, a
// light jacket the jacket.
func callsOf(name string) []string {
	runes := []rune(name)
	if len(runes) < 2 {
		return nil
	}
	out := []string{name}
	switch words := strings.Fields(name); {
	case len(runes) > 2 && isHan(runes[len(runes)-1]) && isHan(runes[len(runes)-2]):
		out = append(out, string(runes[len(runes)-2:]))
	case len(words) > 1 && len(words[len(words)-1]) > 2 && !slices.Contains(vague, words[len(words)-1]):
		out = append(out, words[len(words)-1])
	}
	return out
}

// beside stands before the name of a product that something else is set beside.
var beside = []string{"比", "除了", "搭配", "than ", "than the ", "with the "}

// named are the products that a text speaks of by name.
func (e *Evidence) named(text string) []subject {
	text = strings.ToLower(text)
	var out []subject
	var longest []string
	for i, s := range e.subjects {
		call := ""
		for _, c := range s.calls {
			if len(c) > len(call) && e.callsOnly(i, c) && spoken(text, c) {
				call = c
			}
		}
		if call != "" {
			out, longest = append(out, s), append(longest, call)
		}
	}
	for i := len(out) - 1; i >= 0; i-- { // 棉帽 in 羊毛棉帽
		if slices.ContainsFunc(longest, func(l string) bool { return l != longest[i] && strings.Contains(l, longest[i]) }) {
			out, longest = slices.Delete(out, i, i+1), slices.Delete(longest, i, i+1)
		}
	}
	return out
}

// callsOnly reports whether no other product is called the same.
func (e *Evidence) callsOnly(i int, call string) bool {
	for j, s := range e.subjects {
		if j != i && slices.Contains(s.calls, call) {
			return false
		}
	}
	return true
}

// spoken reports whether a text in lower case names a product as what it speaks of.
func spoken(text, call string) bool {
	at := wordAt(text, call)
	return at >= 0 && !slices.ContainsFunc(beside, func(b string) bool { return strings.HasSuffix(text[:at], b) })
}

// spokenOf is the one product that the end of a text speaks of: that its last clause
// names, else the clause nearest before it in the sentence. False: none, or several.
func (e *Evidence) spokenOf(text string) (subject, bool) {
	if len(e.subjects) == 0 {
		return subject{}, false
	}
	if at := sentenceEnd.FindAllStringIndex(text, -1); at != nil {
		text = text[at[len(at)-1][1]:]
	}
	clauses := clauseEnd.Split(text, -1)
	for _, clause := range slices.Backward(clauses) {
		found := e.named(clause)
		for _, q := range quantity.Read(clause) {
			if link := linkOf(q); q.Kind == quantity.Link && !slices.ContainsFunc(found, func(s subject) bool { return s.link == link }) {
				found = append(found, e.linked(link))
			}
		}
		if len(found) > 0 {
			return found[0], len(found) == 1
		}
	}
	return subject{}, false
}

func (e *Evidence) linked(link event.LinkID) subject {
	for _, s := range e.subjects {
		if s.link == link {
			return s
		}
	}
	return subject{link: link}
}

// subjectOf is the one product that a claim is about.
func (e *Evidence) subjectOf(c claim) (subject, bool) {
	clauses := clauseEnd.Split(c.before, -1) // a link named in an earlier one is not this one's
	hasLink := func(q quantity.Quantity) bool { return q.Kind == quantity.Link }
	switch found := e.named(c.subject); {
	case len(found) == 1 && (c.link == "" || !slices.ContainsFunc(quantity.Read(clauses[len(clauses)-1]), hasLink)):
		return found[0], true
	case c.link != "":
		return e.linked(c.link), true
	case len(found) > 0:
		return subject{}, false
	}
	return e.spokenOf(c.before)
}

// on is the evidence for what stands in a text up to the end of the clause at a place:
// where it speaks of one product, what is known of others says nothing.
func (e *Evidence) on(text string, at int) *Evidence {
	if len(e.subjects) == 0 {
		return e
	}
	if end := clauseEnd.FindStringIndex(text[at:]); end != nil {
		text = text[:at+end[0]]
	}
	if s, ok := e.spokenOf(text); ok {
		return e.only(s)
	}
	return e
}

// only is the evidence without what is about other products. It is not to be added to.
func (e *Evidence) only(s subject) *Evidence {
	if !slices.ContainsFunc(e.subjects, func(o subject) bool { return s.other(o.link, o.name) }) {
		return e
	}
	out := *e
	out.told, out.Results = nil, nil
	out.facts = slices.Clone(e.shared)
	for _, p := range e.told {
		if !s.other(p.link, p.name) {
			out.told, out.facts = append(out.told, p), append(out.facts, p.qs...)
		}
	}
	for _, r := range e.Results {
		r.records = slices.DeleteFunc(slices.Clone(r.records), func(rec record) bool { return s.other(rec.link, rec.name) })
		if slices.ContainsFunc(r.parts, func(p part) bool { return s.other(p.link, p.name) }) {
			var text strings.Builder
			for _, p := range r.parts {
				if !s.other(p.link, p.name) {
					text.WriteString(p.text)
				}
			}
			r.text = text.String()
		}
		out.Results = append(out.Results, r)
	}
	return &out
}
