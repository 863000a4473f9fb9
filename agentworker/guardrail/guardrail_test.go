package guardrail_test

import (
	"encoding/json"
	"strings"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/harness"
	"livehost/streams/event"
)

// Results that cases refer to by letter.
var results = map[rune]string{
	'a': `{"link_id":"1","product_id":"p1","name":"羊毛围巾","price":"89元","price_fen":8900,"list_price":"129元","saving":"40元","stock":120,"in_stock":true,"stock_text":"库存充足","promotion":"满300减50","sku_names":"灰色、驼色","shipping":"48小时内发货，满99包邮","after_sales":"七天无理由退换","name_en":"wool scarf","promotion_en":"¥50 off over ¥300","price_en":"¥89","attributes":{"材质":"100%羊毛"}}`,
	'b': `{"link_id":"2","product_id":"p2","name":"棉帽","price":"1,299.00元","price_fen":129900,"stock":0,"in_stock":false,"stock_text":"已售罄","promotion":"两件八折"}`,
	'm': `{"link_id":"3","name":"T恤","sku":"M码","price":"99元","price_fen":9900,"stock":3,"in_stock":true}`,
	'l': `{"link_id":"3","name":"T恤","sku":"L码","price":"109元","price_fen":10900,"stock":0,"in_stock":false}`,
	'p': `{"link_id":"4","name":"袜子","promotion":"第二件半价","items":[{"text":"第二件半价"},{"text":"买三送一"}],"price":"19.9元","price_fen":1990,"final_price":"14.9元","final_price_fen":1490}`,
	's': `{"text":"现货48小时内发货，3-5天送到，新疆西藏不发","ships_within":"48小时","fee":"10元","carriers":"中通、圆通"}`,
	'r': `{"text":"支持七天无理由退换，运费险已赠送","return_days":7,"warranty":"一年质保"}`,
	'z': `{"link_id":"1","name":"羊毛围巾","size":"M","text":"身高165厘米体重55公斤建议穿M码"}`,
	'c': `{"a":{"link_id":"1","name":"羊毛围巾","price":"89元","price_fen":8900},"b":{"link_id":"5","name":"丝巾","price":"119元","price_fen":11900},"price_difference":"30元","difference_text":"丝巾贵30元"}`,
	'f': `{"link_id":"8","name":"洋槐蜂蜜","price":"59元","price_fen":5900,"stock":30,"in_stock":true,"promotion":"","attributes":{"净含量":"500克","保质期":"18个月（一年半）","配料":"洋槐蜂蜜","产地":"陕西"},"shipping":"48小时内发货，3-5天送到","after_sales":"食品签收后不支持无理由退换"}`,
	'k': `{"link_id":"9","name":"控油面霜","price":"89元","price_fen":8900,"stock":30,"in_stock":true,"attributes":{"适用肤质":"油皮和混油皮","规格":"50克一瓶","功效":"控油保湿","酒精":"不含酒精"}}`,
	'j': `{"link_id":"10","name":"轻薄外套","attributes":{"防水":"不支持","材质":"聚酯纤维95%，氨纶5%","尺码":"S、M、L、XL","厚度":"0.5毫米"}}`,
	'e': `{"link_id":"11","name":"Light jacket","attributes":{"water":"not water-repellent","material":"95% polyester, 5% spandex","sizes":"S, M, L","weight":"300 g"},"shipping":"ships within 48 hours, arrives in 3-5 days","return_days":7,"after_sales":"7 day returns"}`,
	'w': `{"link_id":"12","name":"智能手环","attributes":{"防水":"IPX4防汗","续航":"7天"}}`,
	'd': `{"link_id":"6","name":"外套","price":"299元","price_fen":29900,"promotion":"打八五折","stock":5,"in_stock":true}`,
}

func evidence(t *testing.T, letters, facts, question string) *guardrail.Evidence {
	t.Helper()
	e := &guardrail.Evidence{}
	for _, l := range letters {
		r := guardrail.ToolResult{Tool: "item", Args: map[string]any{}, Fields: []harness.FactField{{Kind: "price", Field: "price_fen"}, {Kind: "stock", Field: "stock"}}}
		switch {
		case l == '-': // link 77 was looked for
			r.Code, r.Args = guardrail.CodeNotFound, map[string]any{"link_id": "77"}
			r.Data = map[string]any{"error": "NOT_FOUND", "link_id": "77"}
		case l == '?': // 雪地靴 was looked for
			r.Code, r.Args = guardrail.CodeNotFound, map[string]any{"query": "雪地靴"}
			r.Data = map[string]any{"error": "NOT_FOUND", "query": "雪地靴"}
		default:
			if err := json.Unmarshal([]byte(results[l]), &r.Data); err != nil {
				t.Fatalf("result %c: %v", l, err)
			}
			r.Args = map[string]any{"link_id": r.Data["link_id"]}
		}
		e.AddResult(r)
	}
	e.AddFacts(facts)
	e.AddWords(question)
	return e
}

