package harness

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"livehost/streams/event"
)

// Harness is the checked content of one harness folder.
type Harness struct {
	skills      map[string]*Skill
	prompts     map[string][]byte
	hooks       map[string]*Hook
	tools       map[string]*Tool
	catalogs    map[string]*Catalog
	faqs        map[string]*faqFile
	fallbacks   Fallbacks
	fallbackRaw []byte
	manifests   map[string]*manifest
	overlays    map[event.MerchantID]*overlay

	releases map[releaseKey]*Release
}

type releaseKey struct {
	id       string
	merchant event.MerchantID
}

// Known is what content is checked against that is not in its folder.
type Known struct {
	Compile func(*Hook) error // says what is wrong with the condition of a hook that is well-formed; nil: nobody asks
	Intents []string          // that danmaku may have; nil: any
}

// checkIntents reports intents that nothing has. A window of a room event has its kind in
// the place of an intent.
func (k Known) checkIntents(ps *problems, file string, line int, of string, intents ...string) {
	if k.Intents == nil {
		return
	}
	have := slices.Concat(k.Intents, eventKinds)
	for _, intent := range intents {
		if !slices.Contains(have, intent) {
			ps.add(file, line, "%s: there is no intent %q; there is %s", of, intent, strings.Join(have, ", "))
		}
	}
}

// Load reads and checks a harness folder, against what is known if that is given. Its
// error lists every Problem.
func Load(fsys fs.FS, known ...Known) (*Harness, error) {
	l := &loader{fsys: fsys}
	if len(known) > 0 {
		l.known = known[0]
	}
	h := &Harness{
		skills:    l.loadSkills("skills"),
		prompts:   l.loadPrompts("prompts"),
		hooks:     loadAll(l, "hooks", ".yaml", compiled(l.known.Compile)),
		tools:     loadAll(l, "tools", ".yaml", parseTool),
		catalogs:  loadAll(l, "catalog", ".json", parseCatalogFile),
		faqs:      loadAll(l, "faq", ".yaml", parseFAQFile),
		manifests: map[string]*manifest{},
		overlays:  map[event.MerchantID]*overlay{},
	}
	h.fallbacks, h.fallbackRaw = l.loadFallbacks(path.Join("prompts", fallbacksFile), true)
	for _, merchant := range l.dirs("overlays") {
		h.overlays[event.MerchantID(merchant)] = l.loadOverlay(path.Join("overlays", merchant))
	}
	l.ps.addErr(h.checkAllExamples())
	loadAll(l, "releases", ".yaml", func(file, stem string, data []byte) (*manifest, error) {
		m, err := h.parseManifest(file, stem, data)
		if err == nil {
			h.manifests[stem] = m
		}
		return m, err
	})
	if len(h.manifests) == 0 && len(l.ps.list) == 0 {
		l.ps.add("releases", 0, "there is no release; a harness needs at least one")
	}
	if err := l.ps.err(); err != nil {
		return nil, err
	}
	h.resolveAll()
	return h, nil
}

func (h *Harness) resolveAll() {
	h.releases = map[releaseKey]*Release{}
	for id, m := range h.manifests {
		h.releases[releaseKey{id: id}] = h.resolve(m, "", nil)
		for merchant, o := range h.overlays {
			h.releases[releaseKey{id, merchant}] = h.resolve(m, merchant, o)
		}
	}
}

// BoundHash is the content hash of a release, as it is or for one merchant.
type BoundHash struct {
	Release  string
	Merchant event.MerchantID // empty: without overlay
	Hash     string
}

// Hashes are the hashes of all releases and their overlays, sorted.
func (h *Harness) Hashes() []BoundHash {
	var out []BoundHash
	for _, id := range h.Releases() {
		for _, merchant := range append([]event.MerchantID{""}, h.Merchants()...) {
			r := h.releases[releaseKey{id, merchant}]
			out = append(out, BoundHash{id, merchant, r.Hash})
		}
	}
	return out
}

// UseCatalog is h with every release bound to c instead of its own catalogue.
func (h *Harness) UseCatalog(c *Catalog) *Harness {
	out := *h
	out.catalogs = maps.Clone(h.catalogs)
	out.catalogs[c.CatalogID] = c
	out.manifests = map[string]*manifest{}
	for id, m := range h.manifests {
		bound := *m
		bound.Catalog = c.CatalogID
		out.manifests[id] = &bound
	}
	out.resolveAll()
	return &out
}

// Releases are the ids of the releases, sorted.
func (h *Harness) Releases() []string { return sortedKeys(h.manifests) }

// Merchants are the merchants with an overlay, sorted.
func (h *Harness) Merchants() []event.MerchantID { return sortedKeys(h.overlays) }

