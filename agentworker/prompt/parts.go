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
	w          *event.Window
	languages  []string // of the askers, sorted
	status     string
	focused    []*harness.Product
	named      []*harness.Product
	links      map[*harness.Product]event.LinkID
	faq        []harness.FAQEntry
	host       []string
	turns      []event.Turn
	skillChars int // 0: whole descriptions
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
	case p.skillChars == 0:
		p.skillChars = shortSkill
		return "skill_descriptions"
	default:
		return ""
	}
}

// gather collects what the release's blocks want to know for the window.
func (b *Builder) gather(w *event.Window, wants func(string) bool) *parts {
	p := &parts{w: w, links: map[*harness.Product]event.LinkID{}, status: status(w), host: w.Context.HostUtterances, turns: w.Context.Dialogue}
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

// products finds the products in focus at the comments' times and the links that
// the comments name.
func (b *Builder) products(p *parts) {
	add := func(to *[]*harness.Product, link event.LinkID) {
		if link == "" || len(p.links) >= b.cfg.MaxProducts {
			return
		}
		prod, ok := b.release.Catalog.ByLink(link)
		if link == p.w.Context.FocusLink && p.w.Context.FocusProduct != "" {
			prod, ok = b.release.Catalog.ByID(p.w.Context.FocusProduct)
		}
		if _, have := p.links[prod]; !ok || have {
			return
		}
		p.links[prod] = link
		*to = append(*to, prod)
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

// factLines are what is known of a product in one language. No price, stock or
// promotion: they change while the prompt does not.
func factLines(p *harness.Product, lang string) []string {
	en := lang == "en"
	pick := func(zh, english string) string {
		if en && english != "" {
			return english
		}
		return zh
	}
	label := func(zh, english string) string {
		if en {
			return english + ": "
		}
		return zh + "："
	}
	var out []string
	add := func(key, value string) {
		if value != "" {
			out = append(out, key+value)
		}
	}
	add(label("品牌", "brand"), pick(p.Brand, p.BrandEN))
	add(label("品类", "category"), pick(p.Category, p.CategoryEN))
	add(label("卖点", "selling point"), pick(p.SellingPoint, p.SellingPointEN))
	attributes := p.Attributes
	if en && len(p.AttributesEN) > 0 {
		attributes = p.AttributesEN
	}
	for _, a := range attributes {
		add(label(a.Key, a.Key), a.Value)
	}
	var names, sizes []string
	for _, s := range p.SKUs {
		names = append(names, pick(s.Name, s.NameEN))
	}
	for _, s := range p.SizeChart {
		sizes = append(sizes, sizeText(s, en))
	}
	add(label("规格选项", "options"), strings.Join(names, pick("、", ", ")))
	add(label("尺码表", "size chart"), strings.Join(sizes, pick("；", "; ")))
	return out
}

func sizeText(s harness.Size, en bool) string {
	text := s.Size
	for _, r := range []struct {
		zh, en, unitZH, unitEN string
		of                     []int
	}{
		{"身高", "height", "厘米", " cm", s.HeightCM},
		{"体重", "weight", "公斤", " kg", s.WeightKG},
		{"脚长", "foot", "毫米", " mm", s.FootMM},
	} {
		if len(r.of) != 2 {
			continue
		}
		if en {
			text += fmt.Sprintf(" %s %d-%d%s", r.en, r.of[0], r.of[1], r.unitEN)
		} else {
			text += fmt.Sprintf(" %s%d-%d%s", r.zh, r.of[0], r.of[1], r.unitZH)
		}
	}
	return text
}

// productFacts is the product_facts block.
func (p *parts) productFacts() string {
	var out []string
	for _, prod := range slices.Concat(p.focused, p.named) {
		for _, lang := range p.languages {
			name := prod.Name
			if lang == "en" && prod.NameEN != "" {
				name = prod.NameEN
			}
			out = append(out, fmt.Sprintf(`<product link="%s" name="%s">`, escape(string(p.links[prod])), escape(name)))
			for _, line := range factLines(prod, lang) {
				out = append(out, "- "+escape(line))
			}
			out = append(out, "</product>")
		}
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

// facts is what the two blocks say, unescaped.
func (p *parts) facts() string {
	var out []string
	for _, prod := range slices.Concat(p.focused, p.named) {
		out = append(out, prod.Name, prod.NameEN)
		for _, lang := range p.languages {
			out = append(out, factLines(prod, lang)...)
		}
	}
	for _, e := range p.faq {
		out = append(out, e.Answer, e.AnswerEN)
	}
	return strings.Join(slices.DeleteFunc(out, func(s string) bool { return s == "" }), "\n")
}
