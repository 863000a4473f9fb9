package harness

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"livehost/streams/event"
)

// Policy is which policy a release is meant for.
type Policy struct {
	Version string `yaml:"version"`
	Route   string `yaml:"route"`
}

// The prompt blocks made per run; a release names them among its blocks without a file.
const (
	BlockSkills       = "skills"
	BlockProductFacts = "product_facts"
	BlockFAQ          = "faq"
	BlockRoomStatus   = "room_status"
)

var dynamicBlocks = []string{BlockSkills, BlockProductFacts, BlockFAQ, BlockRoomStatus}

// Block is one block of the system prompt.
type Block struct {
	Name    string
	Text    string // empty when Dynamic
	Dynamic bool   // made per run
}

// Release is everything a run needs, resolved and checked.
type Release struct {
	ID        string
	Hash      string           // of exactly the bytes that are bound
	Merchant  event.MerchantID // whose overlay is applied; empty: none
	Policy    Policy
	Prompt    []Block // in order
	Compact   []Block // the shorter route; empty when the release has none
	Skills    []*Skill
	Tools     []*Tool
	Hooks     []*Hook
	Catalog   *Catalog
	FAQ       []FAQEntry
	Fallbacks Fallbacks

	index *faqIndex
}

type releaseFile struct {
	ID      string   `yaml:"id"`
	Policy  Policy   `yaml:"policy"`
	Prompt  []string `yaml:"prompt"`
	Skills  []string `yaml:"skills"`
	Tools   []string `yaml:"tools"`
	Hooks   []string `yaml:"hooks"`
	Catalog string   `yaml:"catalog"`
	FAQ     []string `yaml:"faq"`
	Compact struct {
		Prompt []string `yaml:"prompt"`
	} `yaml:"compact"`
}

// manifest is a checked release file, before a merchant's overlay.
type manifest struct {
	releaseFile
	raw []byte
}

// Skill is the release's skill of that name.
func (r *Release) Skill(name string) (*Skill, bool) {
	return find(r.Skills, func(s *Skill) bool { return s.Name == name })
}

// Tool is the release's tool of that name.
func (r *Release) Tool(name string) (*Tool, bool) {
	return find(r.Tools, func(t *Tool) bool { return t.Name == name })
}

// Builtin is the release's tool bound to the built-in of that name.
func (r *Release) Builtin(name string) (*Tool, bool) {
	return find(r.Tools, func(t *Tool) bool { return t.Binding.Kind == BindBuiltin && t.Binding.Name == name })
}

func find[T any](list []*T, ok func(*T) bool) (*T, bool) {
	i := slices.IndexFunc(list, ok)
	if i < 0 {
		return nil, false
	}
	return list[i], true
}

// checkManifest reports every name the release uses that is not there.
func (h *Harness) checkManifest(file string, doc *yamlDoc, m *manifest) error {
	var ps problems
	names := func(path []any, kind string, list []string, there func(string) bool) {
		seen := map[string]bool{}
		for i, name := range list {
			line := doc.line(append(slices.Clone(path), i)...)
			if !there(name) {
				ps.add(file, line, "there is no %s %q", kind, name)
			}
			if seen[name] {
				ps.add(file, line, "%s %q is bound twice", kind, name)
			}
			seen[name] = true
		}
	}
	block := func(name string) bool { return h.prompts[name] != nil || slices.Contains(dynamicBlocks, name) }
	names([]any{"prompt"}, "prompt block", m.Prompt, block)
	names([]any{"compact", "prompt"}, "prompt block", m.Compact.Prompt, block)
	names([]any{"skills"}, "skill", m.Skills, func(n string) bool { return h.skills[n] != nil })
	names([]any{"tools"}, "tool", m.Tools, func(n string) bool { return h.tools[n] != nil })
	names([]any{"hooks"}, "hook", m.Hooks, func(n string) bool { return h.hooks[n] != nil })
	names([]any{"faq"}, "FAQ", m.FAQ, func(n string) bool { return h.faqs[n] != nil })
	names([]any{"catalog"}, "catalogue", []string{m.Catalog}, func(n string) bool { return h.catalogs[n] != nil })
	h.checkReaders(&ps, file, doc, m)
	if len(m.Prompt) == 0 {
		ps.add(file, doc.line("prompt"), "prompt is empty")
	}
	if m.Policy.Version == "" {
		ps.add(file, doc.line("policy"), "policy.version is empty")
	}
	for _, list := range [][]string{m.Prompt, m.Compact.Prompt} {
		if i := slices.IndexFunc(list, func(n string) bool { return slices.Contains(dynamicBlocks, n) }); i >= 0 {
			for _, n := range list[i:] {
				if !slices.Contains(dynamicBlocks, n) {
					ps.add(file, doc.line("prompt"), "block %q comes after %q, which is made per run; constant blocks come first", n, list[i])
				}
			}
		}
	}
	return ps.err()
}

