package commerce

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"livehost/harness"
)

// searchIndex finds products by what viewers call them. A product matches only
// when it explains every word of the query that is not filler, so that what the
// room does not have is not found as something similar.
type searchIndex struct{ docs []searchDoc }

// searchDoc is one product's vocabulary. Strong texts name the product; weak ones
// describe it.
type searchDoc struct {
	product *harness.Product
	strong  vocabulary
	weak    vocabulary   // all of texts
	texts   []vocabulary // one description each
	tokens  map[string]bool
	names   []string // normalised name, aliases, category and brand
	kinds   []string // normalised name and aliases
}

func newSearchIndex(c *harness.Catalog) *searchIndex {
	x := &searchIndex{}
	for i := range c.Products {
		p := &c.Products[i]
		names := slices.Concat([]string{p.Name, p.NameEN, p.Category, p.Brand, p.BrandEN}, p.Aliases, genericNames(p))
		weak := []string{p.SellingPoint, p.SellingPointEN}
		for j, a := range p.Attributes {
			if slices.Contains(handling, a.Key) {
				continue
			}
			weak = append(weak, a.Value)
			if j < len(p.AttributesEN) {
				weak = append(weak, p.AttributesEN[j].Value)
			}
		}
		for _, s := range p.SKUs {
			weak = append(weak, s.Name, s.NameEN)
		}
		d := searchDoc{product: p, strong: newVocabulary(names...), weak: newVocabulary(weak...)}
		for _, t := range weak {
			d.texts = append(d.texts, newVocabulary(t))
		}
		d.tokens = map[string]bool{}
		for _, t := range tokens(normal(strings.Join(slices.Concat(names, weak), " "))) {
			d.tokens[t] = true
		}
		for _, n := range names {
			if n = normal(n); n != "" {
				d.names = append(d.names, n)
			}
		}
		for _, n := range append([]string{p.Name, p.NameEN}, p.Aliases...) {
			if n = normal(n); n != "" {
				d.kinds = append(d.kinds, n)
			}
		}
		x.docs = append(x.docs, d)
	}
	return x
}

// handling are attributes that say how a product is used or kept, not what it is:
// "on dry skin" in a usage note does not make it one for dry skin.
var handling = []string{"使用方法", "储存方法", "洗涤", "保养", "过敏提示", "配件", "卸妆"}

// generic are everyday words for whole categories.
var generic = []struct{ category, words string }{
	{"服装", "衣服 clothes clothing"},
	{"鞋", "鞋 鞋子 shoes"},
	{"食品", "零食 吃的 小吃 食品 snacks food"},
	{"护肤", "护肤品 护肤 化妆品 skincare cosmetics"},
	{"饰品", "首饰 饰品 jewelry jewellery"},
	{"数码", "数码产品 电子产品 electronics gadgets"},
	{"玩具", "玩具 toys"},
}

func genericNames(p *harness.Product) []string {
	var out []string
	for _, g := range generic {
		if strings.Contains(p.Category, g.category) {
			out = append(out, strings.Fields(g.words)...)
		}
	}
	return out
}

