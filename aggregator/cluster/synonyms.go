package cluster

import (
	"strings"

	"livehost/aggregator/lexicon"
)

// synonyms maps a word to what stands for all words of its meaning; "" drops it.
var synonyms = func() *lexicon.Set[string] {
	m := map[string]string{}
	for to, cell := range map[string]string{
		"": "请问|问一下|问下|想问|主播|老板|姐姐|哥哥|小姐姐|小哥哥|宝宝|宝子|宝贝|宝|亲|亲爱的|老师|美女|帅哥|你们家|你家|咱家|咱们|你们|这个|这款|这件|这条|这双|这瓶|这盒|这种|这|那|它|" +
			"一下|啊|呀|呢|吗|嘛|么|哦|哈|吧|啦|了|的|呗|噢|哇|哟|嗯|诶|唉|现在|今天|目前|到底|都|就|也|还|我想知道|知道|麻烦你|麻烦您|麻烦问一下|麻烦问下|麻烦主播|麻烦帮忙|帮忙|求|产品|东西|是|个|会",
		"$价": "多少钱|多钱|几钱|价格|价钱|啥价|什么价格|什么价|几块|几块钱|多少米|多少元|怎么卖|咋卖|卖多少|卖多少钱|报价|价位|价格多少|多少价格|多少块|多少块钱|什么价位|价钱多少|啥价格",
		"什么": "啥|什么|甚么", "怎么": "咋|怎么|怎样|怎么样|如何|咋样", "能": "能|可以|能不能|可不可以|可|能用|可以用|能不能用|可不可以用|可用|行", "有": "有|还有|有木有|有么有|有冇有",
		"发货时间": "什么时候发货|啥时候发货|多久发货|几天发货|何时发货|什么时间发货|几时发货|多久能发货|什么时候能发货|几号发货|啥时候能发货|几天能发货|多长时间发货",
		"今天发货": "今天发货|今天能发货|今天可以发货|今天会发货|今天就发货|今天能发|今天可以发|今天会发|今天发吗|今天发么|今天发嘛|今天就发|今天寄|今天能寄", "今天到货": "今天到货|今天能到|今天可以到|今天会到|今天到吗|今天到么|今天能到货",
		"到货时间": "多久到|几天到|什么时候到|啥时候到|多久能到|几天能到|什么时候能到|多长时间到|几天到货|多久到货|啥时候能到|几时到|何时到",
		"什么快递": "什么快递|啥快递|发什么快递|发啥快递|哪家快递|用什么快递|走什么快递|什么物流|哪个快递",
		"怎么用":  "怎么用|咋用|如何使用|怎么使用|咋使用|使用方法|用法", "怎么吃": "怎么吃|咋吃|吃法|如何吃|怎么食用|如何食用|食用方法",
		"怎么买": "怎么买|咋买|怎么拍|咋拍|怎么下单|在哪买|哪里买|哪买|去哪买|在哪里买|在哪里拍|在哪拍|哪里拍|怎么购买|哪里下单|在哪下单",
		"没车":  "没车|没有车|车没|没得车", "没抢到": "没抢到|没拍到|没买到|没抢上|没拍上|抢不到|拍不到|买不到|没有抢到|没有拍到|没有买到|没能抢到|么抢到|么拍到|么买到|根本抢不到|压根抢不到|压根没有抢到|压根就没有抢到|完全抢不到",
		"再上": "再上|再上点|在上点|多上点|继续上|接着上|再上一点|再来点|再加点|再补点", "有用": "有用|管用|有效|有效果|好使", "用几": "能用几|可以用几|用几", "用多久": "能用多久|可以用多久|用多久", "有货": "有货|还有货|库存|有库存", "包邮": "包邮|免邮|免运费", "保质期": "保质期|保质期多久|保质期多长|保质期多长时间|保质期是多久",
		"优惠": "优惠|优惠活动|活动|折扣|打折|便宜点|便宜", "券": "券|优惠券|劵|优惠劵", "赠品": "赠品|送什么|送啥|什么礼物|什么赠品|什么礼品|啥礼物|啥赠品|礼品",
		"牌子": "牌子|品牌|什么牌|什么牌子|啥牌子|什么品牌|哪个牌子|哪个品牌|啥品牌|哪家牌子|啥牌", "材质": "材质|材质是什么|面料是什么|材质什么|面料什么|什么材料|材料是什么|什么材质|面料|什么面料|什么料子|料子|啥材质|啥面料", "孕妇": "孕妇|怀孕|孕期|孕妈", "那个": "那个|那款|那件|那条|那双|那瓶|那盒|那种", "2xl": "xxl|2xl", "3xl": "xxxl|3xl", "4xl": "xxxxl|4xl", "还是": or, "真": "真的这么|真的那么|真这么|真那么",
		"哪": "哪个|哪款|哪种|哪一个|哪一款|哪一种", "有什么": "有哪些", "在哪": "在哪里|在哪儿", "几号链接": "哪个链接|哪号链接|多少号链接|链接几号|链接是几号|在几号链接|是几号链接",
		"能退": "能退货|可以退货|可退货|支持退货|支持退", "能换": "能换货|可以换货|可换货|支持换货|支持换", "质保": "质保|保修", "产地": "产地|哪里产|哪产|哪里生产|在哪生产|在哪里生产|产地哪里|产地是哪里|产地在哪|产地在哪里",
		"哪里发货": "哪里发货|从哪里发货|哪发货|从哪发货|在哪发货|在哪里发货|哪儿发货|发货地是哪里|发货地哪里|发货地在哪", "怎么洗": "怎么洗|咋洗|如何洗|怎么清洗|咋清洗|如何清洗|怎么清洁|如何清洁|清洗方法",
		"怎么保存": "怎么保存|咋保存|如何保存|怎么存放|如何存放|咋存放|怎么储存|如何储存|咋储存", "找客服": "怎么联系客服|怎么找客服|客服在哪|客服在哪里|客服怎么联系|哪里联系客服|如何联系客服|在哪联系客服",
		"小孩": "小孩|小孩子|孩子|小朋友|儿童", "老人": "老人|老年人|老人家", "男": "男生|男士|男人", "女": "女生|女士|女人", "狗": "狗狗", "猫": "猫咪|猫猫",
		"敏感肌": "敏感肌|敏感皮|敏感肌肤|敏感皮肤", "油皮": "油皮|油性皮肤|油性皮|油性肌肤", "干皮": "干皮|干性皮肤|干性皮|干性肌肤", "kg": "kg|公斤|千克", "ml": "ml|毫升", "cm": "cm|厘米|公分",
		"几颜色": "几种颜色|有几个颜色|有几种颜色|几个色|有几个色", "几口味": "几种口味|有几个口味|有几种口味|几个味道|几种味道", "卖完": "卖完|卖光|抢完|抢光|售罄",
		"太贵": "太贵|好贵|有点贵|真贵|贵了", "为什么这么": "为什么这么|怎么这么|咋这么|为啥这么|怎么那么|咋那么|为什么那么|为啥那么", "到手$价": "到手价|到手多少|到手多少钱|到手价多少|到手价多少钱|到手价是多少|到手什么价|到手价格|到手价格多少",
		"没声音": "没声音|没有声音|听不到声音|听不见声音", "太卡": "太卡|好卡|很卡|真卡|卡住|卡顿|有点卡", "下播时间": "几点下播|什么时候下播|啥时候下播|播到几点|播到什么时候|播到啥时候",
		"开播时间": "几点开播|什么时候开播|啥时候开播|几点播|什么时候播|啥时候播|什么时候直播|啥时候直播|几点直播",
		"穿什么码": "穿什么码|穿啥码|穿多大|穿多大码|穿几码|穿什么尺码|拍什么码|拍啥码|拍多大|拍多大码|拍几码|选什么码|选啥码|选多大码|买什么码|买啥码|买多大码", "穿着什么码": "穿的什么码|穿的啥码|穿的几码|穿的多大|穿的多大码|穿的是什么码|穿的是啥码|穿的是几码|穿的是多大|穿的是多大码",
		"看": "看|看看|看下|看一下|展示|瞅瞅|看一看", "试": "试|试试|试下|试一下|试穿|试一试", "讲": "讲|讲讲|讲解|讲一下|讲下|讲解一下|介绍|介绍一下|介绍下|说说|说一下|说下",
	} {
		lexicon.Words(m, to, cell)
	}
	for _, w := range wholes {
		m[w] = w
	}
	m["那么"] = "这么"
	for _, w := range crossed("么|木|冇|莫", "有|得|货|车|拍|抢|买|领|到") { // 没 as some say it
		m[w] = strings.Replace(w, w[:len("么")], "没", 1)
	}
	for _, w := range crossed("生锈|掉色|褪色|起球|缩水|变形|变质|过期|坏|裂|破|断|碎|漏|化|臭|发霉|过敏|开胶|掉毛|涨价|降价|中奖|中福袋|抽中", "了|啦") {
		m[w] = w[:len(w)-len("了")] + "了" // it has happened; without 了 it may
	}
	for _, w := range crossed("多少", "克|斤|瓶|片|粒|颗|包|袋|支|只|件|寸|瓦|个|盒|罐|枚|码|岁|层") {
		m[w] = "几" + strings.TrimSuffix(strings.TrimPrefix(w, "多少"), "个")
	}
	m["多少个月"] = "几个月"
	for _, w := range crossed("看|讲|说|试|介绍|"+briefly, "下一|下个|下面|下次|下午|下周") {
		m[w] = strings.Replace(w, "介绍", "讲", 1)
	}
	for _, w := range crossed(briefly, "下") {
		m[w] = strings.TrimSuffix(w, "下")
	}
	return lexicon.New(m)
}()

