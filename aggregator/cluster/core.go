package cluster

import (
	"slices"
	"strings"

	"livehost/aggregator/lexicon"
	"livehost/streams/event"
)

// splitLink takes out the link number a danmaku names: 3号链接, 链接3, 3号, #3, a
// bare number. Several numbers name no single link and stay in the rest.
func splitLink(in []rune) (event.LinkID, []rune) {
	start, end, link := -1, -1, ""
	for i := 0; i < len(in); {
		if in[i] < '0' || in[i] > '9' {
			i++
			continue
		}
		j := i
		for j < len(in) && in[j] >= '0' && in[j] <= '9' {
			j++
		}
		if from, to, ok := linkAround(in, i, j); ok {
			if start >= 0 {
				return "", in // two links: a comparison
			}
			start, end, link = from, to, strings.TrimLeft(string(in[i:j]), "0")
		}
		i = j
	}
	if start < 0 || link == "" {
		return "", in
	}
	rest := make([]rune, 0, len(in))
	rest = append(append(rest, in[:start]...), in[end:]...)
	return event.LinkID(link), rest
}

// linkAround reports whether in[i:j] is a link number, with the words that say so.
func linkAround(in []rune, i, j int) (from, to int, ok bool) {
	const longest = 4
	if j-i > longest || i > 0 && (letter(in[i-1]) || in[i-1] == '.') || j < len(in) && (letter(in[j]) || in[j] == '.' && j+1 < len(in) && digit(in[j+1])) {
		return 0, 0, false
	}
	from, to = i, j
	if hasAt(in, j, "号链接") {
		return from, j + 3, true
	}
	if hasAt(in, j, "链接") {
		return from, j + 2, true
	}
	if hasAt(in, j, "号") && !hasAt(in, j, "号发") && !hasAt(in, j, "号到") && !hasAt(in, j, "号之") && !hasAt(in, j, "号前") && !hasAt(in, j, "号能") && !before(in, i, "月") {
		ok = true
		to = j + 1
		if hasAt(in, to, "品") {
			to++
		}
		if before(in, i, "链接") {
			from -= 2
		}
		return from, to, ok
	}
	for _, sign := range []string{"链接", "#", "# ", "link ", "link", "number ", "no.", "no ", "item ", "product "} {
		if before(in, i, sign) {
			return i - len([]rune(sign)), j, true
		}
	}
	for k, r := range in { // nothing else is said
		if (k < i || k >= j) && letterOrDigit(r) {
			return 0, 0, false
		}
	}
	return 0, len(in), !strings.ContainsAny(string(in), "+-./:*")
}

func hasAt(in []rune, i int, s string) bool {
	for _, r := range s {
		if i >= len(in) || in[i] != r {
			return false
		}
		i++
	}
	return true
}

