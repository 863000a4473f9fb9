package rules

import (
	"cmp"
	"slices"
	"strings"
)

// plan is how one ask is treated: the example, what it captured and its call.
type plan struct {
	ask     ask
	example *Example
	values  lookup // captures, attributes of the ask, room status
	call    *Call  // nil when the example needs none
	score   float64
	missing bool // the call cannot be made: a placeholder of it has no value
}

// maxPlans is how many examples are kept for one ask: the best and its stand-ins.
const maxPlans = 4

// plans are the examples that apply to the ask, best first.
func (c *corpus) plans(a ask, r room, tools map[string]*schema) []plan {
	var (
		out     []plan
		missing plan // the best one that cannot make its call
	)
	add := func(i int, captures map[string]string, score float64, sure bool) {
		e := &c.examples[i]
		for _, p := range out {
			if p.example == e {
				return
			}
		}
		p := plan{ask: a, example: e, score: score, values: func(name string) string {
			for _, from := range []map[string]string{captures, a.attrs, r.status} {
				if v := from[name]; v != "" {
					return v
				}
			}
			return ""
		}}
		if e.Private && !r.protocol.private.offered() {
			return // nobody may hear it
		}
		if len(out) < maxPlans && p.bind(tools) {
			out = append(out, p)
		} else if missing.example == nil && sure {
			p.call, p.missing = nil, true
			missing = p
		}
	}
	if a.kind != "" {
		for _, i := range c.events[a.kind] {
			add(i, nil, 1, false)
		}
		return out
	}
	for _, m := range c.lex.prepare(a.text, a.language()).matches(c.phrases) {
		add(m.doc, m.captures, m.score, len(m.slots) == m.typed)
	}
	// Of two that fit about as well, facts say more than a question back.
	slices.SortStableFunc(out, func(x, y plan) int { return cmp.Compare(y.worth(), x.worth()) })
	if c.asksBack(missing, out) {
		return []plan{missing}
	}
	if len(out) == 0 {
		for _, i := range c.anything {
			if !c.examples[i].empty() {
				add(i, nil, 0, false)
			}
		}
	}
	return out
}

// asksBack, of a phrase without free captures, says that the ask is so much better understood by an example that cannot
// make its call than by all that can, that the viewer is better asked for what is
// missing, where there are words for that.
func (c *corpus) asksBack(missing plan, bound []plan) bool {
	if missing.example == nil || missing.score < sureScore || (len(bound) > 0 && bound[0].score > missing.score-muchBetter) {
		return false
	}
	return !missing.conclude(noValue, c.generic()).empty()
}

const (
	sureScore  = 0.65 // the least score of an example to ask back for it
	muchBetter = 0.12 // how much better it must be than one that can make its call
)

// callBonus is what having a tool to ask is worth against a better wording.
const callBonus = 0.03

func (p plan) worth() float64 {
	if p.call != nil {
		return p.score + callBonus
	}
	return p.score
}

// bind fills the arguments of the example's call; false when a placeholder has no
// value or the tool's schema refuses one.
func (p *plan) bind(tools map[string]*schema) bool {
	inv := p.example.Call
	if inv == nil {
		return true
	}
	s := tools[inv.Tool]
	args := map[string]any{}
	for name, v := range inv.Args {
		if args[name] = fillArg(v, s.Properties[name], p.values); args[name] == nil {
			return false
		}
	}
	for _, name := range s.Required {
		if _, ok := args[name]; !ok {
			return false
		}
	}
	p.call = &Call{Tool: inv.Tool, Arguments: encode(args)}
	return true
}

// fillArg fills one argument, nil when it has no value.
func fillArg(v any, s *schema, values lookup) any {
	switch v := v.(type) {
	case string:
		parts, err := parseTemplate(v)
		if err != nil {
			return nil
		}
		text, ok := fill(parts, values)
		if !ok {
			return nil
		}
		out, ok := s.value(text)
		if !ok {
			return nil
		}
		return out
	case []any:
		var items *schema
		if s != nil {
			items = s.Items
		}
		out := make([]any, len(v))
		for i, item := range v {
			if out[i] = fillArg(item, items, values); out[i] == nil {
				return nil
			}
		}
		return out
	default:
		return v
	}
}

// verdict is what a plan comes to once its result is there.
type verdict struct {
	Answer
	texts   []string // the replies that can be filled, in the example's order
	private bool
}

// conclude applies the first branch that holds, and fills the replies; those in
// the asker's language if there are any. generic
// are the examples whose branches serve an error the example says nothing about.
func (p plan) conclude(result *toolResult, generic []*Example) verdict {
	v := verdict{Answer: p.example.Answer, private: p.example.Private}
	if b := p.branch(p.example.When, result); b != nil {
		v.Answer = b.Answer
	} else if result != nil && result.err != "" {
		v.Answer = Answer{}
		for _, e := range generic {
			if b := p.branch(e.When, result); b != nil {
				v.Answer = b.Answer
				break
			}
		}
	}
	for _, r := range inLanguage(v.Reply, p.ask.language()) {
		if parts, err := parseTemplate(r); err == nil {
			if text, ok := fill(parts, p.withResult(result)); ok {
				v.texts = append(v.texts, strings.TrimSpace(text))
			}
		}
	}
	v.texts = inLanguage(v.texts, p.ask.language()) // a reply that is all placeholder
	return v
}

// inLanguage keeps the texts of the language, or all when there is none of it.
func inLanguage(list []string, lang string) []string {
	var out []string
	for _, s := range list {
		if languageOf(stripPlaceholders(s)) == lang {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

func (p plan) branch(branches []Branch, result *toolResult) *Branch {
	for i, b := range branches {
		_, onError := b.If["error"]
		holds := onError == (result != nil && result.err != "")
		for path, want := range b.If {
			holds = holds && p.holds(path, want, result)
		}
		if holds {
			return &branches[i]
		}
	}
	return nil
}

// holds compares one condition: the error code, or a result path, with one of the
// wanted texts.
func (p plan) holds(path string, want texts, result *toolResult) bool {
	if path == "error" {
		for _, w := range want {
			if result != nil && result.err != "" && (w == result.err || w == "*") {
				return true
			}
		}
		return false
	}
	if result == nil {
		return false
	}
	got := result.field(strings.TrimPrefix(path, "result."))
	for _, w := range want {
		if strings.EqualFold(w, got) {
			return true
		}
	}
	return false
}

// withResult adds {result.path} to the plan's values.
func (p plan) withResult(result *toolResult) lookup {
	return func(name string) string {
		if path, ok := strings.CutPrefix(name, "result."); ok {
			if result == nil {
				return ""
			}
			return result.field(path)
		}
		return p.values(name)
	}
}
