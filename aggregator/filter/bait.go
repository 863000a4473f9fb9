package filter

import (
	"strings"

	"livehost/aggregator/lexicon"
)

// Contact bait is a verb of contacting, a platform within a few letters of it,
// and none of the harmless words after it: 能微信付款吗 asks, 加个微信 baits.
// Matching is on folded text, so 加 微.信, 加\u200b微信 and ＋V are the same.

var verbs = list("加|+|佳|➕|找|联系|扫|私|添加|私聊|滴滴|咨询")

// full platform names bait after a verb or before an account.
var platforms = list("微信|微心|微芯|薇信|薇芯|薇心|威信|威芯|维信|维芯|卫信|徽信|溦信|vx*|wx*|weixin*|wechat*|v信|v心|v芯|qq*|扣扣|企鹅号|" +
	"telegram*|tg*|电报|whatsapp*|纸飞机|飞机号")

// short names bait only directly after a verb.
var shorts = list("微|薇|威|v|徽|溦")

var harmless = list("支付|付款|付|分身|公众|登录|登陆|里|领|零钱|转账|发票|能发")

// luring is what follows a short name in bait: 加微领券, but not 加微波炉.
const luring = "信心芯领聊我看私号群吧哦呀啊拿送发进"

// calls are whole phrases that need no platform.
var (
	calls = list("私信我领|加群领|进群领|扫码进群|扫码领|看我主页|点我主页|点我头像|看我头像|看我简介|互粉|互关|加我好友|加好友领|留下联系方式")

	englishCalls = list("check my bio|link in my bio|link in bio|check my profile|visit my profile|text me on|text me at|dm me for|dm me on|dm me to|add me on|" +
		"message me on|follow for follow|f4f|follow me back|follow 4 follow|follow4follow|hit me up on|whatsapp me|my whatsapp|my telegram")
)

const reach = 4 // letters between the verb and the platform

// bait is the part that lures viewers away, or "". match is folded text, english
// the question in lower case, where English words still have their spaces.
func bait(match, english []rune) string {
	for i := range english {
		if n, _ := englishCalls.Longest(english, i); n > 0 {
			return string(english[i : i+n])
		}
	}
	for i := range match {
		if n, _ := calls.Longest(match, i); n > 0 {
			return string(match[i : i+n])
		}
		if n, _ := verbs.Longest(match, i); n > 0 {
			if end := platformAfter(match, i+n); end > 0 {
				return string(match[i:end])
			}
		}
		if n := anyPlatform(match, i); n > 0 {
			if end := accountAfter(match, i+n); end > 0 {
				return string(match[i:end])
			}
		}
	}
	return phone(match)
}

func platformAfter(match []rune, i int) int {
	for j := i; j < len(match) && j <= i+reach; j++ {
		if n := anyPlatform(match, j); n > 0 && !startsWith(harmless, match, j+n) {
			return j + n
		}
	}
	if i < len(match) {
		if n, _ := shorts.Longest(match, i); n > 0 && (i+n == len(match) || strings.ContainsRune(luring, match[i+n]) || digit(match[i+n])) {
			return i + n
		}
	}
	return 0
}

func anyPlatform(match []rune, i int) int {
	n, _ := platforms.Longest(match, i)
	return n
}

// accountAfter finds an account name after a platform: vx abc123, 微信号是 a_b12.
func accountAfter(match []rune, i int) int {
	const shortest = 5
	for i < len(match) && strings.ContainsRune("号是为我", match[i]) {
		i++
	}
	j, digit := i, false
	for j < len(match) && (match[j] >= 'a' && match[j] <= 'z' || match[j] >= '0' && match[j] <= '9') {
		digit = digit || match[j] <= '9'
		j++
	}
	if j-i >= shortest && digit {
		return j
	}
	return 0
}

// phone finds a mainland mobile number.
func phone(match []rune) string {
	const length = 11
	for i := 0; i < len(match); i++ {
		j := i
		for j < len(match) && match[j] >= '0' && match[j] <= '9' {
			j++
		}
		if j-i == length && match[i] == '1' && match[i+1] >= '3' {
			return string(match[i:j])
		}
		i = j
	}
	return ""
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

func startsWith(set *lexicon.Set[struct{}], match []rune, i int) bool {
	if i >= len(match) {
		return false
	}
	n, _ := set.Longest(match, i)
	return n > 0
}

func list(cell string) *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	lexicon.Words(m, struct{}{}, cell)
	return lexicon.New(m)
}
