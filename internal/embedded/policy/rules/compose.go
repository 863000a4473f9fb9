package rules

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths of a public reply, by language.
const (
	maxRunesZh = 60
	maxRunesEn = 160
)

// Skill choice.
const (
	intentBonus  = 0.35 // added to a skill whose intents name the danmaku's
	skillAtLeast = 0.35 // the least sum for which a skill is loaded
	goodOther    = 0.4  // share of the best sum from which another is loaded too
	maxSkills    = 3    // skills loaded for one danmaku
)

// composer turns plans into the next turn.
type composer struct {
	room     room
	dialogue dialogue
	tools    map[string]*schema
	seed     uint64
}

// finished says that the last final answer was taken and nothing was said since.
func (c composer) finished() bool { return c.dialogue.attempts > 0 && !c.dialogue.refused }

func (c composer) loadedAny() bool {
	for key := range c.dialogue.made {
		if strings.HasPrefix(key, c.room.protocol.load.tool+" ") {
			return true
		}
	}
	return false
}

// load asks for the skills the danmaku seem to need.
func (c composer) load(skills skillCorpus) Decision {
	var names []string
	for _, a := range c.dialogue.asks {
		for _, name := range c.skillsFor(a, skills) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return c.silent("no_skill_fits", "no skill fits")
	}
	d := Decision{Trace: "skills: " + strings.Join(names, ", ")}
	for _, name := range names {
		d.Calls = append(d.Calls, c.roleCall(c.room.protocol.load, name))
	}
	return d
}

// skillsFor is the skill for one ask, and the next best ones: which skills may
// stand alone and which only add to others is not in the list.
func (c composer) skillsFor(a ask, skills skillCorpus) []string {
	sums := make([]float64, len(c.room.skills))
	text, intent := a.text, a.attrs["intent"]
	if a.kind != "" {
		text, intent = strings.TrimSpace(a.kind+" "+a.text), a.kind
	}
	for _, m := range skills.lex.prepare(text, a.language()).matches(skills.phrases) {
		sums[m.doc] = max(sums[m.doc], m.score)
	}
	order := make([]int, len(sums))
	for i, s := range c.room.skills {
		order[i] = i
		if intent != "" && slices.Contains(s.intents, intent) {
			sums[i] += intentBonus
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case sums[x] > sums[y]:
			return -1
		case sums[x] < sums[y]:
			return 1
		default:
			return 0
		}
	})
	var out []string
	for _, i := range order[:min(maxSkills, len(order))] {
		if sums[i] >= skillAtLeast && sums[i] >= goodOther*sums[order[0]] {
			out = append(out, c.room.skills[i].name)
		}
	}
	return out
}

// answer makes the calls that are still needed, or else the final answer.
func (c composer) answer(examples *corpus) Decision {
	var (
		all   [][]plan
		calls []Call
		trace []string
	)
	for _, a := range c.dialogue.asks {
		ps := examples.plans(a, c.room, c.tools)
		all = append(all, ps)
		if len(ps) == 0 {
			trace = append(trace, fmt.Sprintf("%q: no example", a.text))
			continue
		}
		trace = append(trace, fmt.Sprintf("%q: example at line %d, %.2f", a.text, ps[0].example.Line, ps[0].score))
		if call := ps[0].call; call != nil && !c.wasMade(*call) && !slices.Contains(calls, *call) {
			calls = append(calls, *call)
		}
	}
	d := Decision{Calls: calls}
	if len(calls) == 0 {
		d = c.final(all, examples.generic())
	}
	d.Trace = strings.Join(append(trace, d.Trace), "\n")
	return d
}

func (c *corpus) generic() []*Example {
	var out []*Example
	for _, i := range c.anything {
		out = append(out, &c.examples[i])
	}
	return out
}

func (c composer) wasMade(call Call) bool {
	return c.dialogue.made[callKey(call.Tool, call.Arguments)] != nil
}