type textCase struct {
	check    string
	text     string
	results  string // letters of results
	question string
	facts    string
	want     string // the span objected to; "" when fine; "*" for any finding
}

var textCases = []textCase{
	// grounding, prices
	{"grounding", "围巾今天89元", "a", "", "", ""},
	{"grounding", "围巾八十九块", "a", "", "", ""},
	{"grounding", "围巾¥89.00", "a", "", "", ""},
	{"grounding", "到手价89", "a", "", "", ""},
	{"grounding", "原价129元，现在89元，省40元", "a", "", "", ""},
	{"grounding", "围巾今天79元", "a", "", "", "79元"},
	{"grounding", "围巾七十九块", "a", "", "", "七十九块"},
	{"grounding", "只要89.9元", "a", "", "", "89.9元"},
	{"grounding", "89块9", "a", "", "", "89块9"},
	{"grounding", "今天89元", "", "", "", "89元"},
	{"grounding", "羊毛围巾89，棉帽1299", "ab", "", "", ""},
	{"grounding", "羊毛围巾1299，棉帽89", "ab", "", "", "1299"},
	{"grounding", "羊毛围巾2024款，89元", "a", "", "2024款", ""},
	{"grounding", "羊毛围巾129元", "a", "", "", "129元"},
	{"grounding", "这条要40元", "a", "", "", "40元"},
	{"grounding", "The scarf is $89", "a", "", "", "$8"},
	{"grounding", "材质是Tritan杯身，304刀头", "", "", "304刀头", ""},
	{"grounding", "XXL也有", "j", "", "", "XXL"},
	{"grounding", "没有XXL，最大XL", "j", "", "", ""},
	{"grounding", "有红色和灰色", "a", "", "", "红色"},
	{"grounding", "红色没有，灰色有", "a", "", "", ""},
	{"grounding", "It comes in red", "a", "", "", "red"},
	{"grounding", "It is ordered a lot and comes in red", "a", "", "", "red"},
	{"grounding", "It is ordered a lot and comes in grey", "a", "", "颜色 grey", ""},
	{"grounding", "48小时内就到", "s", "", "", "48小时"},
	{"grounding", "可以发新疆", "s", "", "", "发新疆"},
	{"grounding", "新疆发不了哦", "s", "", "", ""},
	{"grounding", "新疆的朋友您好，48小时内发货", "s", "", "", ""},
	{"grounding", "您说的1元没有哦", "a", "1元卖吗", "", "1元"},
	{"grounding", "今天89元", "", "", "价格89元", "89元"},
	{"grounding", "棉帽1299元", "b", "", "", ""},
	{"grounding", "棉帽1,299.00元", "b", "", "", ""},
	{"grounding", "棉帽一千二百九十九元", "b", "", "", ""},
	{"grounding", "棉帽1.3千元", "b", "", "", "1.3千元"},
	{"grounding", "1号89元，2号1299元", "ab", "1号2号多少钱", "", ""},
	{"grounding", "1号1299元", "ab", "1号多少钱", "", "1299元"},
	{"grounding", "2号89元", "ab", "2号多少钱", "", "89元"},
	{"grounding", "羊毛围巾1299元", "ab", "", "", "1299元"},
	{"grounding", "棉帽1299元，羊毛围巾89元", "ab", "", "", ""},
	{"grounding", "M码99元", "ml", "", "", ""},
	{"grounding", "L码109元", "ml", "", "", ""},
	{"grounding", "L码99元", "ml", "", "", "99元"},
	{"grounding", "丝巾比围巾贵30元", "c", "", "", ""},
	{"grounding", "围巾89元，丝巾119元", "c", "", "", ""},
	{"grounding", "丝巾贵20元", "c", "", "", "20元"},
	{"grounding", "两双袜子算下来14.9元", "p", "", "", ""},
	{"grounding", "运费10元", "s", "", "", ""},
	{"grounding", "运费12元", "s", "", "", "12元"},
	{"grounding", "运费8元，满99包邮", "", "", "运费8元，满99包邮", ""},
	{"grounding", "The scarf is ¥89 today", "a", "", "", ""},
	{"grounding", "The scarf is 89 yuan", "a", "", "", ""},
	{"grounding", "It's eighty-nine yuan", "a", "", "", ""},
	{"grounding", "The scarf is ¥79 today", "a", "", "", "¥79"},
	{"grounding", "Only 79 yuan today", "a", "", "", "79 yuan"},
	{"grounding", "link 1 is ¥89", "a", "link 1", "", ""},
	{"grounding", "link 2 is ¥89", "ab", "link 2", "", "¥89"},
	// grounding, promotions
	{"grounding", "满300减50", "a", "", "", ""},
	{"grounding", "每满三百减五十", "a", "", "", ""},
	{"grounding", "满200减50", "a", "", "", "满200减50"},
	{"grounding", "满300减80", "a", "", "", "满300减80"},
	{"grounding", "¥50 off over ¥300", "a", "", "", ""},
	{"grounding", "¥80 off over ¥300", "a", "", "", "¥80 off over ¥300"},
	{"grounding", "两件八折", "b", "", "", ""},
	{"grounding", "2件8折", "b", "", "", ""},
	{"grounding", "两件七折", "b", "", "", "两件七折"},
	{"grounding", "打八折", "b", "", "", "八折"},
	{"grounding", "第二件半价", "p", "", "", ""},
	{"grounding", "第2件五折", "p", "", "", ""},
	{"grounding", "第二件免单半价没有，买三送一", "p", "", "", "*"},
	{"grounding", "买三送一", "p", "", "", ""},
	{"grounding", "买二送一", "p", "", "", "买二送一"},
	{"grounding", "全场半价", "a", "", "", "半价"},
	{"grounding", "今天85折", "d", "", "", ""},
	{"grounding", "15% off today", "d", "", "", ""},
	{"grounding", "20% off today", "d", "", "", "20% off"},
	{"grounding", "second item half price", "p", "", "", ""},
	{"grounding", "buy two get one", "p", "", "", "buy two get one"},
	// grounding, stock
	{"grounding", "还有120件", "a", "", "", ""},
	{"grounding", "库存120", "a", "", "", ""},
	{"grounding", "只剩12件", "a", "", "", "只剩12件~"},
	{"grounding", "有货的", "a", "", "", ""},
	{"grounding", "有货的", "b", "", "", "有货"},
	{"grounding", "有货的", "", "", "", "有货"},
	{"grounding", "已经售罄了", "b", "", "", ""},
	{"grounding", "已经卖完了", "b", "", "", ""},
	{"grounding", "已经卖完了", "a", "", "", "卖完"},
	{"grounding", "1号有货，2号售罄", "ab", "1号2号有吗", "", ""},
	{"grounding", "1号售罄", "ab", "1号有吗", "", "售罄"},
	{"grounding", "不确定有没有货，您看链接页", "", "", "", ""},
	{"grounding", "有货会第一时间上架", "", "", "", "有货"},
	{"grounding", "M码只剩3件", "ml", "", "", ""},
	{"grounding", "L码售罄", "ml", "", "", ""},
	{"grounding", "120 pieces left", "a", "", "", ""},
	{"grounding", "only 5 left", "a", "", "", "5 left"},
	{"grounding", "Link 1 is in stock", "a", "link 1", "", ""},
	{"grounding", "It is sold out", "a", "", "", "sold out"},
	// grounding, other numbers
	{"grounding", "48小时内发货", "s", "", "", ""},
	{"grounding", "两天内发货", "s", "", "", ""},
	{"grounding", "3-5天送到", "s", "", "", ""},
	{"grounding", "3到5天送到", "s", "", "", ""},
	{"grounding", "24小时内发货", "s", "", "", "24小时"},
	{"grounding", "三天内送到", "", "", "", "三天"},
	{"grounding", "七天无理由退换", "r", "", "", ""},
	{"grounding", "支持7天退换", "r", "", "", ""},
	{"grounding", "支持十五天退换", "r", "", "", "十五天"},
	{"grounding", "质保一年", "r", "", "", ""},
	{"grounding", "质保两年", "r", "", "", "两年"},
	{"grounding", "身高165厘米建议M码", "z", "", "", ""},
	{"grounding", "一米六五穿M码", "z", "", "", ""},
	{"grounding", "110斤穿M码", "z", "", "", ""},
	{"grounding", "175厘米穿M码", "z", "", "", "175厘米"},
	{"grounding", "您175厘米的话看尺码表", "z", "我175厘米穿什么", "", ""},
	{"grounding", "含棉量95%", "", "", "棉95%", ""},
	{"grounding", "含棉量95%", "", "", "棉80%", "95%"},
	{"grounding", "2024款新品", "", "", "", "2024款"},
	{"grounding", "2024款新品", "", "", "2024款", ""},
	{"grounding", "12号链接在下面", "", "12号在哪", "", ""},
	{"grounding", "12号链接在下面", "", "", "", "12号链接"},
	{"grounding", "本场没有77号链接", "-", "77号多少钱", "", ""},
	{"grounding", "一件也可以发", "", "", "", ""},
	{"grounding", "两款都好看", "", "", "", ""},
	{"grounding", "您好，想看哪一款", "", "", "", ""},
	{"grounding", "ships within 48 hours", "s", "", "", ""},
	{"grounding", "arrives in 2 weeks", "s", "", "", "2 weeks"},
	// not_in_room
	{"not_in_room", "本场没有77号链接哦", "-", "77号多少钱", "", ""},
	{"not_in_room", "77号89元", "-a", "77号多少钱", "", "89元"},
	{"not_in_room", "没有77号，1号89元可以看看", "-a", "77号多少钱", "", "89元"},
	{"not_in_room", "没有雪地靴哦", "?", "有雪地靴吗", "", ""},
	{"not_in_room", "雪地靴89元", "?a", "有雪地靴吗", "", "89元"},
	{"not_in_room", "1号89元", "-a", "1号多少钱", "", ""},
	// identity
	{"identity", "我是AI主播哦", "", "你是机器人吗", "", ""},
	{"identity", "我是真人主播", "", "你是机器人吗", "", "我是真人"},
	{"identity", "我可不是机器人", "", "", "", "我可不是机器人"},
	{"identity", "我 是 真 人", "", "", "", "我是真人"},
	{"identity", "我 · 是 - 真  人", "", "", "", "我是真人"},
	{"identity", "想看哪款打编号", "", "你是真人吗", "", "*"},
	{"identity", "想看哪款打编号", "", "这款多少钱", "", ""},
	{"identity", "这款扫地机器人续航不错", "", "这款怎么样", "", ""},
	{"identity", "I am a real person", "", "are you a bot", "", "I am a real person"},
	{"identity", "I'm an AI host", "", "are you a bot", "", ""},
	{"identity", "Just tell me the link number", "", "are you human?", "", "*"},
	// leakage
	{"leakage", "围巾89元", "", "", "", ""},
	{"leakage", "<tool_call>查一下", "", "", "", "<tool_call"},
	{"leakage", "</think>89元", "", "", "", "</think"},
	{"leakage", `{"price":"89元"}`, "", "", "", "*"},
	{"leakage", "我调用get_product查一下", "", "", "", "get_product"},
	{"leakage", "{result.name}89元", "", "", "", "{result"},
	{"leakage", "系统提示词是你是主播", "", "", "", "系统提示词"},
	{"leakage", "Internal error, try again", "", "", "", "Internal error"},
	{"leakage", "NOT_FOUND", "", "", "", "NOT_FOUND"},
	{"leakage", "<|im_start|>好的", "", "", "", "*"},
	{"leakage", "answer的话直接点链接", "", "", "", ""},
	{"leakage", "mode: single", "", "", "", "mode: single"},
	// unsupported claims
	{"unsupported_claims", "全网最低价", "", "", "", "*"},
	{"unsupported_claims", "这是最好的围巾", "", "", "", "最好的"},
	{"unsupported_claims", "最近上新了", "", "", "", ""},
	{"unsupported_claims", "最多两件", "", "", "", ""},
	{"unsupported_claims", "第一件就是它", "", "", "", ""},
	{"unsupported_claims", "销量第一", "", "", "", "销量第一"},
	{"unsupported_claims", "保证不掉色", "", "", "", "保证"},
	{"unsupported_claims", "不能保证明天到", "", "", "", ""},
	{"unsupported_claims", "永久保修", "", "", "", "永久"},
	{"unsupported_claims", "100%羊毛", "a", "", "", ""},
	{"unsupported_claims", "100%羊毛", "", "", "", "*"},
	{"unsupported_claims", "七天无理由退换", "r", "", "", ""},
	{"unsupported_claims", "七天无理由退换", "", "", "", "无理由"},
	{"unsupported_claims", "满99包邮的", "a", "", "", ""},
	{"unsupported_claims", "满99包邮的", "", "", "", "包邮"},
	{"unsupported_claims", "包邮吗这个要看链接", "", "", "", ""},
	{"unsupported_claims", "这款防水", "", "", "", "防水"},
	{"unsupported_claims", "这款不防水", "", "", "", ""},
	{"unsupported_claims", "这款防水", "", "", "表面防水涂层", ""},
	{"unsupported_claims", "能减肥瘦身", "", "", "", "*"},
	{"unsupported_claims", "别家卖得贵", "", "", "", "*"},
	{"unsupported_claims", "the best scarf in the world", "", "", "", "*"},
	{"unsupported_claims", "we guarantee it", "", "", "", "guarantee"},
	{"unsupported_claims", "I can't guarantee the date", "", "", "", ""},
	{"unsupported_claims", "free shipping", "", "", "", "free shipping"},
	{"unsupported_claims", "好的，马上看", "", "", "", ""},
	{"unsupported_claims", "敏感肌可以用", "", "", "", "敏感肌可以用"},
	{"unsupported_claims", "敏感肌没问题", "", "", "", "敏感肌没问题"},
	{"unsupported_claims", "孕妇不能用哦", "", "", "", ""},
	{"unsupported_claims", "儿童不适合", "", "", "", ""},
	{"unsupported_claims", "敏感肌不一定能用", "", "", "", ""},
	{"unsupported_claims", "这款不适合孕妇，敏感肌可以用", "", "", "", "敏感肌可以用"},
	{"unsupported_claims", "Not safe for babies, but it is safe for kids", "", "", "", "safe for kids"},
	{"unsupported_claims", "不过全网最低", "", "", "", "全网最"},
	{"unsupported_claims", "差不多明天就到", "", "", "", "*"},
	{"unsupported_claims", "没得说全网最低", "", "", "", "全网最"},
	{"unsupported_claims", "别家我不清楚，不过他家卖的是假货", "", "", "", "他家卖的是假"},
	{"unsupported_claims", "不说别家贵，隔壁的是高仿", "", "", "", "隔壁的是高仿"},
	{"unsupported_claims", "不是全网最低哦", "", "", "", ""},
	{"unsupported_claims", "别错过全网最低价", "", "", "", "*"},
	{"unsupported_claims", "不要错过全网最低价", "", "", "", "*"},
	{"unsupported_claims", "别犹豫全网最低", "", "", "", "*"},
	{"unsupported_claims", "没有套路全网最低", "", "", "", "*"},
	{"unsupported_claims", "不用等全网最低", "", "", "", "*"},
	{"unsupported_claims", "不多说全网最低", "", "", "", "*"},
	{"unsupported_claims", "别担心全额退款", "", "", "", "*"},
	{"unsupported_claims", "不满意全额退款", "", "", "", "*"},
	{"unsupported_claims", "不喜欢可以随便退", "", "", "", "*"},
	{"unsupported_claims", "别怕终身质保", "", "", "", "*"},
	{"unsupported_claims", "不合适包退", "", "", "", "*"},
	{"unsupported_claims", "不好用全额退款", "", "", "", "*"},
	{"unsupported_claims", "Don't miss the lowest price ever", "", "", "", "*"},
	{"unsupported_claims", "Don't worry full refund guaranteed", "", "", "", "*"},
	{"unsupported_claims", "Not just the lowest price", "", "", "", "*"},
	{"unsupported_claims", "You can't beat the lowest price", "", "", "", "*"},
	{"unsupported_claims", "不能保证最低价", "", "", "", ""},
	{"unsupported_claims", "不敢说全网最低", "", "", "", ""},
	{"unsupported_claims", "不承诺全额退款", "", "", "", ""},
	{"unsupported_claims", "不支持全额退款", "", "", "", ""},
	{"unsupported_claims", "不一定全额退款", "", "", "", ""},
	{"unsupported_claims", "不满意也不能随便退", "", "", "", ""},
	{"unsupported_claims", "不喜欢的话没法全额退款", "", "", "", ""},
	{"unsupported_claims", "I can't promise the lowest price", "", "", "", ""},
	{"contact_bait", "详情加 V 聊", "", "", "", "加 V 聊"},
	{"contact_bait", "袖口加 V 形装饰", "", "", "", ""},
	{"identity", "我是AI主播，我自己没穿过", "", "你穿过吗", "", ""},
	{"identity", "我是AI，我自己不能用", "", "你用过吗", "", ""},
	{"identity", "我自己没穿过，但我一直在用它", "", "", "", "我一直在用它"},
	{"grounding", "新疆不发，可以发西藏", "s", "", "", "发西藏"},
	{"grounding", "不发新疆，可以发西藏", "s", "", "", "发西藏"},
	{"grounding", "不是全国都发", "s", "", "", ""},
	{"grounding", "不知道有没有货，现货还很多", "", "", "", "现货"},
	// contact bait
	{"contact_bait", "加我微信聊", "", "", "", "*"},
	{"contact_bait", "加V信", "", "", "", "*"},
	{"contact_bait", "私聊我", "", "", "", "私聊我"},
	{"contact_bait", "电话13800138000", "", "", "", "13800138000"},
	{"contact_bait", "看 https://example.invalid", "", "", "", "*"},
	{"contact_bait", "DM me for details", "", "", "", "DM me"},
	{"contact_bait", "点购物车下单", "", "", "", ""},
	{"contact_bait", "加\u200b微\u200b信", "", "", "", "*"},
	// sensitive
	{"sensitive", "围巾很好看", "", "", "", ""},
	{"sensitive", "然后呢", "", "", "", ""},
	{"sensitive", "这款可靠", "", "", "", ""},
	{"sensitive", "去赌 博吧", "", "", "", "赌博"},
	{"sensitive", "what the fuck", "", "", "", "fuck"},
	{"sensitive", "a classic scarf", "", "", "", ""},
	// format
	{"reply_format", "围巾今天89元", "", "", "", ""},
	{"reply_format", "", "", "", "", "*"},
	{"reply_format", "\n", "", "", "", "*"},
	{"reply_format", "……", "", "", "", "*"},
	{"reply_format", "拒绝回复", "", "", "", "拒绝回复"},
	{"reply_format", "**限时** 89元", "", "", "", "**"},
	{"reply_format", "一\n二", "", "", "", "*"},
	{"reply_format", "[dog]好的", "", "", "", "[dog]"},
	{"reply_format", "看www.example.invalid", "", "", "", "*"},
	// length
	{"length", strings.Repeat("好", 60), "", "", "", ""},
	{"length", strings.Repeat("好", 61), "", "", "", "好"},
	{"length", strings.Repeat("ok ", 53), "", "", "", ""},
	{"length", strings.Repeat("ok ", 55), "", "", "", "*"},
	// language
	{"language", "围巾今天89元", "", "多少钱", "", ""},
	{"language", "iPhone 15 Pro Max 有货的", "", "有货吗", "", ""},
	{"language", "It is 89 yuan", "", "多少钱", "", "*"},
	{"language", "It is 89 yuan", "", "how much", "", ""},
	{"language", "围巾89元", "", "how much", "", "*"},
	{"language", "こちらは89円です", "", "多少钱", "", "*"},
	{"language", "89", "", "多少钱", "", ""},
}

