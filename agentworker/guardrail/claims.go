package guardrail

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"livehost/agentworker/guardrail/quantity"
)

// claimRule is a family of statements that need proof or are never made.
type claimRule struct {
	detail string
	proof  bool   // fine when the evidence says the same
	named  bool   // may be part of a product's name: a brand called 绝对
	offers bool   // fine when a result holds any promotion
	care   bool   // fine where a doctor is recommended
	words  string // one a line or separated by spaces; see newLexicon
}

var claimRules = []claimRule{
	{detail: "superlative or guarantee", named: true, words: neverSaid},
	{detail: "about other shops", words: otherShops},
	{detail: "medical claim", care: true, words: medical},
	{detail: "efficacy without evidence", proof: true, named: true, words: efficacy},
	{detail: "promise without evidence", proof: true, named: true, words: promises},
	{detail: "offer without evidence", offers: true, named: true, words: offers},
	{detail: "store claim without evidence", proof: true, named: true, words: storeClaims},
}

// claimWords is built once and never changes.
var claimWords = newLexicon(claimRules, harmless)

var (
	// gapped are statements of two parts: another shop, and what is said of it.
	gapped = regexp.MustCompile(`(?i)(别家|别人家|[他她它]家|人家|那家|那边|那个店|别处|外面|市面上|其他(店|家|直播间|平台|主播)|隔壁|别的(店|直播间|平台|主播)|同行|友商|某宝|某东|淘宝|京东|拼多多|抖音|快手|天猫|亚马逊|小红书)[^，,。]{0,10}(贵|便宜|假|差|不好|坑|骗|没有|买不到|比不了|高仿|水货|冒牌|劣质|翻车|上当|垃圾|次品|仿的?|山寨|贴牌|后悔|卖[0-9一二三四五六七八九十百千]+)|(other|another|that|those|the other) (stores?|shops?|sellers?|hosts?|rooms?)( \w+){0,3} (are|is|sells?|charges?|have|has|cost)|\bsells? fakes?\b|counterfeits?|knock-?offs?|(amazon|temu|shein|walmart|ebay|tiktok shop|aliexpress|costco|target)( \w+){0,3} (are|is|sells?|charges?|has|costs?)`)
	shops  = regexp.MustCompile(`(?i)家|店|别处|外面|市面|那边|直播间|平台|主播|隔壁|同行|友商|某宝|某东|淘宝|京东|拼多多|抖音|快手|天猫|亚马逊|小红书|other|that|those|fake|counterfeit|knock|amazon|temu|shein|walmart|ebay|tiktok|aliexpress|costco|target`)
	// denied before a phrase turns it round: cannot guarantee.
	denied = regexp.MustCompile(`(?i)(不|没|无法|无需|无|不敢|并非|未|别|勿|是否|cannot|can't|can not|not|no|never|without|don't|doesn't|isn't|aren't|won't|nor)([^，,。.!！；;还又也就且但]{0,10})$`)
	// notDenied takes words away that hold such a syllable and deny nothing that follows.
	notDenied = strings.NewReplacer(append([]string{
		"特别", "特", "分别", "分", "区别", "区", "级别", "级", "个别", "个", "性别", "性", "类别", "类", "告别", "告",
	}, without(deniesNothing)...)...)
	doctor = regexp.MustCompile(`(问|咨询|看|找|听|遵)[^，,。]{0,4}(医生|医师|药师|医嘱|医院)|(ask|see|consult|check with|talk to|speak to)( with)?( your| a)? (doctor|physician|pharmacist|gp)`)
	asks   = []string{"吗", "?", "？", "么", "与否"}
)

// UnsupportedClaims objects to superlatives and guarantees, talk about other
// shops, medical effects, and promises that no evidence holds. The names of the
// products of the results, and of viewers who are spoken to, make no promise.
func UnsupportedClaims(in *Input) (Finding, bool) {
	text := []rune(plain(in.Text))
	named := in.names(text)
	for at := 0; at < len(text); {
		w, n := claimWords.longest(text, at)
		if n == 0 {
			at++
			continue
		}
		if w.rule != nil && !w.excused(in, text, at, at+n, named) {
			return found(spanOf(in.Text, text, at, at+n), w.rule.detail)
		}
		at += n
	}
	if at, detail := in.worded(); at != "" {
		return found(at, detail)
	}
	if at := in.forWhom(); at != "" {
		return found(at, "says that it suits people whom no evidence names")
	}
	if shops.MatchString(in.Text) {
		for _, at := range gapped.FindAllStringIndex(in.Text, -1) {
			if !turned(in.Text[:at[0]]) && !(strings.HasSuffix(in.Text[:at[1]], "不好") && notSaid.MatchString(in.Text[at[1]:])) {
				return found(in.Text[at[0]:at[1]], "about other shops")
			}
		}
	}
	return fine, true
}

