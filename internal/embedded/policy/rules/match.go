package rules

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

func splitFields(s string) iter.Seq[string] { return strings.FieldsSeq(s) }

// scoring is how a match of a phrase and a text is weighed.
type scoring struct {
	phraseShare float64 // worth of a phrase that is wholly in the text; the rest is that of a text wholly explained by the phrase
	leastPhrase float64 // the least share of the phrase that must be in the text
	leastText   float64 // the least share of the text that must be explained
	leftover    float64 // taken off for each number the phrase does not use
	least       float64 // the least score that is a match
	anyNumber   bool    // numbers are all alike
}

// share joins how much of the phrase is in the text and how much of the text is
// explained; negative when too little of it is.
func (s scoring) share(phrase, text float64) float64 {
	if text < s.leastText || phrase < s.leastPhrase {
		return -1
	}
	return s.phraseShare*phrase + (1-s.phraseShare)*text
}

var (
	// An example must explain the text: what it leaves out may be the point.
	exampleScoring = scoring{phraseShare: 0.4, leastPhrase: 0.48, leastText: 0.35, leftover: 0.3, least: 0.47}
	// A skill's phrase need only be in the text.
	skillScoring = scoring{phraseShare: 0.7, leastPhrase: 0.65, least: 0.45, anyNumber: true}
)

const (
	captureNew      = 0.7  // how much of a captured word counts as explained when no phrase has it
	captureKnown    = 0.15 // the same when some phrase says it literally
	wholePhrase     = 0.25 // taken off for each capture that is a whole phrase by itself
	otherLanguage   = 0.8  // factor when asker and phrase differ in language
	bareShort       = 0.55 // score of a phrase that is nothing but a free capture, for a text of a few words
	bareLong        = 0.48 // the same for a longer text, which is seldom a name
	nameTokens      = 6    // as many tokens a name commonly has; what a capture holds beyond is not explained
	maxCaptureRunes = 20
)

// slot is a capture of a phrase. typed slots take one token that accept likes;
// the others take a stretch of text.
type slot struct {
	name   string
	typed  bool
	accept func(text string) bool
}

// phrase is one compiled viewer phrase of a document.
type phrase struct {
	doc      int
	text     string
	ids      []int32
	slots    []slot // in the order of the slot ids in ids
	typed    int
	talk     bool // its example makes no call: a number in a capture need not be understood
	literals int
	language string
	feats    features
}

// match is a phrase that fits a text, with what it captured.
type match struct {
	*phrase
	score    float64
	captures map[string]string
}

// text is an asker's text, numbered for one lexicon.
type askText struct {
	lex      *lexicon
	tokens   []token
	ids      []int32
	language string
	denied   []int               // tokens that a denial turns round, unless the text asks
	memo     map[uint64]features // by the set of tokens taken as numbers
}

func (l *lexicon) prepare(text, language string) *askText {
	ts := tokenize(text)
	t := &askText{lex: l, tokens: ts, ids: l.number(ts), language: language, memo: map[uint64]features{}}
	if !strings.ContainsAny(text, "?？吗么嘛") {
		t.denied = deniedIn(ts)
	}
	return t
}

