package rules

import (
	"fmt"
	"regexp"
	"strings"
)

// corpus is a set of examples compiled against the offered tools.
type corpus struct {
	examples []Example
	phrases  []*phrase
	lex      *lexicon
	events   map[string][]int // room event kind -> examples
	anything []int            // the examples for what nothing else matches
}

// newCorpus compiles the examples whose tool is offered, or that need none.
func newCorpus(examples []Example, tools map[string]*schema) *corpus {
	c := &corpus{events: map[string][]int{}}
	var (
		docs  [][][]token
		feeds = map[*phrase][]token{}
	)
	for _, e := range examples {
		if e.Call != nil && tools[e.Call.Tool] == nil {
			continue
		}
		i := len(c.examples)
		c.examples = append(c.examples, e)
		for _, kind := range e.Event {
			c.events[kind] = append(c.events[kind], i)
		}
		var doc [][]token
		for _, v := range e.Viewer {
			if v == "*" {
				c.anything = append(c.anything, i)
				continue
			}
			p, ts := compilePhrase(v, captureTypes(e, tools))
			if len(ts) == 0 {
				continue
			}
			p.doc, p.talk = i, e.Call == nil
			feeds[p] = ts
			doc = append(doc, ts)
			c.phrases = append(c.phrases, p)
		}
		docs = append(docs, doc)
	}
	c.lex = newLexicon(docs, exampleScoring)
	for _, p := range c.phrases {
		p.ids = c.lex.number(feeds[p])
		p.feats = c.lex.features(p.ids)
	}
	return c
}

// feed is a use of a placeholder in a call's arguments.
type feed struct {
	part   part
	schema *schema
}

// captureTypes finds what each placeholder of the call feeds.
func captureTypes(e Example, tools map[string]*schema) map[string][]feed {
	out := map[string][]feed{}
	if e.Call == nil {
		return out
	}
	var walk func(v any, s *schema)
	walk = func(v any, s *schema) {
		switch v := v.(type) {
		case string:
			parts, err := parseTemplate(v)
			if err == nil && len(parts) == 1 && parts[0].name != "" {
				out[parts[0].name] = append(out[parts[0].name], feed{parts[0], s})
			}
		case []any:
			for _, item := range v {
				if s != nil {
					walk(item, s.Items)
				}
			}
		}
	}
	for name, v := range e.Call.Args {
		walk(v, tools[e.Call.Tool].Properties[name])
	}
	return out
}

// compilePhrase reads one viewer phrase; its ids and features come later, with
// the lexicon.
func compilePhrase(text string, types map[string][]feed) (*phrase, []token) {
	p := &phrase{text: text}
	parts, err := parseTemplate(text)
	if err != nil {
		return p, nil
	}
	var b, literals strings.Builder
	for _, part := range parts {
		if part.name == "" {
			b.WriteString(part.literal)
			literals.WriteString(part.literal)
			continue
		}
		s := newSlot(part.name, types[part.name])
		p.slots = append(p.slots, s)
		if s.typed {
			p.typed++
			b.WriteString(numberSlot)
		} else {
			b.WriteString(textSlot)
		}
	}
	p.language = languageOf(literals.String())
	ts := cut(b.String(), true)
	p.literals = len(ts)
	for _, t := range ts {
		if t.text == numberSlot || t.text == textSlot {
			p.literals--
		}
	}
	if len(ts)-p.literals != len(p.slots) {
		return p, nil // a phrase of nothing but the same slot repeated
	}
	return p, ts
}

func newSlot(name string, feeds []feed) slot {
	s := slot{name: name, accept: func(text string) bool {
		for _, f := range feeds {
			v, ok := f.part.value(func(string) string { return text })
			if _, fits := f.schema.value(v); !ok || !fits {
				return false
			}
		}
		return true
	}}
	for _, f := range feeds {
		s.typed = s.typed || f.schema != nil && (f.schema.number() || f.schema.pattern != nil)
	}
	return s
}

// skillBreak parts the phrases of a description.
var skillBreak = regexp.MustCompile(`[、，,;；|。.:：!！?？"“”'‘’「」『』()（）\n]+`)

// skillCorpus is the phrases of the skills' descriptions, by skill.
type skillCorpus struct {
	lex     *lexicon
	phrases []*phrase
}

// newSkillCorpus makes one document of each skill's description.
func newSkillCorpus(skills []skill) skillCorpus {
	var (
		docs    [][][]token
		phrases []*phrase
		all     [][]token
	)
	for i, sk := range skills {
		var doc [][]token
		for _, text := range skillBreak.Split(sk.description, -1) {
			ts := tokenize(text)
			if len(ts) == 0 {
				continue
			}
			p := &phrase{doc: i, text: text, language: languageOf(text), literals: len(ts)}
			doc, all, phrases = append(doc, ts), append(all, ts), append(phrases, p)
		}
		docs = append(docs, doc)
	}
	lex := newLexicon(docs, skillScoring)
	for i, p := range phrases {
		p.ids = lex.number(all[i])
		p.feats = lex.features(p.ids)
	}
	return skillCorpus{lex, phrases}
}

// parseTools compiles the offered tools' schemas. A schema that cannot be read
// leaves its tool out, and is reported.
func parseTools(tools []Tool) (map[string]*schema, []error) {
	out := map[string]*schema{}
	var errs []error
	for _, t := range tools {
		s, err := parseSchema(t.Function.Parameters)
		if err != nil {
			errs = append(errs, fmt.Errorf("tool %s: %w", t.Function.Name, err))
			continue
		}
		out[t.Function.Name] = s
	}
	return out, errs
}