func before(in []rune, i int, s string) bool {
	n := len([]rune(s))
	return i >= n && hasAt(in, i-n, s)
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

// core is what is left of a question when synonyms are made one and what
// carries no meaning is dropped. Word order stays.
func core(in []rune, language string) string {
	if language == "en" {
		return englishCore(in)
	}
	return chineseCore(in)
}

func chineseCore(in []rune) string {
	var plain, kept [96]rune
	in = positive(plain[:0], in)
	out := kept[:0]
	for i := 0; i < len(in); {
		if n, to := synonyms.Longest(in, i); n > 0 {
			for _, r := range to {
				out = append(out, r)
			}
			i += n
			continue
		}
		if keptInCore(in, i) {
			out = append(out, numbered(in, i))
		}
		i++
	}
	return why(string(once(out)))
}

// why drops the reason that a wish for more is given with: 4盒再上点没抢到.
func why(core string) string {
	if rest := strings.Replace(core, "没抢到", "", 1); rest != core && strings.Contains(rest, "再上") {
		return rest
	}
	return core
}

// numbered is the digit of a numeral that counts: 四盒 is 4盒. 一下 and 第一 count
// nothing.
func numbered(in []rune, i int) rune {
	at := slices.Index(numerals, in[i])
	if at < 0 || i+1 >= len(in) || !strings.ContainsRune("盒瓶单件套支只个斤份双包袋片针次号箱罐条", in[i+1]) || in[i+1] == '个' && in[i] == '一' || i > 0 && strings.ContainsRune("第几十百千", in[i-1]) {
		return in[i]
	}
	return rune('1' + at)
}

var numerals = []rune("一二三四五六七八九")

// once is the unit of a text that only repeats it, the last time perhaps cut off:
// 没车没车没 is 没车. 看一看 and 甜不甜 are not; numbers and Latin letters are left alone.
func once(in []rune) []rune {
	for p := 2; 2*p-1 <= len(in); p++ {
		if !slices.Equal(in[:len(in)-p], in[p:]) || !slices.ContainsFunc(in[:p], func(r rune) bool { return r >= 0x4e00 }) ||
			len(in) == 3 && strings.ContainsRune("不没一了过来又", in[1]) {
			continue
		}
		return in[:p]
	}
	return in
}

// keptInCore drops punctuation, except inside numbers: 3.0 is not 30.
func keptInCore(in []rune, i int) bool {
	r := in[i]
	if letterOrDigit(r) || r >= 0x80 && !(r >= 0x2010 && r <= 0x206f || r >= 0x3000 && r <= 0x303f) {
		return true
	}
	return strings.ContainsRune(".+-:/*%", r) && i > 0 && i+1 < len(in) && (digit(in[i-1]) || letter(in[i-1])) && (digit(in[i+1]) || letter(in[i+1]))
}

// positive turns the A不A question into A: 防不防水 and 甜不甜 ask what 防水吗 and
// 甜吗 ask. A 不 at the end asks too: 甜不. Any other negation stays.
func positive(out, in []rune) []rune {
	for i := 0; i < len(in); i++ {
		r := in[i]
		if (r == '不' || r == '没') && i > 0 && i+1 < len(in) && in[i-1] == in[i+1] && in[i-1] >= 0x4e00 {
			i++ // A不A: the second A is the first
			continue
		}
		if r == '不' && i >= 3 && i+2 < len(in) && in[i-2] == in[i+1] && in[i-1] == in[i+2] && in[i-1] >= 0x4e00 {
			i += 2 // AB不AB
			continue
		}
		if r == '不' && i > 0 && last(in, i) {
			continue
		}
		out = append(out, r)
	}
	return out
}

func last(in []rune, i int) bool {
	for _, r := range in[i+1:] {
		if letterOrDigit(r) {
			return false
		}
	}
	return true
}

// synonyms maps a word to what stands for all words of its meaning; "" drops it.
var synonyms = func() *lexicon.Set[string] {
	m := map[string]string{}
	for to, cell := range map[string]string{
		"": "请问|问一下|问下|想问|主播|老板|姐姐|哥哥|小姐姐|小哥哥|宝宝|宝子|宝贝|宝|亲|亲爱的|老师|美女|帅哥|你们家|你家|咱家|咱们|你们|这个|这款|这件|这条|这双|这瓶|这盒|这种|这|那个|那款|那件|那|它|" +
			"一下|下|啊|呀|呢|吗|嘛|么|哦|哈|吧|啦|了|的|呗|噢|哇|哟|嗯|诶|唉|现在|今天|目前|到底|都|就|也|还|我想知道|知道|麻烦|帮忙|求|产品|东西|是|个|会",
		"$价": "多少钱|多钱|几钱|价格|价钱|啥价|什么价格|什么价|几块|几块钱|多少米|多少元|怎么卖|咋卖|卖多少|卖多少钱|报价|价位|价格多少|多少价格|多少块|多少块钱|什么价位|价钱多少|啥价格",
		"什么": "啥|什么|甚么", "怎么": "咋|怎么|怎样|怎么样|如何|咋样", "能": "能|可以|能不能|可不可以|可|能用|可以用|能不能用|可不可以用|行", "有": "有|还有|有没有|有木有",
		"发货时间": "什么时候发货|啥时候发货|多久发货|几天发货|何时发货|什么时间发货|几时发货|多久能发货|什么时候能发货|几号发货|啥时候能发货|几天能发货|多长时间发货",
		"到货时间": "多久到|几天到|什么时候到|啥时候到|多久能到|几天能到|什么时候能到|多长时间到|几天到货|多久到货",
		"什么快递": "什么快递|啥快递|发什么快递|发啥快递|哪家快递|用什么快递|走什么快递|什么物流|哪个快递",
		"怎么用":  "怎么用|咋用|如何使用|怎么使用|咋使用|使用方法|用法", "怎么吃": "怎么吃|咋吃|吃法|如何吃",
		"怎么买": "怎么买|咋买|怎么拍|咋拍|怎么下单|在哪买|哪里买|哪买|去哪买|在哪里买|在哪里拍|在哪拍|哪里拍|怎么购买|哪里下单|在哪下单",
		"没车":  "没车|没有车|车没|没得车", "没抢到": "没抢到|没拍到|没买到|没抢上|没拍上|抢不到|拍不到|买不到|没有抢到|没有拍到|没有买到|没能抢到|根本抢不到|压根抢不到|压根没有抢到|压根就没有抢到|完全抢不到",
		"再上": "再上|再上点|在上点|多上点|继续上|接着上|再上一点|再来点|再加点|再补点", "有用": "有用|管用|有效|有效果|好使", "用几": "能用几|可以用几|用几", "用多久": "能用多久|可以用多久|用多久", "有货": "有货|还有货|有没有货|有现货|库存|有库存", "包邮": "包邮|免邮|免运费", "保质期": "保质期|保质期多久|保质期多长|保质期多长时间|保质期是多久",
		"优惠": "优惠|优惠活动|活动|折扣|打折|便宜点|便宜", "券": "券|优惠券|劵|优惠劵", "赠品": "赠品|送什么|送啥|什么礼物|什么赠品|什么礼品|啥礼物|啥赠品|礼品",
		"牌子": "牌子|品牌|什么牌|什么牌子|啥牌子|什么品牌|哪个牌子|哪个品牌|啥品牌|哪家牌子|啥牌", "材质": "材质|什么材质|面料|什么面料|什么料子|料子|啥材质|啥面料", "孕妇": "孕妇|怀孕|孕期|孕妈",
		"看": "看|看看|看下|看一下|展示|瞅瞅|看一看", "试": "试|试试|试下|试一下|试穿|试一试", "讲": "讲|讲讲|讲解|讲一下|讲下|讲解一下|介绍|介绍一下|介绍下|说说|说一下|说下",
	} {
		lexicon.Words(m, to, cell)
	}
	return lexicon.New(m)
}()

func englishCore(in []rune) string {
	var words []string
	i := 0
	for i < len(in) {
		if !wordRune(in, i) {
			i++
			continue
		}
		if n, to := englishSynonyms.Longest(in, i); n > 0 {
			if to != "" {
				words = append(words, to)
			}
			i += n
			continue
		}
		j := i
		for j < len(in) && wordRune(in, j) {
			j++
		}
		words = append(words, drawn(in[i:j]))
		i = j
	}
	return strings.Join(words, " ")
}

// drawn is a word without the letters that draw it out: noo, backk.
func drawn(word []rune) string {
	const shortest = 3
	n := len(word)
	for n >= shortest && letter(word[n-1]) && word[n-1] == word[n-2] {
		n--
	}
	return string(word[:n])
}

func wordRune(in []rune, i int) bool {
	r := in[i]
	return letterOrDigit(r) || r >= 0xc0 || r == '\'' && i > 0 && i+1 < len(in) && letter(in[i-1]) && letter(in[i+1]) || keptInCore(in, i)
}

var englishSynonyms = func() *lexicon.Set[string] {
	m := map[string]string{}
	for to, cell := range map[string]string{
		"":       "a|an|the|is|are|am|was|do|does|did|you|u|your|ur|you're|youre|guys|i|we|me|us|it|its|it's|this|that|these|those|they|can|could|would|will|please|pls|plz|hi|hello|hey|ok|so|just|of|to|for|in|at|on|and|one|ones|still|have|has|be|been|there|what's|whats|now|today",
		"$price": "how much|price|cost|what's the price|whats the price|how much is it|how much does it cost|what is the price|how much are they|how much is this|how much is that|prices",
		"show":   "show|see|look at|let me see|show me", "size": "size|sizes|sizing", "color": "color|colors|colour|colours", "restock": "restock|restocking|restocked|back in stock",
		"missyou": "miss you|miss u|missed you|missed u|miss ya|miss youu*|missing you", "lag": "lag|lagg*|lags|lagging|laggy|lagged",
		"ship": "ship|shipping|delivery|deliver", "when": "when|what time", "any": "any|some|more",
	} {
		lexicon.Words(m, to, cell)
	}
	return lexicon.New(m)
}()

func letterOrDigit(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x4e00 && r <= 0x9fff
}
