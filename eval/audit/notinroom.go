package audit

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"livehost/harness"
	"livehost/streams/event"
)

// Product is what a viewer may name: a link of the shelf and what it is called.
type Product struct {
	Link  event.LinkID
	ID    event.ProductID
	Names []string // names and aliases, in any language
}

// Products are the products of a catalogue.
func Products(c *harness.Catalog) []Product {
	var out []Product
	for _, p := range c.Products {
		out = append(out, Product{Link: p.LinkID, ID: p.ProductID, Names: append([]string{p.Name, p.NameEN}, p.Aliases...)})
	}
	return out
}

// linkNames finds link numbers: 3号链接, 三号链接, 链接3, link 3, #3, and 3号 when
// a question follows, since 27号裤子 is a size.
var linkNames = regexp.MustCompile(`(?i)(\d{1,4}|` + hanNum + `)\s*(?:号链接?|号?链接|号(?:$|[\s,，。.!！?？多少什么怎有还能是几价吗呢可]))|(?:链接|\blink\s*(?:no\.?|number)?|#)\s*(\d{1,4})`)

// namedLinks are the link numbers in a text.
func namedLinks(text string) []event.LinkID {
	var out []event.LinkID
	for _, m := range linkNames.FindAllStringSubmatch(norm.NFKC.String(text), -1) {
		s := m[1] + m[2]
		if n, ok := hanNumber(s); ok {
			s = strconv.FormatInt(n, 10)
		}
		if s = strings.TrimLeft(s, "0"); s != "" {
			out = append(out, event.LinkID(s))
		}
	}
	return out
}

// minName is the shortest product name that counts as naming it, in runes.
const minName = 2

// names reports whether a text contains a product name; a Latin name must be
// whole words.
func names(text, name string) bool {
	text, name = folded(text), folded(name)
	if len([]rune(name)) < minName {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if !(latinAt(text, start-1) && latinAt(text, start)) && !(latinAt(text, end-1) && latinAt(text, end)) {
			return true
		}
		from = start + 1
		for from < len(text) && text[from]&0xC0 == 0x80 {
			from++
		}
	}
}

func latinAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9')
}

// folded is a text for comparison: NFKC, lower case, no spaces next to Chinese.
func folded(s string) string {
	var out []rune
	runes := []rune(strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(s))), " "))
	for i, c := range runes {
		if c == ' ' {
			beforeHan := i > 0 && unicode.Is(unicode.Han, runes[i-1])
			afterHan := i+1 < len(runes) && unicode.Is(unicode.Han, runes[i+1])
			if beforeHan || afterHan {
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// shelf is what a room lists at a moment. Rooms that never said have everything
// of the catalogue on the shelf.
func (v *View) shelf(room event.RoomID, products []Product, atMs int64) map[event.LinkID]Product {
	byLink, byID := map[event.LinkID]Product{}, map[event.ProductID]Product{}
	for _, p := range products {
		byLink[p.Link], byID[p.ID] = p, p
	}
	listed, said := map[event.LinkID]Product{}, false
	for _, e := range v.log.RoomEvents {
		if e.V.RoomID != room || e.V.TimeMs > atMs {
			continue
		}
		switch e.V.Kind {
		case event.ProductListed:
			p, ok := byID[e.V.ProductID]
			if !ok {
				p = byLink[e.V.LinkID]
			}
			listed[e.V.LinkID], said = p, true
		case event.ProductDelisted:
			delete(listed, e.V.LinkID)
			delete(byLink, e.V.LinkID)
		}
	}
	if !said {
		return byLink
	}
	return listed
}

// falseNotInRoom lists the danmaku whose viewers were told that the product is
// not in this room although the text names a listed link or product.
func (v *View) falseNotInRoom(told []event.DanmakuID, products []Product) []Finding {
	var out []Finding
	for _, id := range told {
		f := v.fates[id]
		if f == nil || f.accepted == nil {
			continue
		}
		if what := v.namesListed(f.accepted.V, products); what != "" {
			out = append(out, Finding{Kind: FalseNotInRoom, ID: string(id), What: f.accepted.V.Text + " names " + what})
		}
	}
	return out
}

func (v *View) namesListed(d event.Danmaku, products []Product) string {
	shelf := v.shelf(d.RoomID, products, d.PlatformTimeMs)
	for _, link := range namedLinks(d.Text) {
		if _, ok := shelf[link]; ok {
			return "link " + string(link)
		}
	}
	for _, link := range sortedKeys(shelf) {
		for _, name := range shelf[link].Names {
			if names(d.Text, name) {
				return name + " (link " + string(link) + ")"
			}
		}
	}
	return ""
}