func TestTexts(t *testing.T) {
	t.Parallel()
	if len(textCases) < 120 {
		t.Fatalf("%d cases", len(textCases))
	}
	checks := guardrail.Checks()
	for _, tt := range textCases {
		lang := "zh"
		if tt.question != "" && !strings.ContainsFunc(tt.question, func(r rune) bool { return r > 127 }) {
			lang = "en"
		}
		in := &guardrail.Input{
			Text: tt.text, Language: lang, Evidence: evidence(t, tt.results, tt.facts, tt.question),
			Internal: []string{"get_product", "answer"},
			Members:  []event.Member{{DanmakuID: "d1", Text: tt.question, Question: tt.question, Language: lang}},
		}
		f, ok := checks[tt.check](in)
		want := strings.TrimSuffix(tt.want, "~")
		switch {
		case ok && tt.want != "":
			t.Errorf("%s: %q passes, want a finding at %q", tt.check, tt.text, tt.want)
		case !ok && tt.want == "":
			t.Errorf("%s: %q is stopped at %q (%s), want it to pass", tt.check, tt.text, f.Span, f.Detail)
		case !ok && tt.want != "*" && f.Span != want && !strings.HasSuffix(want, f.Span):
			t.Errorf("%s: %q is stopped at %q, want %q", tt.check, tt.text, f.Span, tt.want)
		}
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"**限时** 89元":  "限时 89元",
		"# 价格\n- 89元": "价格 89元",
		"[dog]好的`呀`":  "好的呀",
		"a\n\nb":      "a b",
		"__强调__\t一下":  "强调 一下",
	} {
		f, ok := guardrail.ReplyFormat(&guardrail.Input{Text: in})
		if ok || f.Rewrite != want {
			t.Errorf("%q is rewritten to %q, want %q", in, f.Rewrite, want)
		}
		if f2, ok := guardrail.ReplyFormat(&guardrail.Input{Text: f.Rewrite}); !ok {
			t.Errorf("the rewrite %q is stopped at %q", f.Rewrite, f2.Span)
		}
	}
}

