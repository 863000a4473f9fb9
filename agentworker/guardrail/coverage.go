package guardrail

import (
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
)

// Sizes, colours and places are what viewers ask for and a product may not have:
// saying that it has them needs evidence that names them.

var (
	sizeToken = regexp.MustCompile(`(?i)(?:^|[^a-z0-9'’])((?:x{1,4}s|x{1,4}l|[2-6]xl)(?:码|号)?|(?:s|m|l)(?:码|号)|(?:size |尺码)(?:s|m|l))(?:$|[^a-z0-9])`)
	bareSize  = regexp.MustCompile(`(?i)(?:^|[^a-z0-9'’])(x{0,4}s|m|x{0,4}l|[2-6]xl)(?:$|[^a-z0-9])`)
	advice    = regexp.MustCompile(`(?i)穿|选|拿|拍|建议|推荐|适合|合身|刚好|wear|take|go with|recommend|should fit|your size`)
	offered   = regexp.MustCompile(`(?i)有|可选|可拍|能拍|可以拍|come|have|has|available|in stock|got`)
)

func bareOf(token string) string {
	token = strings.ToLower(token)
	for _, affix := range []string{"size ", "尺码"} {
		token = strings.TrimPrefix(token, affix)
	}
	return strings.TrimSuffix(strings.TrimSuffix(token, "码"), "号")
}

// sizesIn are the sizes that a text of evidence names.
func sizesIn(text string) map[string]bool {
	out := map[string]bool{}
	for text != "" {
		at := bareSize.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		out[strings.ToLower(text[at[2]:at[3]])] = true
		text = text[at[3]:]
	}
	return out
}

// wrongSize is a size the text offers or recommends that no evidence does.
func (in *Input) wrongSize() string {
	for rest, from := in.Text, 0; ; {
		at := sizeToken.FindStringSubmatchIndex(rest)
		if at == nil {
			return ""
		}
		token, before, after := rest[at[2]:at[3]], in.Text[:from+at[2]], rest[at[3]:]
		if !turned(before) && !refused(after) && !asked(after) && !in.Evidence.on(in.Text, from+at[2]).hasSize(bareOf(token), advice.MatchString(in.Text)) {
			return token
		}
		rest, from = after, from+at[3]
	}
}

// lastSKU is where a text names a SKU last, -1 for nowhere. A size may be named
// without 码.
func lastSKU(text, sku string) int {
	at := strings.LastIndex(text, sku)
	if size := bareOf(sku); at < 0 && sizesIn(sku)[size] {
		for _, m := range bareSize.FindAllStringSubmatchIndex(text, -1) {
			if strings.EqualFold(text[m[2]:m[3]], size) {
				at = m[2]
			}
		}
	}
	return at
}

var plenty = regexp.MustCompile(`(?i)充足|货(很|还|挺)?(足|多)|很多货|大把|不着急|慢慢挑|plenty|take your time|loads of|lots of`)

// fewest in stock are plenty.
const fewest = 20

// muchOfLittle is a word for much where results count few, "" for none.
func (in *Input) muchOfLittle() string {
	at := undenied(plenty, in.Text)
	if at == nil {
		return ""
	}
	for _, r := range in.Evidence.records(claim{subject: in.Text}) {
		for _, q := range r.numbers {
			if q.Kind == quantity.Stock && q.Hi < quantity.Of(quantity.Stock, fewest).Lo {
				return in.Text[at[0]:at[1]]
			}
		}
	}
	return ""
}

func (e *Evidence) hasSize(size string, recommended bool) bool {
	if recommended {
		advised := false
		for _, r := range e.Results {
			if r.advises {
				advised = true
				if sizesIn(r.text)[size] && e.measuredFor(r) {
					return true
				}
			}
		}
		if advised {
			return false
		}
	}
	return slices.ContainsFunc(e.texts(), func(t string) bool { return sizesIn(t)[size] })
}

// measuredFor reports whether the advice is for the body that the viewer describes.
func (e *Evidence) measuredFor(r Result) bool {
	var used []quantity.Quantity
	for _, rec := range r.records {
		used = append(used, rec.numbers...)
	}
	for _, v := range r.Args {
		used = append(used, quantity.Read(text(v))...)
	}
	body := func(q quantity.Quantity) bool { return q.Kind == quantity.Weight || q.Kind == quantity.Length }
	if !slices.ContainsFunc(used, body) {
		return true
	}
	return !slices.ContainsFunc(e.words, func(q quantity.Quantity) bool { return body(q) && !among(used, q) })
}

