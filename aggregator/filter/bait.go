package filter

import (
	"slices"
	"strings"

	"livehost/aggregator/lexicon"
)

// Contact bait is a verb of contacting, a platform within a few letters of it,
// and none of the harmless words after it: 能微信付款吗 asks, 加个微信 baits.
// Matching is on folded text, so 加 微.信, 加\u200b微信 and ＋V are the same;
// characters that sound alike stand for each other: 佳薇, 加卫星.

var verbs = list("加|+|jia|佳|嘉|家|枷|伽|珈|找|联系|扫|私|添加|私聊|滴滴|咨询")

// full platform names bait after a verb, before an account and before a call.
var platforms = func() *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	lexicon.Words(m, struct{}{}, "vx*|wx*|weixin*|wechat*|心v|我v|我微|我薇|我威|qq*|扣扣|企鹅号|企鹅群|q群|扣群|扣扣群|qq群|裙号|君羊|群号|"+
		"telegram*|tg*|电报|电报群|whatsapp*|skype*|纸飞机|飞机号")
	for _, w := range alikeWei {
		for _, x := range "信心芯欣星新" {
			m[string([]rune{w, x})] = struct{}{}
		}
	}
	return lexicon.New(m)
}()

const alikeWei = "微薇威维卫魏巍溦徽餵喂葳vw"

// short names bait only directly after a verb, or one of between after it.
var between = list("个|一个|一下|下|你|您|你的|您的")

var shorts = func() *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	lexicon.Words(m, struct{}{}, "微|薇|威|v|徽|溦|魏|巍|q|我q|扣|line|tg")
	return lexicon.New(m)
}()

var (
	harmless = list("支付|付款|付|能付|可以付|怎么付|能支付|可以支付|怎么支付|分身|公众|小程序|登录|登陆|里|领|零钱|转账|发票|能发|糖|星|弹")

	// ordinary words hold the characters of bait and are none: 你家V8 has no 加V. Like an
	// operator's allowed words they let pass what they cover.
	ordinary = list("你家|您家|我家|他家|她家|它家|咱家|大家|这家|那家|哪家|谁家|几家|两家|别家|全家|各家|人家|自家|专家|厂家|商家|店家|买家|卖家|独家|国家|居家|在家|到家|回家|" +
		"加裙子|加裙装|加裙裤|加裙摆|进裙子|回粉色|回粉红|回粉紫|回粉底|回粉饼|回粉扑|扫我家|扫我们|打扫我|清扫我|扫我房|扫我客|" +
		"隐私我|走私我|自私我|滴我眼|滴我脸|滴我手|滴我身|一滴我|两滴我|几滴我|微星|维信诺|扫码|相互关|最低价出|尾货加绒|拿货加运")

	// luring is what follows a short name in bait: 加微领券, but not 加微波炉.
	luring = list("信|心|芯|领券|领福|领红|领取|领资|领优|领奖|聊|我|看|私|号|群|吧|哦|呀|啊|拿|送|发|进|细|详|谈|好友")

	// calling is what follows a platform in bait: 纸飞机找我.
	calling = list("找我|加我|联系|私聊|聊聊|详聊|细聊|同号|领福|领红|领资")
)

// calls are whole phrases that need no platform.
var (
	calls = list("jiaweixin*|jiavx*|jiawx*|jiaqq*|v同号|微同号|薇同号|威同号|手机同号|电话同号|私我|私聊我|私信我|私信领|私信拿|滴滴我|滴我|dd我|加群领|进群领|进群有|进群送|进裙|进君羊|加裙|加君羊|加羣|扫码进群|扫码领|扫码加|扫我|" +
		"看我主页|点我主页|进我主页|主页有惊喜|主页加我|主页有联系|点我头像|戳我头像|点头像|看我头像|看头像|头像有联系|看我简介|看简介加|简介有联系|" +
		"互粉|互关|互赞|有粉必|粉我必|回粉|必回粉|必回关|必回赞|关注必回|秒回关|关注秒|关注我有惊|关注我有礼|关注我有福|关注我有红|关注我有钱|关注我送|关注我领红|关注我领福|关注我领资|关注我领手|关注我我|关注我也关|关注我也回|关注我也卖|加我好友|加好友|留下联系方式|" +
		"来我直播|去我直播|进我直播|我直播间更|我直播间便宜|来我这买|来我家买|拿货加|拿货找|拿货私|找我拿货|加我拿|找我v|找我微|尾货加|低价出")

	englishCalls = list("check my bio|link in my bio|link in bio|check my profile|visit my profile|visit my page|check my page|check my live|come to my live|join my live|" +
		"join my telegram|join my channel|join my group|text me on|text me at|dm me for|dm me on|message me on|message me privately|add me on|add my snap|my snap is|" +
		"my snapchat|follow my insta|follow my ig|follow my page|follow my account|follow my live|follow my tiktok|my ig is|my insta is|follow for follow|f4f|follow me back|" +
		"follow 4 follow|follow4follow|sub4sub|sub for sub|hit me up on|hmu on|whatsapp me|whatsap me|wechat me|my whatsapp|my telegram|add wechat|my wechat|t.me|line id")

	// openings are calls that are only bait at the start of what is no question:
	// "can you dm me" asks the host.
	openings = list("dm me|inbox me|pm me")

	// labels stand before a colon and an account: V：abc8899.
	labels = list("v|vx|wx|薇|微|威|心v|q|qq|q群|ig|insta|line|line id|snap|snapchat|tg|telegram|skype|wechat")
)