func TestRequiredSkill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ needed, loaded, ok bool }{{true, true, true}, {true, false, false}, {false, false, true}} {
		if _, ok := guardrail.RequiredSkill(&guardrail.Input{SkillNeeded: tt.needed, SkillLoaded: tt.loaded}); ok != tt.ok {
			t.Errorf("%+v: ok %v", tt, ok)
		}
	}
}

func TestToolParams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args, question, results string
		ok                      bool
	}{
		{`{"number":"1"}`, "1号多少钱", "", true},
		{`{"number":"1"}`, "一号多少钱", "", true},
		{`{"number":"1"}`, "how much is link 1", "", true},
		{`{"number":"9"}`, "1号多少钱", "", false},
		{`{"number":"2"}`, "别的呢", "b", true},
		{`{"number":["1","9"]}`, "1号多少钱", "", false},
		{`{"number":["1","2"]}`, "1号和2号", "", true},
		{`{}`, "多少钱", "", true},
		{`[1]`, "1号", "", false},
		{`3`, "3号", "", false},
		{`{"other":"9"}`, "1号", "", true},
	} {
		in := &guardrail.Input{
			Evidence: evidence(t, tt.results, "", tt.question),
			Tool:     &guardrail.ToolUse{Name: "item", Args: json.RawMessage(tt.args), LinkParams: []string{"number"}},
		}
		if f, ok := guardrail.ToolParams(in); ok != tt.ok {
			t.Errorf("%s for %q: ok %v (%s)", tt.args, tt.question, ok, f.Detail)
		}
	}
}

