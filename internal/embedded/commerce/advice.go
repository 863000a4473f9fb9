package commerce

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"livehost/harness"
	"livehost/streams/event"
)

// skuMatches reports whether the SKU is of the asked kind: each word of the asked
// text is one of the SKU's, so that S is not XS and 40 is not 140.
func skuMatches(asked string, s harness.SKU) bool {
	for _, name := range []string{s.Name, s.NameEN} {
		latin, han := skuWords(name)
		wantLatin, wantHan := skuWords(asked)
		if len(wantLatin)+len(wantHan) == 0 || name == "" {
			continue
		}
		ok := true
		for _, w := range wantLatin {
			ok = ok && slices.Contains(latin, w)
		}
		for _, w := range wantHan {
			ok = ok && slices.ContainsFunc(han, func(h string) bool { return strings.Contains(h, w) })
		}
		if ok {
			return true
		}
	}
	return false
}

// skuFiller are the characters of an asked SKU that name no kind.
const skuFiller = "码号色的款有吗呢"

func skuWords(s string) (latin, han []string) {
	for _, w := range strings.FieldsFunc(separateScripts(normal(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || strings.ContainsRune(skuFiller, r)
	}) {
		if unicode.Is(unicode.Han, []rune(w)[0]) {
			han = append(han, w)
		} else {
			latin = append(latin, w)
		}
	}
	return latin, han
}

// separateScripts puts a space where CJK meets other letters.
func separateScripts(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range s {
		if last != 0 && unicode.Is(unicode.Han, r) != unicode.Is(unicode.Han, last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// measures are the body measures a size chart may ask for.
var measures = []struct {
	arg, zh, en string
	of          func(harness.Size) []int
}{
	{"height_cm", "身高", "height", func(s harness.Size) []int { return s.HeightCM }},
	{"weight_kg", "体重", "weight", func(s harness.Size) []int { return s.WeightKG }},
	{"foot_mm", "脚长", "foot length", func(s harness.Size) []int { return s.FootMM }},
}

func getSizeAdvice(c *call) (fields, *toolError) {
	link := c.str("link_id")
	p, terr := c.listed(link)
	if terr != nil {
		return nil, terr
	}
	f := c.head(event.LinkID(link), p)
	if len(p.SizeChart) == 0 {
		return nil, &toolError{code: codeNotFound, message: "the product has no size chart", more: f}
	}
	var needsZH, needsEN []string
	size := -1
	for _, m := range measures {
		if !slices.ContainsFunc(p.SizeChart, func(s harness.Size) bool { return len(m.of(s)) == 2 }) {
			continue
		}
		v, ok := c.args[m.arg].(float64)
		if !ok {
			needsZH, needsEN = append(needsZH, m.zh), append(needsEN, m.en)
			continue
		}
		i := slices.IndexFunc(p.SizeChart, func(s harness.Size) bool {
			r := m.of(s)
			return len(r) == 2 && float64(r[0]) <= v && v <= float64(r[1])
		})
		if i < 0 {
			f.text("text", "这个身材超出了尺码表，建议问一下客服", "these measures are outside the size chart, please ask customer service")
			return nil, &toolError{code: codeNotFound, message: m.arg + " is outside the size chart", more: f}
		}
		size = max(size, i) // between two sizes the larger one
	}
	if len(needsZH) > 0 {
		f.text("needs", strings.Join(needsZH, "和"), strings.Join(needsEN, " and "))
		return nil, &toolError{code: codeBadArgs, message: "measures are missing: " + strings.Join(needsEN, ", "), more: f}
	}
	name := p.SizeChart[size].Size
	f["size"] = name
	f.text("text", fmt.Sprintf("建议选%s", sizeZH(name)), fmt.Sprintf("size %s should fit", name))
	return f, nil
}

func sizeZH(name string) string {
	if strings.HasSuffix(name, "码") {
		return name
	}
	return name + "码"
}

// regionParts are regions that a policy names together.
var regionParts = map[string][]string{"港澳台": {"香港", "澳门", "台湾", "港澳台"}}

func getShipping(c *call) (fields, *toolError) {
	link, region := c.str("link_id"), c.str("region")
	policy := mostUsed(c.catalog.Shipping, func(s harness.Shipping) int {
		return count(c.catalog.Products, func(p harness.Product) bool { return p.Shipping == s.PolicyID })
	})
	f := fields{"link_id": link}
	f.text("name", "", "")
	if link != "" {
		p, err := c.listed(link)
		if err != nil {
			return nil, err
		}
		policy = c.shippingOf(p)
		f = c.head(event.LinkID(link), p)
	}
	f.text("text", policy.Text, either(policy.TextEN, policy.Text))
	f.text("ships_within", "", "")
	if policy.ShipsWithin > 0 {
		f.text("ships_within", hoursZH(policy.ShipsWithin), hoursEN(policy.ShipsWithin))
	}
	f.text("fee", "包邮", "free shipping")
	switch {
	case policy.FeeFen > 0 && policy.FreeOverFen > 0:
		f.text("fee", fmt.Sprintf("运费%s元，满%s元包邮", yuan(policy.FeeFen), yuan(policy.FreeOverFen)),
			fmt.Sprintf("¥%s shipping, free over ¥%s", yuan(policy.FeeFen), yuan(policy.FreeOverFen)))
	case policy.FeeFen > 0:
		f.text("fee", fmt.Sprintf("运费%s元", yuan(policy.FeeFen)), fmt.Sprintf("¥%s shipping", yuan(policy.FeeFen)))
	}
	f.text("carriers", strings.Join(policy.Carriers, "、"), either(strings.Join(policy.CarriersEN, ", "), strings.Join(policy.Carriers, ", ")))
	f.text("excluded", strings.Join(policy.Excluded, "、"), either(strings.Join(policy.ExcludedEN, ", "), strings.Join(policy.Excluded, ", ")))
	f["region"], f["region_excluded"] = region, false
	if region != "" && excluded(policy, region) {
		f["region_excluded"] = true
		f.text("text", region+"暂时不发货", "we do not ship to "+region+" for now")
	}
	return f, nil
}

func excluded(s harness.Shipping, region string) bool {
	low := normal(region)
	for _, name := range slices.Concat(s.Excluded, s.ExcludedEN) {
		for _, part := range append(regionParts[name], name) {
			if part = normal(part); part != "" && strings.Contains(low, part) {
				return true
			}
		}
	}
	return false
}

func hoursZH(h int64) string {
	if h > 72 && h%24 == 0 {
		return fmt.Sprintf("%d天内", h/24)
	}
	return fmt.Sprintf("%d小时内", h)
}

func hoursEN(h int64) string {
	if h > 72 && h%24 == 0 {
		return fmt.Sprintf("within %d days", h/24)
	}
	return fmt.Sprintf("within %d hours", h)
}