// overlay is what a merchant adds or replaces.
type overlay struct {
	skills    map[string]*Skill
	prompts   map[string][]byte
	faqs      map[string]*faqFile
	fallbacks Fallbacks
	fallRaw   []byte
}

// resolve binds a manifest, with o over the harness's own content when not nil.
func (h *Harness) resolve(m *manifest, merchant event.MerchantID, o *overlay) *Release {
	if o == nil {
		o = &overlay{}
	}
	r := &Release{ID: m.ID, Merchant: merchant, Policy: m.Policy, Fallbacks: h.fallbacks.over(o.fallbacks)}
	sum := newHasher()
	sum.add("release", m.ID, m.raw)
	r.Prompt = h.blocks(sum, m.Prompt, o)
	if len(m.Compact.Prompt) > 0 {
		r.Compact = h.blocks(sum, m.Compact.Prompt, o)
	}
	for _, name := range m.Tools {
		t := h.tools[name]
		r.Tools = append(r.Tools, t)
		sum.add("tool", name, t.raw)
	}
	skills := m.Skills
	if _, ok := r.Builtin(BuiltinLoadSkill); ok { // a release that loads no skills gets none from an overlay
		skills = withNew(m.Skills, o.skills)
	}
	for _, name := range skills {
		s := h.skills[name]
		if over := o.skills[name]; over != nil {
			s = over
		}
		r.Skills = append(r.Skills, s)
		sum.add("skill", name, s.raw)
		for _, file := range s.Resources() {
			sum.add("resource", name+"/"+file, []byte(s.resources[file]))
		}
	}
	for _, name := range m.Hooks {
		r.Hooks = append(r.Hooks, h.hooks[name])
		sum.add("hook", name, h.hooks[name].raw)
	}
	for _, name := range withNew(m.FAQ, o.faqs) {
		f := h.faqs[name]
		if f != nil {
			r.FAQ = mergeFAQ(r.FAQ, f.entries)
			sum.add("faq", name, f.raw)
		}
		if over := o.faqs[name]; over != nil { // entries of the same id are replaced
			r.FAQ = mergeFAQ(r.FAQ, over.entries)
			sum.add("overlay faq", name, over.raw)
		}
	}
	r.Catalog = h.catalogs[m.Catalog]
	sum.add("catalog", m.Catalog, r.Catalog.raw)
	sum.add("fallbacks", "", h.fallbackRaw)
	sum.add("overlay fallbacks", "", o.fallRaw)
	r.Hash = sum.hex()
	r.index = newFAQIndex(r.FAQ)
	return r
}

// blocks resolves block names; an overlay's own blocks follow the last constant one.
func (h *Harness) blocks(sum *hasher, names []string, o *overlay) []Block {
	constant := slices.IndexFunc(names, func(n string) bool { return slices.Contains(dynamicBlocks, n) })
	if constant < 0 {
		constant = len(names)
	}
	added := map[string][]byte{} // new names only: a replaced block is replaced where it is bound
	for name, text := range o.prompts {
		if h.prompts[name] == nil {
			added[name] = text
		}
	}
	ordered := slices.Concat(withNew(names[:constant], added), names[constant:])
	out := make([]Block, 0, len(ordered))
	for _, name := range ordered {
		if slices.Contains(dynamicBlocks, name) {
			out = append(out, Block{Name: name, Dynamic: true})
			continue
		}
		text := h.prompts[name]
		if over := o.prompts[name]; over != nil {
			text = over
		}
		out = append(out, Block{Name: name, Text: blockText(text)})
		sum.add("prompt", name, text)
	}
	return out
}

// withNew is names followed by the overlay's other names, sorted.
func withNew[V any](names []string, over map[string]V) []string {
	out := slices.Clone(names)
	for _, name := range sortedKeys(over) {
		if !slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	return out
}

func mergeFAQ(have, more []FAQEntry) []FAQEntry {
	for _, e := range more {
		if i := slices.IndexFunc(have, func(x FAQEntry) bool { return x.ID == e.ID }); i >= 0 {
			have[i] = e
			continue
		}
		have = append(have, e)
	}
	return have
}

// hasher hashes named byte strings without ambiguity.
type hasher struct {
	h interface {
		Write([]byte) (int, error)
		Sum([]byte) []byte
	}
}

func newHasher() *hasher { return &hasher{sha256.New()} }

func (s *hasher) add(kind, name string, data []byte) {
	for _, part := range [][]byte{[]byte(kind), []byte(name), data} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		_, _ = s.h.Write(n[:])
		_, _ = s.h.Write(part)
	}
}

// hex is the first 16 bytes of the sum: enough for content identity, short in logs.
func (s *hasher) hex() string { return hex.EncodeToString(s.h.Sum(nil)[:16]) }

// String is "id@hash".
func (r *Release) String() string { return fmt.Sprintf("%s@%s", r.ID, r.Hash) }