// result is what the call gave; nil when the plan needs none.
func (c composer) result(call *Call) *toolResult {
	if call == nil {
		return nil
	}
	if m := c.dialogue.made[callKey(call.Tool, call.Arguments)]; m != nil && m.result != nil {
		return m.result
	}
	return &toolResult{err: errNoResult, fields: map[string]any{}}
}

// candidate is one way to end an ask.
type candidate struct {
	text     string
	private  bool
	silent   string
	handOver string
}

// candidates are the ways to end an ask, in the order they are tried: one of the
// example's replies by the seed, its others from the shortest on, then those of
// the stand-ins that need no further call.
func (c composer) candidates(plans []plan, generic []*Example) []candidate {
	var out []candidate
	for n, p := range plans {
		if n > 0 && p.call != nil && !c.wasMade(*p.call) {
			continue
		}
		result := c.result(p.call)
		if p.missing {
			result = noValue
		}
		v := p.conclude(result, generic)
		if n == 0 && v.empty() && result != nil && result.err != "" {
			return nil // an error nobody has words for; a stand-in would answer something else
		}
		texts := slices.Clone(v.texts)
		if len(texts) > 1 {
			i := c.pick(p, len(texts))
			first := texts[i]
			texts = slices.Delete(texts, i, i+1)
			slices.SortStableFunc(texts, func(a, b string) int {
				return utf8.RuneCountInString(a) - utf8.RuneCountInString(b)
			})
			texts = slices.Insert(texts, 0, first)
		}
		for _, t := range texts {
			out = append(out, candidate{text: t, private: v.private})
		}
		if v.Silent != "" || v.HandOver != "" {
			out = append(out, candidate{silent: v.Silent, handOver: v.HandOver})
		}
	}
	return out
}

// pick chooses among n alternatives; equal questions get equal choices within a run.
func (c composer) pick(p plan, n int) int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00%d", c.seed, c.dialogue.asks[0].id(), p.example.Line)
	if p.call != nil {
		h.Write([]byte(p.call.Arguments))
	}
	return int(h.Sum64() % uint64(n))
}

// ending is the candidate for this attempt; silent after the last one.
func (c composer) ending(plans []plan, generic []*Example) candidate {
	if list := c.candidates(plans, generic); c.dialogue.attempts < len(list) {
		return list[c.dialogue.attempts]
	}
	if c.dialogue.attempts > 0 {
		return candidate{silent: "no_other_answer"}
	}
	return candidate{silent: "no_example_fits"}
}

// group is the asks that get one text.
type group struct {
	candidate
	asks []ask
}

// final makes the final answer of the run.
func (c composer) final(all [][]plan, generic []*Example) Decision {
	var public, private, rest []group
	for i, a := range c.dialogue.asks {
		end := c.ending(all[i], generic)
		to := &rest
		if end.text != "" {
			if to = &public; end.private {
				to = &private
			}
		}
		*to = addAsk(*to, end, a)
	}
	// The largest group is answered in public; equal ones keep their order.
	slices.SortStableFunc(public, func(a, b group) int { return len(b.asks) - len(a.asks) })

	var d Decision
	for _, g := range private {
		d.Calls = append(d.Calls, c.privately(g)...)
	}
	if len(public) == 0 && len(d.Calls) == 0 {
		return c.end(rest)
	}
	left := len(rest) > 0 // only those that want no answer are left
	if len(public) > 0 {
		var whole bool
		d, whole = c.speak(d, public)
		left = left && whole
	}
	if left && d.Content == "" {
		d.Calls = append(d.Calls, c.end(rest).Calls...)
	}
	return d
}

func addAsk(groups []group, end candidate, a ask) []group {
	for i := range groups {
		if groups[i].candidate == end {
			groups[i].asks = append(groups[i].asks, a)
			return groups
		}
	}
	return append(groups, group{end, []ask{a}})
}

