package filter

import "livehost/aggregator/lexicon"

// The lists are short on purpose: a list that blocks 然后 is a fault. A word of
// allowed that covers a listed one lets it pass.

var chinese = build(map[Reason]string{
	Sensitive: "傻逼|煞笔|傻比|操你|草泥马|尼玛死|去死吧|婊子|贱人|狗杂种|王八蛋|滚你妈|你妈死|妈逼|鸡巴|" +
		"赌博|博彩|六合彩|赌场|百家乐|彩票群|裸聊|约炮|色情|一夜情|援交|嫖娼|卖淫|成人视频|" +
		"冰毒|海洛因|大麻|摇头丸|吸毒|贩毒|迷药|迷奸|代孕|枪支|手枪出售|炸药|雷管|办假证|假钞|洗钱|自杀|杀了你",
	Spam: "兼职日结|日结兼职|日赚|日入|月入过万|刷单|刷信誉|招代理|招商加盟|加盟热线|代开发票|贷款秒批|无抵押贷款|网贷|免费领取iphone|" +
		"低价代充|代刷|刷粉|涨粉|买粉丝|高仿一比一|a货批发|复刻表|出售账号|收米",
})

var english = build(map[Reason]string{
	Sensitive: "fuck*|motherfuck*|bitch*|cunt*|nigger*|nigga*|faggot*|retard|slut|whore|porn*|onlyfans|cocaine|heroin|meth|kill yourself|kys|rape|rapist",
	Spam: "free crypto|bitcoin giveaway|crypto giveaway|forex|earn money fast|work from home and earn|make money online|cash app me|" +
		"free followers|buy followers|casino|sports betting|sugar daddy|replica watches",
})

var allowed = list("大麻袋|大麻布|大麻籽|大麻叶纹|然后|可靠|吸毒面膜|炸药包造型|海洛因价格战")

func build(cells map[Reason]string) *lexicon.Set[Reason] {
	m := map[string]Reason{}
	for reason, cell := range cells {
		lexicon.Words(m, reason, cell)
	}
	return lexicon.New(m)
}

// words looks for Chinese in folded text, where words cannot be split, and for
// English in the question, where word boundaries still are; folded single words
// catch look-alike letters.
func words(match, question []rune) Verdict {
	if v := find(chinese, match); v.Reason != None {
		return v
	}
	if v := find(english, question); v.Reason != None {
		return v
	}
	return find(english, match)
}

func find(set *lexicon.Set[Reason], in []rune) Verdict {
	for i := 0; i < len(in); i++ {
		if n, _ := allowed.Longest(in, i); n > 0 {
			i += n - 1
			continue
		}
		if n, reason := set.Longest(in, i); n > 0 {
			return Verdict{Reason: reason, Span: string(in[i : i+n])}
		}
	}
	return Verdict{}
}