// briefly are verbs that 下 only softens: 搭下 is 搭. What is not done briefly keeps it: 下架,
// 放得下, and 播下一个 is not 播一个.
const briefly = "搭|搭配|带|戴|穿|补|开|拿|转|发|加|拍|配|播|等|换|打|查|改|挂|对比|回复"

// wholes are words that hold a character which carries nothing by itself: a 充电宝 is no
// 充电, 几点下播 not 几点播, 不会用 not 不用.
var wholes = strings.Split("充电宝|珠宝|宝石|元宝|支付宝|淘宝|宝马|宝妈|宝藏|亲肤|亲子|亲测|亲戚|父亲|母亲|毛呢|呢子|呢大衣|呢料|茶吧|酒吧|网吧|吧台|吧唧|"+
	"会员|会所|约会|聚会|年会|机会|演唱会|音乐会|不会用|不会拍|不会买|不会弄|不会装|不会穿|不会抢|不会领|不会操作|不知道|女孩子|男孩子|个月|个子|个人|个护|个性|"+
	"成都|首都|都市|退还|归还|返还|还款|目的|的确|了解|要么|哈密|哈尔滨|这么|多么", "|")

var englishSynonyms = func() *lexicon.Set[string] {
	m := map[string]string{}
	for to, cell := range map[string]string{
		"":       "a|an|the|is|are|am|do|does|you|u|your|ur|you're|youre|guys|i|we|me|us|it|its|it's|this|that|these|those|they|can|could|would|will|please|pls|plz|hi|hello|hey|ok|so|just|of|to|for|in|at|and|one|ones|still|have|has|be|been|there|there's|i'm|im|they're|now|today|does it come in|do they come in|does this come in|do these come in",
		"$price": "how much|price|cost|what's the price|whats the price|how much is it|how much does it cost|what is the price|how much are they|how much is this|how much is that|prices",
		"show":   "show|see|look at|let me see|show me", "size": "size|sizing", "color": "color|colour", "colors": "colors|colours", "restock": "restock|restocking|restocked|back in stock",
		"than this": "than this|than this one|than these", "than that": "than that|than that one|than those", "or this": "or this|or this one|or these", "or that": "or that|or that one|or those",
		"missyou": "miss you|miss u|missed you|missed u|miss ya|miss youu*|missing you", "lag": "lag|lagg*|lags|lagging|laggy|lagged",
		"ship": "ship|ships|shipping|delivery|deliver", "when": "when|what time", "what": "what|what's|whats", "what made of": "what's it made of|what is it made of|made of what|what it's made of",
		"what size wearing": "what size are you|what size are u|what size r u|what size are you in|what size are you wearing|what size are u wearing|what size r u wearing|what size you wearing|what size u wearing|what size do you have on|what size you have on",
		"must":              "must|have to|has to|need to|needs to",
		"which":             "which|which one's|which ones", "where": "where|where's|wheres", "when come in": "when does it come in|when do they come in|when does this come in", "run": "run|runs", "run large": "run large|run big|runs large|runs big",
		"how buy": "how to buy|how do i buy|how can i buy|how do you buy|how to order|how do i order|how can i order|how do you order|how to purchase|how do i purchase", "available": "available|still available|any left|still left|in stock|still in stock|still have it|still have this|still have any",
		"limit 1": "limit one|limit of one|limit 1", "for 1": "for one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", "10": "ten",
		"sale": "on sale", "for sale": "for sale|4 sale", "try": "try|try on|tries on|trying on", "live": "on live|live", "ship today": "ship today|ships today|shipping today|shipped today|delivered today",
		"usa":      "usa|the us|the usa|to us|to the us|to the usa|in the us|in the usa|america|united states|the united states|the states",
		"one size": "one size|one size only|one size fits all", "one piece": "one piece|1 piece", "2xl": "xxl|2xl", "3xl": "xxxl|3xl", "4xl": "xxxxl|4xl", "any": "any|some|any more|anymore|some more",
	} {
		lexicon.Words(m, to, cell)
	}
	return lexicon.New(m)
}()