func (c composer) privately(g group) []Call {
	var out []Call
	for _, a := range g.asks {
		out = append(out, c.roleCall(c.room.protocol.private, a.id(), g.text))
	}
	return out
}

// speak adds the public answer to d: the content in single mode, a call in multi
// mode, with the other groups in private or in the same sentence while it is
// short. whole is false when a group found no place.
func (c composer) speak(d Decision, public []group) (out Decision, whole bool) {
	p := c.room.protocol
	text, covers := public[0].text, public[0].asks
	multi := c.room.status["mode"] == "multi" && p.public.offered()
	whole = true
	for _, g := range public[1:] {
		if p.private.offered() {
			d.Calls = append(d.Calls, c.privately(g)...)
			continue
		}
		both, ok := join(text, g.text)
		if !ok || !multi {
			whole = false
			continue
		}
		text, covers = both, append(slices.Clone(covers), g.asks...)
	}
	switch {
	case !multi && len(d.Calls) == 0:
		d.Content = text
	case !p.public.offered():
		d.Calls = append(d.Calls, c.privately(public[0])...)
	default:
		d.Calls = slices.Insert(d.Calls, 0, c.roleCall(p.public, text, ids(covers)))
	}
	return d, whole
}

func ids(asks []ask) []string {
	out := []string{}
	for _, a := range asks {
		if a.id() != "" {
			out = append(out, a.id())
		}
	}
	return out
}

// join puts two texts of one language into one while it stays short enough.
func join(a, b string) (string, bool) {
	lang := languageOf(a)
	if lang != languageOf(b) {
		return a, false
	}
	sep, limit := "；", maxRunesZh
	if lang != "zh" {
		sep, limit = " ", maxRunesEn
	} else {
		a = strings.TrimRight(a, "。！!，,～~")
	}
	both := a + sep + b
	return both, utf8.RuneCountInString(both) <= limit
}

// end says nothing, or hands over when an example asks for it. A role that takes
// a danmaku is called for each; one that does not takes whoever is left, so it is
// called once.
func (c composer) end(rest []group) Decision {
	p := c.room.protocol
	var d Decision
	seen := map[string]bool{}
	// Where one takes whoever is left, a complaint must not be taken for noise.
	slices.SortStableFunc(rest, func(a, b group) int { return strings.Compare(b.handOver, "") - strings.Compare(a.handOver, "") })
	for _, g := range rest {
		r, reason := p.silent, g.silent
		if g.handOver != "" {
			if reason = g.handOver; p.handOver.offered() {
				r = p.handOver
			}
		}
		switch {
		case !r.offered():
		case len(r.params) > 1:
			for _, a := range g.asks {
				d.Calls = append(d.Calls, c.roleCall(r, reason, a.id()))
			}
		case !seen[r.tool]:
			seen[r.tool] = true
			d.Calls = append(d.Calls, c.roleCall(r, reason))
		}
	}
	d.Trace = "nothing to say"
	return d
}

// silent says nothing, with a reason the tool's schema takes.
func (c composer) silent(reason, trace string) Decision {
	r := c.room.protocol.silent
	if !r.offered() {
		return Decision{Trace: trace}
	}
	return Decision{Calls: []Call{c.roleCall(r, reason)}, Trace: trace}
}

// roleCall calls a role's tool with values in the protocol's order. A text an enum
// refuses becomes the enum's last value.
func (c composer) roleCall(r role, values ...any) Call {
	args := map[string]any{}
	for i, v := range values {
		if i >= len(r.params) {
			break
		}
		s := c.tools[r.tool].Properties[r.params[i]]
		if text, ok := v.(string); ok && s != nil && len(s.Enum) > 0 {
			if _, fits := s.value(text); !fits {
				v = s.Enum[len(s.Enum)-1]
			}
		}
		args[r.params[i]] = v
	}
	return Call{Tool: r.tool, Arguments: encode(args)}
}
