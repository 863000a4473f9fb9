package audit

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// names reports whether a text names the product called name: a Latin name in
// whole words, and not as part of a longer name that is another product's
// (抗皱面膜, 面膜刷, a silk pillow). A qualifier that stands in own, the product's
// names, makes no other product of it.
func names(text, name string, own ...string) bool {
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
		cutsWord := latinAt(text, start-1) && latinAt(text, start) || latinAt(text, end-1) && latinAt(text, end)
		if !cutsWord && !qualified(text[:start], own) && !continued(text[end:]) {
			return true
		}
		from = start + 1
		for from < len(text) && text[from]&0xC0 == 0x80 {
			from++
		}
	}
}

// Words that stand around a product's name without making another product of it.
var (
	askBefore = strings.Fields("有 没 要 想 买 来 上 看 讲 的 个 款 那 这 是 问 播 板 宝 姐 哥 家 们 你 我 他 她 天 在 还 和 跟 与 号 接 少 几 荐 绍 么 抽 吗 呢 啊 呀 了 吧 不 下 点 件 盒 瓶 双 条 给 把 叫 卖 就 拍 求 说 双 份 只")
	askAfter  = strings.Fields("吗 呢 啊 呀 吧 的 了 有 还 没 多 怎 什 几 在 能 会 可 好 是 哪 价 呗 哦 嘛 么 上 补 号 链 今 现 卖 贵 便 送 不 要 买 适 敏 来 吃 用 穿 讲 和 跟 与")
	askWords  = strings.Fields("a an the of your our this that these those any some my for is are was link have has got sell see show me want need on to get buy one another more and or with about how much what price")
)

// qualified says that what stands before a name makes it another product's.
func qualified(before string, own []string) bool {
	rest := []rune(strings.TrimRight(before, " "))
	if len(rest) == 0 {
		return false
	}
	last := rest[len(rest)-1]
	if unicode.Is(unicode.Han, last) {
		if slices.Contains(askBefore, string(last)) {
			return false
		}
		tail := string(rest[max(0, len(rest)-2):])
		return !slices.ContainsFunc(own, func(n string) bool { return strings.Contains(folded(n), tail) })
	}
	words := strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Han, r) })
	if len(words) == 0 || !unicode.IsLetter(last) {
		return false
	}
	word := words[len(words)-1]
	return !slices.Contains(askWords, word) && !slices.ContainsFunc(own, func(n string) bool { return strings.Contains(folded(n), word) })
}

// continued says that the name goes on after its end.
func continued(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return unicode.Is(unicode.Han, r) && !slices.Contains(askAfter, string(r))
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
// not in this room although the text names a listed link or product, and were not
// offered that one either (not the big pearl necklace, but 43, the necklace).
func (v *View) falseNotInRoom(told []Key, products []Product) []Finding {
	var out []Finding
	for _, key := range told {
		f := v.fates[key]
		if f == nil || f.accepted == nil {
			continue
		}
		if what := v.namesListed(f, products); what != "" {
			out = append(out, Finding{Kind: FalseNotInRoom, ID: string(key.ID), What: f.accepted.V.Text + " names " + what})
		}
	}
	return out
}

func (v *View) namesListed(f *fate, products []Product) string {
	d := f.accepted.V
	shelf := v.shelf(d.RoomID, products, d.PlatformTimeMs)
	for _, link := range namedLinks(d.Text) {
		if p, ok := shelf[link]; ok && !f.offered(p) {
			return "link " + string(link)
		}
	}
	for _, link := range sortedKeys(shelf) {
		if f.offered(shelf[link]) {
			continue
		}
		for _, name := range shelf[link].Names {
			if names(d.Text, name, shelf[link].Names...) {
				return name + " (link " + string(link) + ")"
			}
		}
	}
	return ""
}

// offered reports whether the viewer heard of the product's link.
func (f *fate) offered(p Product) bool {
	link := regexp.QuoteMeta(string(p.Link))
	mention := regexp.MustCompile(`(?i)(?:^|\D)` + link + `\s*号|\blink\s*(?:no\.?|number)?\s*` + link + `\b`)
	return slices.ContainsFunc(f.heard, func(u *utterance) bool { return mention.MatchString(u.Text) })
}