// Release is the release without any merchant's overlay.
func (h *Harness) Release(id string) (*Release, error) { return h.ForMerchant(id, "") }

// ForMerchant is the release with the merchant's overlay, or as it is when the
// merchant has none.
func (h *Harness) ForMerchant(id string, merchant event.MerchantID) (*Release, error) {
	if r := h.releases[releaseKey{id, merchant}]; r != nil {
		return r, nil
	}
	if r := h.releases[releaseKey{id: id}]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("harness: there is no release %q; there is %s", id, strings.Join(h.Releases(), ", "))
}

func (h *Harness) parseManifest(file, stem string, data []byte) (*manifest, error) {
	m := &manifest{raw: data}
	doc, err := decodeYAML(file, data, &m.releaseFile)
	if err != nil {
		return nil, err
	}
	var ps problems
	if m.ID != stem {
		ps.add(file, doc.line("id"), "id %q is not the file's name %q", m.ID, stem)
	}
	ps.addErr(h.checkManifest(file, doc, m))
	return m, ps.err()
}

// loadAll parses every file with the extension in dir, by stem.
func loadAll[T any](l *loader, dir, ext string, parse func(file, stem string, data []byte) (*T, error)) map[string]*T {
	out := map[string]*T{}
	for _, file := range l.files(dir, ext) {
		data, ok := l.read(file)
		if !ok {
			continue
		}
		stem := strings.TrimSuffix(path.Base(file), ext)
		v, err := parse(file, stem, data)
		l.ps.addErr(err)
		out[stem] = v // kept when wrong, so that names that use it are not reported too
		if v == nil {
			out[stem] = new(T)
		}
	}
	return out
}

func (l *loader) loadSkills(dir string) map[string]*Skill {
	out := map[string]*Skill{}
	for _, name := range l.dirs(dir) {
		file := path.Join(dir, name, "SKILL.md")
		data, ok := l.read(file)
		if !ok {
			continue
		}
		s, err := parseSkill(file, name, data, l.known)
		l.ps.addErr(err)
		if s == nil {
			s = &Skill{raw: data}
		}
		s.resources = l.loadResources(path.Join(dir, name))
		l.checkReferences(path.Join(dir, name), s)
		out[name] = s
	}
	return out
}

func (l *loader) loadPrompts(dir string) map[string][]byte {
	out := map[string][]byte{}
	for _, file := range l.files(dir, ".md", fallbacksFile) {
		data, ok := l.read(file)
		if !ok {
			continue
		}
		name := strings.TrimSuffix(path.Base(file), ".md")
		switch {
		case slices.Contains(dynamicBlocks, name):
			l.ps.add(file, 0, "block %q is made per run and cannot have a file", name)
		case !identifier.MatchString(name):
			l.ps.add(file, 0, "block name %q is not 1 to 64 letters, digits, _ or -", name)
		case !utf8.Valid(data):
			l.ps.add(file, 0, "is not UTF-8 text")
		case blockText(data) == "":
			l.ps.add(file, 0, "the block is empty")
		}
		out[name] = data
	}
	return out
}

func (l *loader) loadFallbacks(file string, required bool) (Fallbacks, []byte) {
	data, err := fs.ReadFile(l.fsys, file)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil, nil
	}
	if err != nil {
		l.ps.add(file, 0, "cannot be read: %v", err)
		return nil, nil
	}
	f, err := parseFallbacks(file, data, required, l.known)
	l.ps.addErr(err)
	return f, data
}

func (l *loader) loadOverlay(dir string) *overlay {
	l.only(dir, "skills", "prompts", "faq")
	o := &overlay{
		skills:  l.loadSkills(path.Join(dir, "skills")),
		prompts: l.loadPrompts(path.Join(dir, "prompts")),
		faqs:    loadAll(l, path.Join(dir, "faq"), ".yaml", parseFAQFile),
	}
	o.fallbacks, o.fallRaw = l.loadFallbacks(path.Join(dir, "prompts", fallbacksFile), false)
	return o
}

func parseCatalogFile(file, stem string, data []byte) (*Catalog, error) {
	c, err := ParseCatalog(file, data)
	if err == nil && c.CatalogID != stem {
		err = Problem{file, 1, fmt.Sprintf("catalog_id %q is not the file's name %q", c.CatalogID, stem)}
	}
	return c, err
}

func parseFAQFile(file, _ string, data []byte) (*faqFile, error) { return parseFAQ(file, data) }

// blockText is a block as the prompt shows it.
func blockText(data []byte) string {
	return strings.TrimSpace(strings.ReplaceAll(string(trimBOM(data)), "\r\n", "\n"))
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
