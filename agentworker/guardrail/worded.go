package guardrail

import "regexp"

// wordings are statements that are said in too many ways for a list of phrases.
var wordings = []struct {
	detail string
	said   *regexp.Regexp
	cores  []string // what evidence must hold one of; none: never fine
}{
	{"promise of dispatch without evidence", regexp.MustCompile(`(?i)(今天|今晚|今儿|当天|当日|马上|立刻|立马|现在|即刻)(就|能|可以|给您|帮您|就能|直接)*(发走|发出|发货|寄出|寄|出库|发(?:[，,。！!]|$))|(ships?|sent|goes) out (today|tonight|right away|immediately)`), []string{"当天发", "当日发", "今天发", "same day", "same-day", "ships today"}},
	{"free shipping without its condition", regexp.MustCompile(`(?i)(一|1|单)(条|件|个|双|瓶|盒|份|包|单)(也|都|就|起|就能)*(包邮|免邮)|包邮[^。]{0,6}不用凑|不用凑单?[^。]{0,6}包邮|(都|全部?|通通)包邮|free shipping on (every|all|any)`), []string{"全场包邮", "一件包邮", "单件包邮", "都包邮", "free shipping on all"}},
	{"compensation without evidence", regexp.MustCompile(`(我们|我这边|咱们|店里|商家|卖家)[^，,。]{0,4}(承担|赔|补|报销|退给|出运费|出邮费|包赔)|(赔|补偿|补)给?(您|你)|运费[^，,。]{0,6}退给?(您|你)`), []string{"承担", "赔", "补差", "补偿", "运费险"}},
	{"after-sales promise without evidence", regexp.MustCompile(`(?i)(用|穿|摔|弄|坏)坏?了?[^，,。]{0,6}(换新|换个?新|包换|免费修|给您换|给你换)|多久都(管|换|退|保|能)|一直(管|包)(换|修|退)|(return|send it back|bring it back) (it )?any ?time|no questions asked|for life\b`), []string{"换新", "包换", "no questions asked", "any time", "for life"}},
	{"testimony without evidence", regexp.MustCompile(`(?i)(好多|很多|不少|大家|姐妹们?|宝宝们|宝妈们?|客户|顾客|买家|粉丝|老客|回头客|用过的)[^，,。]{0,6}(都说|都在说|反馈|反映|说(好|舒服|有用|喜欢|效果|管用)|都夸|都回购|评价都)|(everyone|everybody|customers|people|buyers|lots of people|users) (say|says|love|loves|rave|report|tell)`), []string{"好评", "反馈", "reviews"}},
	{"bearing of water without evidence", regexp.MustCompile(`(?i)(下雨|淋雨|雨天)[^，,。]{0,4}(没事|不怕|也能穿|不湿|照样)|不怕(雨|水|淋)|keeps? you dry|handles? (light |heavy |the )?rain|rain-?proof|weather-?proof|(fine|ok|okay|good|great) (in|for) (the |light |heavy )?rain`), []string{"防水", "防泼水", "waterproof", "water-resistant", "rainproof"}},
	{"efficacy without evidence", regexp.MustCompile(`(?i)(肠胃|睡眠|皮肤|气色|关节|血管)[^，,。]{0,4}(舒服|好了|变好|改善|通畅)|不便秘|不失眠|不长痘|痘痘?(没|消|少)了|瘦了?[0-9一二三四五六七八九十]+斤|(一|两|三|1|2|3|几)(天|周|个月)[^，,。]{0,4}(见效|变白|变瘦|瘦|白|好了|有效果)`), nil},
	{"care without evidence", regexp.MustCompile(`(?i)机洗|洗衣机|水洗|干洗|漂白|烘干|高温消毒|微波炉|洗碗机|machine[- ]wash\w*|tumble[- ]dry|dry[- ]clean|dishwasher|microwave`), []string{"机洗", "洗衣机", "水洗", "干洗", "烘干", "微波", "洗碗机", "machine wash", "tumble dry", "dry clean", "dishwasher", "microwave"}},
	{"promise of new stock without evidence", regexp.MustCompile(`(?i)(下周|明天|后天|月底|下个?月|过(两|几)天|这两天|马上|很快|天后)[^，,。]{0,5}(补货|到货|上架|返场|有货)|(会|就|能)再?(补货|返场|上架)|(be|get) restock\w*|restock(ing|ed)? (soon|next|tomorrow)|back in stock (soon|next|tomorrow)`), []string{"补货", "到货", "返场", "restock"}},
	{"promise of arrival without evidence", regexp.MustCompile(`(?i)(明天|后天|今晚|今天|当天|周[一二三四五六日末]|下周)[^，,。]{0,4}(就|能|可以|会)+(收到|拿到|到货|送到|到手|送达|到家)|(have|get|receive) (it|them) (by|on|before) (mon|tue|wed|thu|fri|sat|sun|tomorrow|tonight|the weekend|this week|christmas)|arrives? (by|on|before) (mon|tue|wed|thu|fri|sat|sun|tomorrow|the weekend)`), []string{"次日达", "隔日达", "当日达", "明天到", "next day", "next-day"}},
	{"vague price", regexp.MustCompile(`[一二三四五六七八九十百千两0-9](多|来)(块|元)|(几|十几|好几)(十|百)?(块|元)|(一杯奶茶|一顿饭|一顿外卖|一包烟|一杯咖啡)(的)?钱`), nil},
	{"efficacy without evidence", regexp.MustCompile(`(用|吃|喝|敷|抹|涂)(了|完|上)?[^，,。]{0,3}(就|会|能)?(变?白了?|瘦|年轻|亮一)($|[^\p{Han}]|了|的|一)`), nil},
	{"superlative", regexp.MustCompile(`(?i)(全网|全国|全世界|行业|同类|市面上|这个价位)[^，,。]{0,4}(第一|之最|最|天花板|没有对手)|天花板|没有比(这|它|我们)[^，,。]{0,6}更|史上最|no\.? ?1\b|top[- ]?1\b|\bbest[- ]in[- ]class|nothing beats|you won't find (a )?(better|cheaper)`), nil},
}

// worded is the first of the wordings that the text has and evidence does not hold.
func (in *Input) worded() (at, detail string) {
	text := plain(in.Text)
	for _, w := range wordings {
		for _, i := range w.said.FindAllStringIndex(text, -1) {
			if turned(text[:i[0]]) || refused(text[i[1]:]) || asked(text[i[1]:]) || in.Evidence.on(text, i[0]).holdsOne(w.cores, text) {
				continue
			}
			return text[i[0]:i[1]], w.detail
		}
	}
	return "", ""
}