// TestShippedFallbacks holds the conservative replies to the checks they must pass
// when they are needed: there is nothing after them.
func TestShippedFallbacks(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range h.Releases() {
		rel, err := h.Release(id)
		if err != nil {
			t.Fatal(err)
		}
		for lang, byIntent := range rel.Fallbacks {
			for intent, texts := range byIntent {
				for _, text := range texts {
					in := &guardrail.Input{Text: text, Language: lang, Evidence: &guardrail.Evidence{}}
					if intent == "identity" {
						in.Members = []event.Member{{Question: "你是机器人吗"}}
					}
					for name, check := range guardrail.Checks() {
						if name == "tool_params" || name == "repeated_failure" {
							continue
						}
						if f, ok := check(in); !ok {
							t.Errorf("%s: fallback %s.%s %q is stopped by %s at %q: %s", id, lang, intent, text, name, f.Span, f.Detail)
						}
					}
				}
			}
		}
	}
}

func BenchmarkChecks(b *testing.B) {
	e := &guardrail.Evidence{}
	var data map[string]any
	if err := json.Unmarshal([]byte(results['a']), &data); err != nil {
		b.Fatal(err)
	}
	e.AddResult(guardrail.ToolResult{Tool: "item", Data: data, Fields: []harness.FactField{{Kind: "price", Field: "price_fen"}}})
	in := &guardrail.Input{Text: "羊毛围巾今天89元，满300减50，还有120件", Language: "zh", Evidence: e, Members: []event.Member{{Question: "1号多少钱"}}}
	checks := guardrail.Checks()
	delete(checks, "tool_params")
	delete(checks, "repeated_failure")
	b.ReportAllocs()
	for b.Loop() {
		for _, check := range checks {
			check(in)
		}
	}
}