// excused reports whether the phrase at from..to is denied, asked, part of a name,
// or held by evidence.
func (w *word) excused(in *Input, text []rune, from, to int, named []span) bool {
	evidence := in.Evidence.on(string(text), len(string(text[:from])))
	if contradicts.MatchString(string(text[:from])) && w.rule.proof && slices.ContainsFunc(w.cores, evidence.affirms) {
		return false // 没有运费险, where there is one
	}
	if w.rule.words == otherShops && declines.MatchString(string(text[to:])) {
		return true
	}
	if turned(string(text[:from])) || asked(string(text[to:])) || refused(string(text[to:])) {
		return true
	}
	for _, n := range named {
		if n.from <= from && to <= n.to && (w.rule.named && !n.viewer || w.rule.proof) {
			return true
		}
	}
	switch {
	case w.rule.care:
		return doctor.MatchString(string(text))
	case w.rule.offers:
		return evidence.offers()
	case w.rule.proof:
		return evidence.holdsOne(w.cores, string(text))
	}
	return false
}

// notSaid makes 不好 a refusal to judge: 别家的情况我不好评价.
var notSaid = regexp.MustCompile(`^(评价|说|比|讲|多说|意思)`)

// contradicts stands right before what a reply says is not there.
var contradicts = regexp.MustCompile(`(没有|没|无|不送|不带|不提供|no |without |don't have |doesn't have |don't offer )$`)

// declines says nothing about what stands before it.
var declines = regexp.MustCompile(`^[^，,。]{0,10}(不清楚|不了解|不知道|不好说|不评价|不好评价|不便|没法(比|说)|don't know|can't (say|speak|compare)|not sure)`)

// holdsOne reports whether evidence says one of the phrases and does not deny it.
// What it says under a condition holds only with a condition.
func (e *Evidence) holdsOne(phrases []string, sentence string) bool {
	withCondition := conditional.MatchString(sentence) || short.MatchString(sentence) || e.reached(sentence)
	for _, t := range e.texts() {
		for _, clause := range clauseEnd.Split(t, -1) {
			for _, p := range phrases {
				i := strings.Index(clause, strings.ToLower(p))
				if i >= 0 && !turned(clause[:i]) && (withCondition || !conditional.MatchString(clause) || !shippingFree.MatchString(p)) {
					return true
				}
			}
		}
	}
	return false
}

// short of a sum names the condition too: 89元还不到99.
var short = regexp.MustCompile(`(不到|不够|够|差|少)[^，,。]{0,4}[0-9]|凑`)

var freeFrom = regexp.MustCompile(`满\s?(\d+)元?(?:就|即|可)?(?:包邮|免运费|免邮)|free (?:shipping|delivery) (?:over|from) [¥￥]?(\d+)`)

// reached reports whether the last sum of a text is one from which evidence ships free.
func (e *Evidence) reached(text string) bool {
	var sum int64
	for _, q := range quantity.Read(text) {
		if q.Kind == quantity.Money {
			sum = q.Lo
		}
	}
	for _, t := range e.texts() {
		for _, m := range freeFrom.FindAllStringSubmatch(t, -1) {
			limit, err := strconv.ParseInt(m[1]+m[2], 10, 64)
			if err == nil && sum >= quantity.Of(quantity.Money, limit).Lo {
				return true
			}
		}
	}
	return false
}

var shippingFree = regexp.MustCompile(`包邮|免邮|免运费|free (shipping|delivery)|ships free`)

// texts are all that facts and results say, in lower case.
func (e *Evidence) texts() []string {
	out := []string{e.factText.String()}
	for _, p := range e.told {
		out = append(out, p.text)
	}
	for _, r := range e.Results {
		out = append(out, r.text)
	}
	return out
}

// affirms reports whether facts or a result say the phrase plainly: not denied, and
// under no condition.
func (e *Evidence) affirms(phrase string) bool {
	for _, t := range e.texts() {
		for _, clause := range clauseEnd.Split(t, -1) {
			i := strings.Index(clause, phrase)
			if i >= 0 && !turned(clause[:i]) && !refused(clause[i+len(phrase):]) && !conditional.MatchString(clause) {
				return true
			}
		}
	}
	return false
}

var conditional = regexp.MustCompile(`满|超过|以上|部分|仅限|会员|凑|\b(over|above|if|some|members|minimum|when)\b`)

// turned reports whether what stands before a phrase denies it.
func turned(before string) bool {
	if i := strings.LastIndexAny(before, "，,。！!？?；;"); i >= 0 {
		before = before[i:]
	}
	if m := doubts.FindStringSubmatch(strings.ToLower(before)); m != nil && !anotherSubject.MatchString(m[1]) {
		return true
	}
	m := denied.FindStringSubmatch(notDenied.Replace(strings.ToLower(before)))
	return m != nil && !anotherSubject.MatchString(m[2])
}

// doubts before a phrase leave it open, also at a distance that is long in letters.
var doubts = regexp.MustCompile(`\b(?:not sure|unsure|not certain|no idea|don't know|do not know|can't (?:say|tell)|cannot (?:say|tell))\b([^.;]{0,40})$`)

