package filter

import (
	"slices"

	"livehost/aggregator/lexicon"
)

// The built-in lists are short on purpose: a list that blocks 然后 is a fault. A
// word of allowed that covers a listed one lets it pass.

var chinese = build(map[Reason]string{
	Sensitive: "傻逼|傻b|煞笔|沙比|傻比|操你|草泥马|尼玛死|去死吧|死全家|婊子|贱人|狗杂种|王八蛋|滚你妈|你妈死|妈逼|鸡巴|" +
		"赌博|博彩|六合彩|赌场|百家乐|彩票群|赌球|网赌|时时彩|裸聊|约炮|约吗|同城约|色情|一夜情|援交|包养|嫖娼|卖淫|成人视频|特殊服务|小姐姐上门|上门按摩|" +
		"冰毒|海洛因|大麻|摇头丸|吸毒|贩毒|迷药|迷奸|听话水|窃听器|代孕|枪支|手枪出售|炸药|雷管|办假证|刻章|假钞|假币|洗钱|自杀|杀了你",
	Spam: "兼职日结|日结兼职|在家兼职|兼职日赚|打字兼职|打字员|点赞兼职|点赞赚钱|日赚|日入|月入|躺赚|躺着赚|刷单|刷信誉|招代理|一件代发找|招商加盟|诚招|加盟热线|" +
		"代开发票|代开票|开发票找|贷款秒批|秒批贷款|无抵押贷款|网贷|信用卡套现|花呗套现|花呗提现|征信修复|办信用卡|黑户|免费领取iphone|免费送iphone|免费领手机|中奖了点|中奖请联系|点我领|" +
		"低价代充|代充|代刷|刷粉|涨粉|买粉丝|买赞|刷赞|卖号|高仿一比一|一比一高仿|a货批发|精仿|复刻表|莆田鞋|出售账号|收米|" +
		"棋牌送|棋牌上分|彩票内幕|彩票带|带赢|炒股群|股票推荐|荐股|牛股推荐|老师带单|带单老师|usdt|u币|比特币|区块链项目|挖矿项目|资金盘|看片加|开挂神器|抢单神器|红包外挂",
})

// whole are spam when nothing else is said.
var whole = list("a货|看片|带单|套现|外挂|办证|收号")

var english = build(map[Reason]string{
	Sensitive: "fuck*|motherfuck*|bitch*|cunt*|nigger*|nigga*|faggot*|retard|slut|whore|porn*|onlyfans|cocaine|heroin|meth|kill yourself|kys|rape|rapist|cnm|nmsl",
	Spam: "free crypto|bitcoin giveaway|double your bitcoin|crypto giveaway|forex|earn money fast|a day from home|500 a day|passive income|work from home and earn|make money online|cash app me|" +
		"cashapp flip|free followers|buy followers|buy cheap followers|free gift card|free iphone|click the link to win|casino bonus|online casino|sports betting|sugar daddy|sugar baby|" +
		"replica watches|best replica|loan approved",
})

var allowed = list("大麻袋|大麻布|大麻籽|大麻叶纹|然后|可靠|吸毒面膜|炸药包造型|海洛因价格战|预约吗|特约|大约吗|节约|合约|签约|包养生|包养护|上门服务安装|" +
	"收号码|打字员工|简约|契约|续约|邀约|公约|条约|隐约|大麻花|大麻烦|大麻将|大麻椒|大麻辣|大麻团|日入手|日入住|日入库|日入仓|日入会|月入手|月入住|月入库|月入仓|月入会|" +
	"色情侣|色情况|色情人|色情绪|沙比较|沙比例|沙比萨|洗钱包|刷粉底|刷粉饼|刷粉扑|刷粉状|包养活|包养殖|收米线|收米饭|收米色|收米粉|卖号码|黑户外|黑户型")

func build(cells map[Reason]string) *lexicon.Set[Reason] {
	m := map[string]Reason{}
	for reason, cell := range cells {
		lexicon.Words(m, reason, cell)
	}
	return lexicon.New(m)
}

// words looks for Chinese in folded text, where words cannot be split, and for
// English in the question, where word boundaries still are, as typed and as meant;
// folded single words catch look-alike letters.
func (f *Filter) words(match, question []rune) Verdict {
	if n := startsWith(whole, match, 0); n > startsWith(f.allowed, match, 0) && n == len(match) {
		return Verdict{Reason: Spam, Span: string(match)}
	}
	for _, try := range [...]struct {
		set *lexicon.Set[Reason]
		in  []rune
		off bool // nothing of it can be there
	}{
		{chinese, match, false}, {english, question, !slices.ContainsFunc(question, letter)}, {english, match, !slices.ContainsFunc(match, letter)},
		{f.extra, match, f.extra.Empty()}, {f.extra, question, f.extra.Empty()},
	} {
		if try.off {
			continue
		}
		if v := f.find(try.set, try.in); v.Reason != None {
			return v
		}
	}
	return Verdict{}
}

func (f *Filter) find(set *lexicon.Set[Reason], in []rune) Verdict {
	for i := 0; i < len(in); i++ {
		covered := max(startsWith(allowed, in, i), startsWith(f.allowed, in, i))
		if n, reason := set.Longest(in, i); n > covered {
			return Verdict{Reason: reason, Span: string(in[i : i+n])}
		}
		i += max(0, covered-1)
	}
	return Verdict{}
}
