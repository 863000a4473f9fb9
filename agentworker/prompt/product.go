package prompt

import (
	"fmt"
	"strings"

	"livehost/harness"
	"livehost/streams/event"
)

// productKey is a product at a link, told in a language.
type productKey struct {
	product *harness.Product
	link    event.LinkID
	lang    string
}

// productText is what is known of a product: as an element of the prompt, and as
// evidence.
type productText struct {
	element string
	known   ProductFacts
}

// ProductFacts are the facts of one product as a prompt shows them.
type ProductFacts struct {
	Link  event.LinkID
	Names []string // in Chinese, and in English where it has one
	Text  string   // unescaped, its name first, one fact a line
}

// productText renders a product once; the catalogue does not change.
func (b *Builder) productText(key productKey) productText {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t, ok := b.product[key]; ok {
		return t
	}
	name := key.product.Name
	if key.lang == "en" && key.product.NameEN != "" {
		name = key.product.NameEN
	}
	lines := factLines(key.product, key.lang)
	var el strings.Builder
	fmt.Fprintf(&el, "<product link=\"%s\" name=\"%s\">\n", escape(string(key.link)), escape(name))
	for _, line := range lines {
		el.WriteString("- " + escape(line) + "\n")
	}
	el.WriteString("</product>")
	t := productText{element: el.String(), known: ProductFacts{
		Link: key.link, Names: []string{key.product.Name, key.product.NameEN}, Text: strings.Join(append([]string{name}, lines...), "\n"),
	}}
	b.product[key] = t
	return t
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
			out = append(out, key+oneLine(value))
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