// matches gives every acceptable match, best first. Ties go to the phrase with
// more literal text, then to the earlier one.
func (t *askText) matches(phrases []*phrase) []match {
	var out []match
	if len(t.tokens) == 0 {
		return nil
	}
	for _, p := range phrases {
		if m, ok := t.match(p); ok && m.score >= t.lex.least {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int {
		switch {
		case a.score > b.score+1e-9:
			return -1
		case b.score > a.score+1e-9:
			return 1
		default:
			return b.literals - a.literals
		}
	})
	return out
}

// match finds the best way to read the text as the phrase.
func (t *askText) match(p *phrase) (match, bool) {
	best := match{phrase: p, score: -1}
	if t.turns(p) {
		return best, false
	}
	chosen := make([]int, 0, p.typed)
	var choose func(slot, from int)
	choose = func(s, from int) {
		for s < len(p.slots) && !p.slots[s].typed {
			s++
		}
		if s == len(p.slots) {
			if score, captures := t.read(p, chosen); score > best.score {
				best.score, best.captures = score, captures
			}
			return
		}
		for i := from; i < len(t.tokens); i++ {
			if _, ok := typedValue(t.tokens[i], p.slots[s]); ok && t.standsAlone(i, p) {
				chosen = append(chosen, i)
				choose(s+1, i+1)
				chosen = chosen[:len(chosen)-1]
			}
		}
	}
	choose(0, 0)
	return best, best.score >= 0
}

// standsAlone says that token i is a value by itself: what is written to it, as in
// 13T or 165cm, and a measure word, as in 三盒, must be words of the phrase.
func (t *askText) standsAlone(i int, p *phrase) bool {
	if t.tokens[i].joined && i > 0 && !slices.Contains(p.ids, t.ids[i-1]) {
		return false
	}
	return i+1 == len(t.tokens) || !(t.tokens[i+1].joined || measures[t.tokens[i+1].text]) || slices.Contains(p.ids, t.ids[i+1])
}

// measures after a number make it a quantity.
var measures = newSet("盒 件 个 瓶 包 袋 双 条 斤 箱 罐 片 支 只 份 套 桶 枚 粒 颗 根 台 对 单 岁 天 块 元 码")

// typedValue is the token as a value of a typed slot: as a number, then as written
// in capitals (sizes), then as it is.
func typedValue(t token, s slot) (string, bool) {
	if t.number != "" {
		return t.number, s.accept(t.number)
	}
	if !isLatin(t.text) {
		return "", false
	}
	if up := strings.ToUpper(t.text); s.accept(up) {
		return up, true
	}
	return t.text, s.accept(t.text)
}

// read scores the text against the phrase with the chosen tokens as its typed
// captures; the score is negative when the phrase does not fit.
func (t *askText) read(p *phrase, chosen []int) (float64, map[string]string) {
	captures := map[string]string{}
	ids, n := t.ids, 0
	var set uint64
	if len(chosen) > 0 {
		ids = slices.Clone(t.ids)
		for _, s := range p.slots {
			if s.typed {
				i := chosen[n]
				captures[s.name], _ = typedValue(t.tokens[i], s)
				ids[i], set, n = numberID, set|1<<i, n+1
			}
		}
	}
	var score float64
	if len(p.slots) > p.typed {
		if score = t.readFree(p, ids, captures); score < 0 {
			return score, nil
		}
	} else {
		f, ok := t.memo[set]
		if !ok {
			f = t.lex.features(ids)
			t.memo[set] = f
		}
		m, literal := common(p.feats, f)
		if !literal && p.literals > 0 {
			return -1, nil
		}
		score = t.lex.share(m/p.feats.total, m/f.total)
	}
	for i, tok := range t.tokens {
		if tok.sure && ids[i] != numberID && !slices.Contains(p.ids, t.ids[i]) && !(p.talk && holds(captures, tok.text)) {
			score -= t.lex.leftover
		}
	}
	if p.language != "" && t.language != "" && p.language != t.language {
		score *= otherLanguage
	}
	return max(score, -1), captures
}

// holds says that a capture is this text.
func holds(captures map[string]string, text string) bool {
	for _, c := range captures {
		if c == text {
			return true
		}
	}
	return false
}

// readFree aligns the phrase's literal stretches with the text, in order, and
// takes what lies between as the free captures.
func (t *askText) readFree(p *phrase, ids []int32, captures map[string]string) float64 {
	if p.literals == 0 && p.typed == 0 {
		return t.readBare(p, ids, captures)
	}
	var (
		replaced []int32 // the text with textID for each capture
		hidden   float64 // weight of what the captures hold
		explains float64 // how much of it counts as explained
		asked    float64 // taken off for captures that are questions of their own
		at       int
		free     = freeSlots(p)
	)
	segments := splitIDs(p.ids)
	for k, seg := range segments {
		found := len(ids) // a capture that ends the phrase takes the rest
		if len(seg) > 0 || k == 0 {
			if found = indexIDs(ids, seg, at, k > 0); found < 0 {
				return -1
			}
		}
		if k == 0 {
			if len(seg) == 1 && len(segments) > 1 && found > 0 && !t.opens(found) {
				return -1
			}
			replaced = append(replaced, ids[:found]...)
		} else {
			if !t.capture(free[k-1], at, found, captures) {
				return -1
			}
			if t.lex.whole[idKey(ids[at:found])] {
				asked += wholePhrase
			}
			for i, id := range ids[at:found] {
				share := captureNew
				switch {
				case p.talk && t.tokens[at+i].sure:
					share = 1
				case i >= nameTokens:
					share = 0
				case id >= 0:
					share = captureKnown
				}
				hidden += t.lex.weight(id)
				explains += share * t.lex.weight(id)
			}
			replaced = append(replaced, textID)
		}
		replaced = append(replaced, seg...)
		at = found + len(seg)
	}
	replaced = append(replaced, ids[at:]...)
	f := t.lex.features(replaced)
	m, _ := common(p.feats, f)
	return t.lex.share(m/p.feats.total, (m+explains)/(f.total+hidden)) - asked
}

// readBare reads a phrase that is nothing but one capture: a bare name.
func (t *askText) readBare(p *phrase, ids []int32, captures map[string]string) float64 {
	if len(p.slots) > 1 || !t.capture(p.slots[0], 0, len(ids), captures) {
		return -1
	}
	if len(ids) <= nameTokens {
		return bareShort
	}
	return bareLong
}

// opens says that the one word before a capture is where it can be a verb of its
// own: at the start, after words that say little (上面膜吗, 主播上面膜吗, but not
// 晚上买行吗), or such a word itself.
func (t *askText) opens(at int) bool {
	if w := t.tokens[at].text; isLatin(w) || functionWords[w] {
		return true
	}
	for _, tok := range t.tokens[:at] {
		if !functionWords[tok.text] {
			return false
		}
	}
	return true
}

func freeSlots(p *phrase) []slot {
	var out []slot
	for _, s := range p.slots {
		if !s.typed {
			out = append(out, s)
		}
	}
	return out
}

// splitIDs cuts a phrase at its free slots.
func splitIDs(ids []int32) [][]int32 {
	out := [][]int32{nil}
	for _, id := range ids {
		if id == textID {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], id)
	}
	return out
}