// colours by their names in both languages.
var colours = [][2]string{
	{"红色", "red"}, {"黑色", "black"}, {"白色", "white"}, {"蓝色", "blue"}, {"绿色", "green"}, {"黄色", "yellow"}, {"粉色", "pink"}, {"紫色", "purple"},
	{"灰色", "grey"}, {"灰色", "gray"}, {"米色", "beige"}, {"棕色", "brown"}, {"橙色", "orange"}, {"卡其色", "khaki"}, {"藏青色", "navy"}, {"驼色", "camel"}, {"金色", "gold"}, {"银色", "silver"},
}

// wrongColour is a colour the text says there is, and no evidence does.
func (in *Input) wrongColour() string {
	sentences := sentenceEnd.Split(strings.ToLower(in.Text), -1)
	for _, c := range colours {
		for _, word := range c {
			for _, s := range sentences {
				at := wordAt(s, word)
				if at < 0 || !offered.MatchString(s) || turned(s[:at]) || refused(s[at+len(word):]) || asked(s[at+len(word):]) {
					continue
				}
				if e := in.Evidence.on(s, at); !e.says(c[0]) && !e.says(c[1]) && !e.says(strings.TrimSuffix(c[0], "色")) {
					return word
				}
			}
		}
	}
	for _, at := range colourRow.FindAllStringSubmatchIndex(in.Text, -1) { // 红黄蓝都有
		if turned(in.Text[:at[0]]) {
			continue
		}
		for _, r := range in.Text[at[2]:at[3]] {
			if !in.Evidence.on(in.Text, at[0]).says(string(r)) {
				return in.Text[at[0]:at[1]]
			}
		}
	}
	return ""
}

var colourRow = regexp.MustCompile(`([红黄蓝绿黑白粉紫灰]{2,})(?:色|几个色|这几个)?(?:都|全)?有`)

// wordAt is where a text in lower case first holds a word, one of Latin letters as a
// whole one: not ordered for red. -1: nowhere.
func wordAt(text, word string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		at, end := from+i, from+i+len(word)
		if !letter(rune(word[0])) || (at == 0 || !letter(rune(text[at-1]))) && (end == len(text) || !letter(rune(text[end]))) {
			return at
		}
		from = end
	}
}

const places = `新疆|西藏|内蒙古?|青海|甘肃|宁夏|海南|香港|澳门|台湾|港澳台?|海外|国外|境外|偏远地区|乡镇|农村|alaska|hawaii|canada|xinjiang|tibet|hong kong|taiwan|overseas|abroad|internationally|worldwide`

var (
	place       = regexp.MustCompile(`(?i)` + places)
	reaches     = regexp.MustCompile(`(?i)(?:发|送|寄|到|包邮)[^，,。不没]{0,3}(?:` + places + `)|(?:` + places + `)[^，,。不没]{0,4}(?:也|都|能|可以|可|照样|正常)[^，,。不没]{0,3}(?:发|送|寄|到|达|包邮)|(?:ship|deliver|send)\w*(?: \w+){0,3} (?:to |in )?(?:` + places + `)`)
	everywhere  = regexp.MustCompile(`(?i)全国(都|各地)?(能|可以|可|均可)?(发|送|到|包邮)|哪里都(能|可以)?(发|送|到)|nationwide|anywhere in|every country`)
	refusesShip = regexp.MustCompile(`(?i)不发|发不了|不送|送不了|不到|到不了|不支持|不能|不包邮|除外|不在|not|n't|cannot|except|exclud`)
)

// wrongPlace is a place the text says parcels go to, and no evidence does.
func (in *Input) wrongPlace() string {
	for _, s := range sentenceEnd.Split(in.Text, -1) {
		for _, at := range reaches.FindAllStringIndex(s, -1) {
			said := s[at[0]:at[1]]
			if turned(s[:at[0]]) || refusesShip.MatchString(s[at[0]:]) || in.Evidence.on(s, at[0]).shipsTo(strings.ToLower(place.FindString(said))) {
				continue
			}
			return said
		}
		if at := undenied(everywhere, s); at != nil && !in.Evidence.shipsTo("全国") && !in.Evidence.shipsTo("nationwide") {
			return s[at[0]:at[1]]
		}
	}
	return ""
}

// shipsTo reports whether a line of evidence names the place and does not leave it out.
func (e *Evidence) shipsTo(where string) bool {
	for _, t := range e.texts() {
		for _, clause := range clauseEnd.Split(t, -1) {
			if strings.Contains(clause, where) && !refusesShip.MatchString(clause) {
				return true
			}
		}
	}
	return false
}
