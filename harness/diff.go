package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"livehost/streams/event"
)

// Change is one thing that a release binds differently in another content.
type Change struct {
	Release  string
	Merchant event.MerchantID // empty: without overlay
	Kind     string           // release, policy, prompt order, prompt, compact prompt, skill, resource, tool, hook, faq, catalog, fallbacks
	Name     string
	What     string // added, removed or changed; "a -> b" for short values
}

// String is the change on one line.
func (c Change) String() string {
	where := c.Release
	if c.Merchant != "" {
		where += " for " + string(c.Merchant)
	}
	return strings.Join(slices.DeleteFunc([]string{where + ":", c.Kind, c.Name, c.What}, func(s string) bool { return s == "" }), " ")
}

// Diff is everything that the releases of two contents bind differently, sorted by
// release. Overlays are only compared where both have the release.
func Diff(before, after *Harness) []Change {
	keys := map[releaseKey]bool{}
	for k := range before.releases {
		keys[k] = true
	}
	for k := range after.releases {
		keys[k] = true
	}
	var out []Change
	for k := range keys {
		a, b := before.releases[k], after.releases[k]
		switch {
		case a == nil:
			out = append(out, Change{k.id, k.merchant, "release", "", "added"})
		case b == nil:
			out = append(out, Change{k.id, k.merchant, "release", "", "removed"})
		default:
			out = append(out, releaseDiff(k, a, b)...)
		}
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Release, b.Release), cmp.Compare(a.Merchant, b.Merchant), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func releaseDiff(k releaseKey, before, after *Release) []Change {
	a, b := before.parts(), after.parts()
	var out []Change
	add := func(p part, what string) {
		out = append(out, Change{k.id, k.merchant, p.kind, p.name, what})
	}
	for p, was := range a {
		is, ok := b[p]
		switch {
		case !ok:
			add(p, "removed")
		case is != was && p.short():
			add(p, was+" -> "+is)
		case is != was:
			add(p, "changed")
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			add(p, "added")
		}
	}
	return out
}

// part names one thing that a release binds.
type part struct{ kind, name string }

// short says that the values are worth showing.
func (p part) short() bool { return p.kind == "policy" || p.kind == "prompt order" }

// parts are the contents of everything the release binds.
func (r *Release) parts() map[part]string {
	out := map[part]string{
		{"policy", ""}:              r.Policy.Version + " " + r.Policy.Route,
		{"catalog", ""}:             string(r.Catalog.raw),
		{"fallbacks", ""}:           fmt.Sprint(r.Fallbacks),
		{"prompt order", ""}:        blockNames(r.Prompt),
		{"prompt order", "compact"}: blockNames(r.Compact),
	}
	for kind, blocks := range map[string][]Block{"prompt": r.Prompt, "compact prompt": r.Compact} {
		for _, bl := range blocks {
			out[part{kind, bl.Name}] = bl.Text
		}
	}
	for _, s := range r.Skills {
		out[part{"skill", s.Name}] = string(s.raw)
		for _, file := range s.Resources() {
			out[part{"resource", s.Name + "/" + file}] = s.resources[file]
		}
	}
	for _, t := range r.Tools {
		out[part{"tool", t.Name}] = string(t.raw)
	}
	for _, h := range r.Hooks {
		out[part{"hook", h.Name}] = string(h.raw)
	}
	for _, e := range r.FAQ {
		out[part{"faq", e.ID}] = fmt.Sprint(e)
	}
	return out
}

func blockNames(blocks []Block) string {
	var names []string
	for _, bl := range blocks {
		names = append(names, bl.Name)
	}
	return "[" + strings.Join(names, " ") + "]"
}
