package prompt

import (
	"fmt"
	"slices"
	"strings"

	"livehost/harness"
	"livehost/streams/event"
)

// parts are the pieces of one run's prompt; drop takes them away one by one.
type parts struct {
	w           *event.Window
	languages   []string // of the askers, sorted
	status      string
	focused     []productText
	named       []productText
	seen        map[*harness.Product]bool
	faq         []harness.FAQEntry
	host        []string
	turns       []event.Turn
	shortSkills bool
}

// shortSkill is how long a skill's description is when the budget is short.
const shortSkill = 80

// drop takes away the least needed piece that is there and names it; "" when
// nothing more may go.
func (p *parts) drop() string {
	switch {
	case len(p.turns) > 0:
		p.turns = nil
		return "dialogue"
	case len(p.host) > 0:
		p.host = nil
		return "host_utterances"
	case len(p.faq) > 0:
		p.faq = nil
		return harness.BlockFAQ
	case len(p.named) > 0:
		p.named = nil
		return "named_links"
	case len(p.focused) > 0:
		p.focused = nil
		return "focus_links"
	case !p.shortSkills:
		p.shortSkills = true
		return "skill_descriptions"
	default:
		return ""
	}
}

// gather collects what the release's blocks want to know for the window.
func (b *Builder) gather(w *event.Window, wants func(string) bool) *parts {
	p := &parts{w: w, seen: map[*harness.Product]bool{}, status: status(w), host: w.Context.HostUtterances, turns: turns(w)}
	for _, m := range w.Members {
		if !slices.Contains(p.languages, m.Language) {
			p.languages = append(p.languages, m.Language)
		}
	}
	if len(p.languages) == 0 {
		p.languages = []string{language(w)}
	}
	slices.Sort(p.languages)
	if wants(harness.BlockProductFacts) {
		b.products(p)
	}
	if wants(harness.BlockFAQ) {
		for _, m := range w.Members {
			for _, e := range b.release.SearchFAQ(question(m), b.cfg.MaxFAQ) {
				if len(p.faq) < b.cfg.MaxFAQ && !slices.ContainsFunc(p.faq, func(x harness.FAQEntry) bool { return x.ID == e.ID }) {
					p.faq = append(p.faq, e)
				}
			}
		}
	}
	return p
}

// turns are the earlier turns that this window may know: a private answer is shown to
// the viewer who got it alone.
func turns(w *event.Window) []event.Turn {
	return slices.DeleteFunc(slices.Clone(w.Context.Dialogue), func(t event.Turn) bool {
		return t.Private && t.ViewerID != w.OnlyViewer()
	})
}

// products finds the products in focus at the comments' times and the links that
// the comments name.
func (b *Builder) products(p *parts) {
	add := func(to *[]productText, link event.LinkID) {
		if link == "" || len(p.seen) >= b.cfg.MaxProducts {
			return
		}
		prod, ok := b.release.Catalog.ByLink(link)
		if link == p.w.Context.FocusLink && p.w.Context.FocusProduct != "" {
			prod, ok = b.release.Catalog.ByID(p.w.Context.FocusProduct)
		}
		if !ok || p.seen[prod] {
			return
		}
		p.seen[prod] = true
		for _, lang := range p.languages {
			*to = append(*to, b.productText(productKey{prod, link, lang}))
		}
	}
	for _, m := range p.w.Members {
		add(&p.focused, m.FocusLink)
	}
	for _, m := range p.w.Members {
		for _, link := range namedLinks(question(m)) {
			add(&p.named, link)
		}
	}
	if p.w.Event != nil {
		add(&p.focused, p.w.Context.FocusLink)
	}
}

// question is what a member asks: normalised where there is something left of it.
func question(m event.Member) string {
	if m.Question != "" {
		return m.Question
	}
	return m.Text
}

func language(w *event.Window) string {
	for _, l := range []string{w.Context.Settings.Language, w.Language} {
		if l != "" {
			return l
		}
	}
	return "zh"
}

// status is the room status block. A key without a value is left out.
func status(w *event.Window) string {
	mode := w.Mode
	if mode == "" || w.Kind == event.EventWindow {
		mode = event.Single
	}
	lines := []string{"mode: " + string(mode), "language: " + escape(language(w))}
	if w.Context.FocusLink != "" {
		lines = append(lines, "focus_link_id: "+escape(string(w.Context.FocusLink)))
	}
	if w.Context.ListedLinks > 0 {
		lines = append(lines, fmt.Sprintf("listed_links: %d", w.Context.ListedLinks))
	}
	if name := escape(w.Context.Settings.HostName); name != "" {
		lines = append(lines, "host_name: "+name)
	}
	return strings.Join(lines, "\n")
}

// productFacts is the product_facts block.
func (p *parts) productFacts() string {
	var out []string
	for _, t := range slices.Concat(p.focused, p.named) {
		out = append(out, t.element)
	}
	return strings.Join(out, "\n")
}

// faqText is the faq block.
func (p *parts) faqText() string {
	var out []string
	for _, e := range p.faq {
		for _, lang := range p.languages {
			out = append(out, fmt.Sprintf(`<qa question="%s">%s</qa>`, escape(e.Question[0]), escape(e.Text(lang))))
		}
	}
	return strings.Join(out, "\n")
}

// products are what the block of product facts says.
func (p *parts) products() []ProductFacts {
	var out []ProductFacts
	for _, t := range slices.Concat(p.focused, p.named) {
		out = append(out, t.known)
	}
	return out
}

// answers is what the FAQ block says, unescaped.
func (p *parts) answers() string {
	var out []string
	for _, e := range p.faq {
		out = append(out, oneLine(e.Answer))
		if e.AnswerEN != "" {
			out = append(out, oneLine(e.AnswerEN))
		}
	}
	return strings.Join(out, "\n")
}