// anotherSubject between a denial and a phrase begins another statement: if it
// doesn't work we refund.
var anotherSubject = regexp.MustCompile(`\b(we|i|you|they|but)\b`)

// undenied is the first place of the words in a text that is not denied before it,
// nil for none.
func undenied(words *regexp.Regexp, text string) []int {
	for _, at := range words.FindAllStringIndex(text, -1) {
		if !turned(text[:at[0]]) {
			return at
		}
	}
	return nil
}

// asked reports whether what follows makes the phrase a question.
func asked(rest string) bool {
	for _, a := range asks {
		if strings.HasPrefix(rest, a) {
			return true
		}
	}
	return false
}

var (
	people = regexp.MustCompile(`(?i)(孕妇|孕妈|孕期|备孕|哺乳期|宝妈|新生儿|婴儿|婴幼儿|幼儿|一岁|周岁|小朋友|小孩|儿童|老人|糖尿病人?|糖友|高血压|三高|痛风|心脏病|患者|病人|敏感肌|过敏体质|过敏的人|干皮|油皮|混油皮?|混干皮?|中性皮|痘肌|熟龄肌)[^，,。！!？?；;]{0,4}(也)?(可以|能|放心|都能|适合|适用|没问题|不用担心|随便|闭眼|可用|可吃|可喝|均可|友好)(用|吃|喝|穿|戴|入|使用|食用|服用)?|宝宝(们)?(也|都)?(可以|能|放心)(用|吃|喝|穿|戴|使用|食用|服用)|适合(孕妇|孕期|婴儿|宝宝|干皮|油皮|混油皮?|混干皮?|中性皮|痘肌|熟龄肌|糖尿病人?|糖友|高血压|三高|敏感肌)|(safe|good|fine|ok|okay|great|suitable|perfect|works?|gentle) (for|during|with|on) (diabet\w+|pregnan\w+|babies|baby|infants?|newborns?|toddlers?|children|kids|sensitive skin|dry skin|oily skin|high blood pressure|allerg\w+|eczema|breastfeeding)`)
	whom   = regexp.MustCompile(`(?i)孕妇|孕妈|孕期|备孕|哺乳期|宝妈|新生儿|婴幼儿|婴儿|幼儿|宝宝|一岁|周岁|小朋友|小孩|儿童|老人|糖尿病|糖友|高血压|三高|痛风|心脏病|患者|病人|敏感肌|过敏|干皮|油皮|混油|混干|中性皮|痘肌|熟龄肌|diabet|pregnan|bab|infant|newborn|toddler|child|kids|sensitive skin|dry skin|oily skin|blood pressure|allerg|eczema|breastfeeding`)
)

// warns is a denial inside such a statement: 孕妇不能用.
var warns = regexp.MustCompile(`不(能|可|适|建议|一定|宜|要|推荐|太)|别|勿|没法`)

// forWhom is a statement that a product suits people who must be careful, "" for
// none and where evidence or a doctor is named.
func (in *Input) forWhom() string {
	text := plain(in.Text)
	if doctor.MatchString(text) {
		return ""
	}
	for _, at := range people.FindAllStringIndex(text, -1) {
		said, after := text[at[0]:at[1]], text[at[1]:]
		if turned(text[:at[0]]) || warns.MatchString(said) || refused(after) || asked(after) || in.Evidence.on(text, at[0]).affirms(whom.FindString(said)) {
			continue
		}
		return said
	}
	return ""
}

// without are the phrases of a list, each with nothing in its place.
func without(list string) []string {
	var out []string
	for _, p := range phrases(list) {
		out = append(out, p, "")
	}
	return out
}

// span is a name's place in a text.
type span struct {
	from, to int // runes
	viewer   bool
}

// names are the places of the text that hold the name of a viewer it is for, or of
// a product that a result is about. A name is what somebody is called, whatever it
// says: 送你一朵云.
func (in *Input) names(text []rune) []span {
	var out []span
	add := func(name string, viewer bool) {
		if r := []rune(plain(name)); len(r) > 1 {
			for at := indexRunes(text, r, 0); at >= 0; at = indexRunes(text, r, at+len(r)) {
				out = append(out, span{at, at + len(r), viewer})
			}
		}
	}
	for _, m := range in.Members {
		add(m.ViewerName, true)
	}
	for _, name := range in.Evidence.names {
		add(name, true)
	}
	for _, r := range in.Evidence.Results {
		for _, name := range r.names {
			add(name, false)
		}
	}
	return out
}

func indexRunes(text, part []rune, from int) int {
	for at := from; at+len(part) <= len(text); at++ {
		same := true
		for i, r := range part {
			if text[at+i] != r {
				same = false
				break
			}
		}
		if same {
			return at
		}
	}
	return -1
}

// spanOf is the part of the original text that the runes from..to of its plain
// form stand for; they differ where invisible characters were dropped.
func spanOf(original string, text []rune, from, to int) string {
	if r := []rune(original); len(r) == len(text) {
		return string(r[from:to])
	}
	return string(text[from:to])
}