// find is the matching products that are allowed, best first; those that match
// far worse than the best are left out.
func (x *searchIndex) find(query string, allowed func(*harness.Product) bool) []*harness.Product {
	q := parseQuery(query)
	type hit struct {
		p     *harness.Product
		score int
	}
	var hits []hit
	for i := range x.docs {
		d := &x.docs[i]
		if score := d.score(q); score > 0 && allowed(d.product) {
			hits = append(hits, hit{d.product, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var out []*harness.Product
	for _, h := range hits {
		if 2*h.score >= hits[0].score {
			out = append(out, h.p)
		}
	}
	return out
}

// similar is an allowed product of the same kind as what the query asks for: one
// whose name or alias ends the query, the longest such name. For
// 姜黄面膜 it is a 面膜, though not that one.
func (x *searchIndex) similar(query string, allowed func(*harness.Product) bool) *harness.Product {
	text := strings.Join(withoutFillerEnd(parseQuery(query).tokens), " ")
	var best *harness.Product
	longest := 0
	for i := range x.docs {
		d := &x.docs[i]
		for _, name := range d.kinds {
			ts := tokens(name)
			if joined := strings.Join(ts, " "); len(joined) > longest && kindLike(ts) && strings.HasSuffix(" "+text, " "+joined) && allowed(d.product) {
				best, longest = d.product, len(joined)
			}
		}
	}
	return best
}

// kindLike says that a name is long enough to tell a kind: one Chinese character
// is not (a 冰鞋 is not like any 鞋).
func kindLike(ts []string) bool { return len(ts) > 1 || len(ts) == 1 && !isHan(ts[0]) }

// withoutFillerEnd cuts what names nothing from the end of a query.
func withoutFillerEnd(ts []string) []string {
	for len(ts) > 0 {
		cut := 0
		for n := min(maxFiller, len(ts)); n > 0 && cut == 0; n-- {
			if filler[strings.Join(ts[len(ts)-n:], " ")] {
				cut = n
			}
		}
		if cut == 0 {
			break
		}
		ts = ts[:len(ts)-cut]
	}
	return ts
}

// coloursOnly says that the query names a colour and nothing that has it.
func coloursOnly(text string) bool {
	if slices.ContainsFunc(metals, func(m string) bool { return strings.Contains(text, m) }) {
		return false
	}
	q := parseQuery(text)
	for _, t := range q.telling {
		if !colours[t] {
			return false
		}
	}
	return len(q.telling) > 0
}

var colours = makeColours("red blue green pink purple orange black white silver gold brown grey gray yellow beige navy burgundy teal color colour " +
	"one 红 蓝 绿 粉 紫 橙 橘 黑 白 银 金 棕 灰 黄 米 杏 咖 色 深 浅")

// metals are written with the characters of colours.
var metals = []string{"黄金", "白金", "白银"}

func makeColours(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// maxQuery caps what is looked at, in characters.
const maxQuery = 40

// query is a normalised query: tokens are single CJK characters and whole words
// of other scripts, so that a match never splits a word.
type query struct {
	tokens  []string
	telling []string // the tokens that are in no filler word: a product must have them all
	need    bool     // asks for a quality ("适合油皮的", "anything for dry skin"), not for a thing
}

func parseQuery(s string) query {
	text := normal(s)
	text = strings.TrimSuffix(text, "不") // 有猫砂不
	q := query{tokens: tokens(text)}
	if len(q.tokens) > maxQuery {
		q.tokens = q.tokens[:maxQuery]
	}
	q.telling = telling(q.tokens)
	bare := strings.TrimRight(text, "吗呢么啊吧呀的 ?？")
	q.need = strings.Contains(text[len(bare):], "的")
	for _, mark := range []string{"适合", "能用", "可以用", " for "} {
		q.need = q.need || strings.Contains(" "+text+" ", mark)
	}
	for _, first := range []string{"anything ", "something "} {
		q.need = q.need || strings.HasPrefix(text, first)
	}
	return q
}

func telling(tokens []string) []string {
	covered := make([]bool, len(tokens))
	for from := range tokens {
		covered[from] = covered[from] || isHeight(tokens[from])
		for to := from + 1; to <= min(len(tokens), from+maxFiller); to++ {
			if filler[strings.Join(tokens[from:to], " ")] {
				for i := from; i < to; i++ {
					covered[i] = true
				}
			}
		}
	}
	var out []string
	for i, t := range tokens {
		if !covered[i] {
			out = append(out, t)
		}
	}
	return out
}

// isHeight says that a token is somebody's height in cm: it says for whom, not what.
func isHeight(t string) bool {
	return len(t) == 3 && t >= "140" && t <= "199" && strings.Trim(t, "0123456789") == ""
}

// maxFiller is the tokens of the longest filler word.
const maxFiller = 3

// filler are words of a query that name nothing; a query may hold any of them.
var filler = makeFiller(`请问 主播 你们 你家 咱家 我们 有没有 有木有 有无 有 没有 没 吗 么 呢 啊 吧 呀 哦 哈 想要 想买 我要 我想 要买 买 要 想 一下 一款 这款 那款 哪款 款
一个 一件 一双 个 卖不卖 卖 推荐 介绍 看看 看 讲讲 讲 链接 几号 多少 钱 怎么卖 什么价 价格 上架 上 可以 能 用 使用 适合 的 哪个 哪里 在哪 找 求 来 类 品 那个 这个 这 那 今天 现在
直播间 店里 家里 家 还 我 你 他 她 人 给 和 跟 是 什么 东西 商品 宝贝 产品 号 同款 小姐姐 亲 姐妹 姐姐 老板 帮 下
do you have any a an the is are there for with of in your this room shop some something anything please i want to buy need looking show me what which one can get sell got that good it recommend product on my u ur hi host`)

func makeFiller(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[strings.Join(tokens(w), " ")] = true
	}
	return m
}

// maxSegment bounds the tokens of one piece of a query.
const maxSegment = 12

// score is how well the product explains the query, 0 when it does not explain
// all of it: by its names and one description. Words scattered over several
// descriptions do not add up.
func (d *searchDoc) score(q query) int {
	for _, t := range q.telling { // the cheap no for most products
		if !d.tokens[t] {
			return 0
		}
	}
	if d.explain(q, d.weak) == 0 {
		return 0
	}
	best := d.explain(q, "")
	for _, text := range d.texts {
		if len(q.telling) == 0 || slices.ContainsFunc(q.telling, func(t string) bool { return strings.Contains(string(text), " "+t+" ") }) {
			best = max(best, d.explain(q, text))
		}
	}
	return best
}

// explain scores the query against the names and the weak text. The last piece of
// the query says what kind of thing is asked for and must end a name of the
// product (blueberry gummies are no blueberries, 银耳钉 no 银耳), unless the query
// asks for a quality.
func (d *searchDoc) explain(q query, weak vocabulary) int {
	const impossible = -1
	n := len(q.tokens)
	// best[i][seen]: the best score of tokens[:i]; seen says whether a piece after
	// i was explained by the product.
	best := make([][2]int, n+1)
	best[0] = [2]int{0, 0}
	for i := 1; i <= n; i++ {
		best[i] = [2]int{impossible, impossible}
		for from := max(0, i-maxSegment); from < i; from++ {
			piece := q.tokens[from:i]
			value, naming := d.piece(piece, weak)
			skip := filler[strings.Join(piece, " ")] || len(piece) == 1 && isHeight(piece[0])
			for seen := range 2 {
				if skip && best[from][seen] >= 0 {
					best[i][seen] = max(best[i][seen], best[from][seen])
				}
				if value > 0 && (seen == 1 || naming || q.need) && best[from][1] >= 0 {
					best[i][seen] = max(best[i][seen], best[from][1]+value)
				}
			}
		}
	}
	score := best[n][0]
	if score <= 0 {
		return 0
	}
	whole := strings.Join(q.tokens, " ")
	for _, name := range d.names {
		joined := strings.Join(tokens(name), " ")
		if joined == whole {
			score += 200
		} else if strings.Contains(" "+whole+" ", " "+joined+" ") {
			score += 20
		}
	}
	return score
}

// piece values a piece of a query; naming ones end a name of the product. One CJK
// character alone must be a whole name of it.
func (d *searchDoc) piece(piece []string, weak vocabulary) (value int, naming bool) {
	weight := len(piece) * len(piece)
	if len(piece) == 1 && isHan(piece[0]) {
		if slices.Contains(d.names, piece[0]) {
			return 3, true
		}
		return 0, false
	}
	switch {
	case d.strong.has(piece):
		return 3 * weight, d.strong.ends(piece)
	case weak.has(piece):
		return weight, false
	default:
		return 0, false
	}
}

// vocabulary is texts as token sequences in which pieces are looked up.
type vocabulary string

func newVocabulary(texts ...string) vocabulary {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(" " + strings.Join(tokens(normal(t)), " ") + " \x00")
	}
	return vocabulary(b.String())
}

// denials turn what follows them into its opposite.
var denials = []string{"不 ", "无 ", "非 ", "没 有 ", "不 含 ", "no ", "not ", "free of "}

// has reports whether a text holds the piece, and not only denied.
func (v vocabulary) has(piece []string) bool {
	needle := " " + strings.Join(piece, " ") + " "
	text := string(v)
	for at := 0; ; {
		i := strings.Index(text[at:], needle)
		if i < 0 {
			return false
		}
		before := text[:at+i+1]
		if !slices.ContainsFunc(denials, func(d string) bool { return strings.HasSuffix(before, " "+d) }) {
			return true
		}
		at += i + 1
	}
}

// ends reports whether a text ends with the piece.
func (v vocabulary) ends(piece []string) bool {
	return strings.Contains(string(v), " "+strings.Join(piece, " ")+" \x00")
}

// normal is the form in which texts are compared: NFKC, lower case.
func normal(s string) string { return strings.ToLower(strings.TrimSpace(norm.NFKC.String(s))) }

// tokens splits a normalised text into single CJK characters and words of other
// scripts, these without a plural s.
func tokens(s string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, singular(string(word)))
			word = word[:0]
		}
	}
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = append(word, r)
		case r == '\'' || r == '’': // men's is men
			word = append(word, '\'')
		default:
			flush()
		}
	}
	flush()
	return out
}

func singular(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

func isHan(s string) bool {
	for _, r := range s {
		return unicode.Is(unicode.Han, r)
	}
	return false
}
