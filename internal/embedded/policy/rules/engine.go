package rules

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// Engine decides requests. It is safe for concurrent use; it remembers compiled
// examples and schemas by their text, never anything of a conversation.
type Engine struct {
	seed uint64

	mu       sync.Mutex
	sources  map[string]source
	corpora  map[string]*corpus
	toolsets map[string]toolset
	skills   map[string]skillCorpus
}

// source is one parsed examples text.
type source struct {
	examples []Example
	err      error
}

type toolset struct {
	tools map[string]*schema
	err   error
}

// cacheSize bounds each memory; a full one forgets something.
const cacheSize = 256

// corporaSize bounds the compiled corpora, which are a megabyte or two each.
const corporaSize = 24

// NewEngine makes an engine whose choices among alternatives follow seed.
func NewEngine(seed uint64) *Engine {
	return &Engine{seed: seed, sources: map[string]source{}, corpora: map[string]*corpus{}, toolsets: map[string]toolset{}, skills: map[string]skillCorpus{}}
}

// remember gives the value of key, made at most once while it is kept.
func remember[V any](e *Engine, m map[string]V, limit int, key string, make func() V) V {
	e.mu.Lock()
	v, ok := m[key]
	e.mu.Unlock()
	if ok {
		return v
	}
	v = make()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(m) >= limit {
		for old := range m { // any of them
			delete(m, old)
			break
		}
	}
	m[key] = v
	return v
}

// Decide reads the request and says what to do next. The error lists what of the
// harness's text could not be read; the decision is made from the rest.
func (e *Engine) Decide(req Request) (Decision, error) {
	tools, toolsKey, toolsErr := e.toolset(req.Tools)
	d := readDialogue(req.Messages)
	r := readRoom(d.system)
	r.protocol.keepOffered(tools)
	d.readTurns(req.Messages, r.protocol)

	c := composer{room: r, dialogue: d, tools: tools, seed: e.seed}
	if len(d.asks) == 0 {
		return c.silent("nothing_asked", "no danmaku or event in the request"), toolsErr
	}
	if c.finished() {
		return Decision{Trace: "the answer stands"}, toolsErr
	}
	if r.protocol.load.offered() && len(r.skills) > 0 && !c.loadedAny() {
		return c.load(e.skillCorpus(r.skills)), toolsErr
	}
	examples, err := e.corpus(append([]string{d.system}, d.loaded...), tools, toolsKey)
	return c.answer(examples), errors.Join(toolsErr, err)
}

// toolset compiles the tools; key is the same for the same tools.
func (e *Engine) toolset(tools []Tool) (compiled map[string]*schema, key string, err error) {
	var b strings.Builder
	for _, t := range tools {
		b.WriteString(t.Function.Name)
		b.WriteByte(0)
		b.Write(t.Function.Parameters)
		b.WriteByte(0)
	}
	ts := remember(e, e.toolsets, cacheSize, b.String(), func() toolset {
		parsed, errs := parseTools(tools)
		return toolset{parsed, errors.Join(errs...)}
	})
	return ts.tools, b.String(), ts.err
}

func (e *Engine) skillCorpus(skills []skill) skillCorpus {
	var key strings.Builder
	for _, s := range skills {
		key.WriteString(s.description)
		key.WriteByte(0)
	}
	return remember(e, e.skills, cacheSize, key.String(), func() skillCorpus { return newSkillCorpus(skills) })
}

// corpus compiles the examples of all texts together.
func (e *Engine) corpus(texts []string, tools map[string]*schema, toolsKey string) (*corpus, error) {
	var (
		yamls []string
		all   []Example
		errs  []error
	)
	for _, t := range texts {
		yamls = append(yamls, examplesOf(t)...)
	}
	// The same skills loaded in another order are the same corpus.
	slices.Sort(yamls)
	yamls = slices.Compact(yamls)
	for _, y := range yamls {
		s := remember(e, e.sources, cacheSize, y, func() source {
			list, err := readExamples(y)
			return source{list, err}
		})
		if s.err != nil {
			errs = append(errs, s.err)
		}
		all = append(all, s.examples...)
	}
	key := strings.Join(append(yamls, toolsKey), "\x00")
	return remember(e, e.corpora, corporaSize, key, func() *corpus { return newCorpus(all, tools) }), errors.Join(errs...)
}

// examplesOf finds the examples in a block's text or in a tool result, which may
// be JSON that holds the text in some field.
func examplesOf(text string) []string {
	if fields, ok := parseObject(text); ok {
		var out []string
		for _, s := range stringsIn(fields) {
			out = append(out, examplesIn(s)...)
		}
		return out
	}
	return examplesIn(text)
}

// stringsIn are the texts of a JSON value that hold examples.
func stringsIn(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "## Examples") {
			out = append(out, v)
		}
	case map[string]any:
		for _, x := range v {
			out = append(out, stringsIn(x)...)
		}
	case []any:
		for _, x := range v {
			out = append(out, stringsIn(x)...)
		}
	}
	return out
}