// indexIDs is where seg begins in ids, at from or later; gap asks for at least
// one token before it.
func indexIDs(ids, seg []int32, from int, gap bool) int {
	if gap {
		from++
	}
	for i := from; i+len(seg) <= len(ids); i++ {
		if slices.Equal(ids[i:i+len(seg)], seg) {
			return i
		}
	}
	return -1
}

// isQuantity says that text is a number and a measure word, as 四盒 is.
func isQuantity(text string) bool {
	rest := strings.TrimLeft(text, "0123456789"+hanNumerals)
	return rest != text && measures[rest]
}

// capture takes tokens [from, to) as the value of a free slot, without the words
// around a name. Words that stand for something else (这个, what) are no value, nor
// is a single character that the phrases use as a word.
func (t *askText) capture(s slot, from, to int, captures map[string]string) bool {
	if to-from == 1 && t.ids[from] >= firstWordID && !isLatin(t.tokens[from].text) {
		return false
	}
	text := trimWords(joinTokens(t.tokens[from:to]))
	if text == "" || utf8.RuneCountInString(text) > maxCaptureRunes || hasPronoun(text) || isQuantity(text) || !s.accept(text) {
		return false
	}
	captures[s.name] = text
	return true
}

var (
	leadingWords = strings.Fields("这次 这回 该 刚才那个 刚才的 刚才 刚刚那个 刚刚的 请问 主播 老板 宝宝 宝贝 亲 姐姐 姐妹们 姐妹 姐 哥 家人们 你好 您好 那个 这个 那款 这款 这件 那件 那 这 你们家 你们 " +
		"我想要 我想问 我想买 我要 我想 想要 想问 想买 想看 问一下 问下 还有没有 有没有 还有 有 再看看 再看 看看 看一下 看下 想看下 里面的 里面 那种 那么 所以 现在 今天 今晚 晚上 明天 明晚 下午 中午 上午 早上 昨天 待会 等会 一会 先 求 对 讲讲 试试 更 快点 快上 再上 就只有 只有 就")
	trailingWords = strings.Fields("呢 啊 呀 吧 的 了 哦 哇 捏 呗 哟 啦 嘛 现在 今天 到底 大概 一般 后续 可不可以 能不能 可以 还会 是 都 还 不 没 买 穿 在 能")
	leadingEn     = newSet("the a an this that these those your you do does have is are any some can i hi hey hello please pls so and for of")
	pronouns      = strings.Fields("就 不是 这 那 什么 怎么 哪 我 你 他 她 它 吗 为啥 多少")
	pronounsEn    = newSet("it this that these those what whats hows wheres which how why when where who one ones them they you me i u my mine to same more other others another both all")
)

// trimWords drops what commonly stands around a name.
func trimWords(s string) string {
	for again := true; again; {
		again = false
		for _, w := range leadingWords {
			if rest, ok := strings.CutPrefix(s, w); ok {
				s, again = strings.TrimSpace(rest), true
			}
		}
		for _, w := range trailingWords {
			if rest, ok := strings.CutSuffix(s, w); ok {
				s, again = strings.TrimSpace(rest), true
			}
		}
		if first, rest, _ := strings.Cut(s, " "); leadingEn[first] {
			s, again = rest, true
		}
	}
	return s
}

func hasPronoun(s string) bool {
	for _, w := range pronouns {
		if strings.Contains(s, w) {
			return true
		}
	}
	for w := range strings.FieldsSeq(s) {
		if pronounsEn[w] {
			return true
		}
	}
	return false
}