const reach = 4 // letters between the verb and the platform

// bait is the part that lures viewers away, or "". match is folded text, english
// the question in lower case, where English words still have their spaces.
func (f *Filter) bait(match, english []rune) string {
	if span := f.englishBait(english); span != "" {
		return span
	}
	if contact(match, nil) != "" { // seldom: only then is it looked at closely
		if span := contact(match, f); span != "" {
			return span
		}
	}
	if span := phone(match, english); span != "" {
		return span
	}
	return email(english)
}

// contact finds a call, a platform after a verb, or one before an account; with
// a filter, not in the words that it and the language let pass.
func contact(match []rune, f *Filter) string {
	for i := 0; i < len(match); i++ {
		covered := f.passes(match, i)
		if n, _ := calls.Longest(match, i); n > covered {
			return string(match[i : i+n])
		}
		if covered > 0 {
			i += covered - 1
			continue
		}
		if n, _ := verbs.Longest(match, i); n > 0 {
			if end := platformAfter(match, i+n, f); end > 0 {
				return string(match[i:end])
			}
		}
		if n := anyPlatform(match, i); n > 0 {
			if c := startsWith(calling, match, i+n); c > 0 {
				return string(match[i : i+n+c])
			}
			if end := accountAfter(match, i+n); end > 0 {
				return string(match[i:end])
			}
		}
	}
	return ""
}

// passes is the length of the words at i that are none of bait, 0 without a filter.
func (f *Filter) passes(match []rune, i int) int {
	if f == nil {
		return 0
	}
	return max(startsWith(ordinary, match, i), startsWith(f.allowed, match, i))
}

// englishBait looks at text with letters, or a colon before an account; most Chinese
// has neither.
func (f *Filter) englishBait(english []rune) string {
	if !slices.ContainsFunc(english, func(r rune) bool { return letter(r) || r == ':' }) {
		return ""
	}
	for i := 0; i < len(english); i++ {
		covered := startsWith(f.allowed, english, i)
		if n, _ := englishCalls.Longest(english, i); n > covered {
			return string(english[i : i+n])
		}
		if covered > 0 {
			i += covered - 1
			continue
		}
		if n, _ := labels.Longest(english, i); n > 0 && (i == 0 || english[i-1] == ' ') {
			if end := labelled(english, i+n); end > 0 {
				return string(english[i:end])
			}
		}
	}
	if n := startsWith(openings, english, 0); n > startsWith(f.allowed, english, 0) && !strings.ContainsRune(string(english), '?') {
		return string(english[:n])
	}
	return ""
}

// labelled finds ": account" at i.
func labelled(in []rune, i int) int {
	const shortest = 4
	colon := false
	for ; i < len(in) && (in[i] == ' ' || in[i] == ':'); i++ {
		colon = colon || in[i] == ':'
	}
	j, digits := i, false
	for j < len(in) && (letter(in[j]) || digit(in[j]) || in[j] == '_') {
		digits = digits || digit(in[j])
		j++
	}
	if colon && digits && j-i >= shortest {
		return j
	}
	return 0
}

func platformAfter(match []rune, i int, f *Filter) int {
	for j := i; j < len(match) && j <= i+reach; j++ {
		if n := f.passes(match, j); n > 0 {
			j += n - 1
			continue
		}
		if n := anyPlatform(match, j); n > 0 && startsWith(harmless, match, j+n) == 0 {
			return j + n
		}
	}
	i += startsWith(between, match, i)
	if n := startsWith(shorts, match, i); n > 0 && f.passes(match, i) == 0 {
		if end := i + n; end == len(match) || shortAccount(match, end) || startsWith(luring, match, end) > 0 {
			return end
		}
	}
	return 0
}

// shortAccount reports an account right after a short name: V8899, V123abc and 微abc12,
// not the models and ingredients V8, V8 pro and Q10.
func shortAccount(match []rune, i int) bool {
	const shortest, model, number = 5, 2, 4 // digits of a model at most, of a number at least
	j, digits := i, 0
	for ; j < len(match) && (letter(match[j]) || digit(match[j])); j++ {
		if digit(match[j]) {
			digits++
		}
	}
	return digits >= number || j-i >= shortest && (digits > model || digits > 0 && letter(match[i]))
}

func anyPlatform(match []rune, i int) int {
	n, _ := platforms.Longest(match, i)
	return n
}

// accountAfter finds an account name after a platform: vx abc123, 微信号是 a_b12.
func accountAfter(match []rune, i int) int {
	const shortest = 5
	for i < len(match) && strings.ContainsRune("号是为我群", match[i]) {
		i++
	}
	j, digits := i, false
	for j < len(match) && (letter(match[j]) || digit(match[j])) {
		digits = digits || digit(match[j])
		j++
	}
	if j-i >= shortest && digits {
		return j
	}
	return 0
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

// startsWith is the length of the word of set that in has at i.
func startsWith(set *lexicon.Set[struct{}], in []rune, i int) int {
	if i >= len(in) {
		return 0
	}
	n, _ := set.Longest(in, i)
	return n
}

func list(cell string) *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	lexicon.Words(m, struct{}{}, cell)
	return lexicon.New(m)
}
