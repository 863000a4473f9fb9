package guardrail

import "regexp"

// wordings are statements that are said in too many ways for a list of phrases.
var wordings = []struct {
	detail string
	said   *regexp.Regexp
	cores  []string // what evidence must hold one of
	own    bool     // or what the first group matched; neither: never fine
}{
	{"promise of dispatch without evidence", regexp.MustCompile(`(?i)(今天|今晚|今儿|当天|当日|马上|立刻|立马|现在|即刻)(就|能|可以|给您|帮您|就能|直接)*(发走|发出|发货|寄出|寄|出库|发(?:[，,。！!]|$))|(ships?|sent|goes) out (today|tonight|right away|immediately)`), []string{"当天发", "当日发", "今天发", "same day", "same-day", "ships today"}, false},
	{"free shipping without its condition", regexp.MustCompile(`(?i)(一|1|单)(条|件|个|双|瓶|盒|份|包|单)(也|都|就|起|就能)*(包邮|免邮)|包邮[^。]{0,6}不用凑|不用凑单?[^。]{0,6}包邮|(都|全部?|通通)包邮|free shipping on (every|all|any)`), []string{"全场包邮", "一件包邮", "单件包邮", "都包邮", "free shipping on all"}, false},
	{"compensation without evidence", regexp.MustCompile(`(我们|我这边|咱们|店里|商家|卖家)[^，,。]{0,4}(承担|赔|补|报销|退给|出运费|出邮费|包赔)|(赔|补偿|补)给?(您|你)|运费[^，,。]{0,6}退给?(您|你)`), []string{"承担", "赔", "补差", "补偿", "运费险"}, false},
	{"after-sales promise without evidence", regexp.MustCompile(`(?i)(用|穿|摔|弄|坏)坏?了?[^，,。]{0,6}(换新|换个?新|包换|免费修|给您换|给你换)|多久都(管|换|退|保|能)|一直(管|包)(换|修|退)|(return|send it back|bring it back) (it )?any ?time|no questions asked|for life\b`), []string{"换新", "包换", "no questions asked", "any time", "for life"}, false},
	{"testimony without evidence", regexp.MustCompile(`(?i)(好多|很多|不少|大家|姐妹们?|宝宝们|宝妈们?|客户|顾客|买家|粉丝|老客|回头客|用过的)[^，,。]{0,6}(都说|都在说|反馈|反映|说(好|舒服|有用|喜欢|效果|管用)|都夸|都回购|评价都)|(everyone|everybody|customers|people|buyers|lots of people|users) (say|says|love|loves|rave|report|tell)`), []string{"好评", "反馈", "reviews"}, false},
	{"bearing of water without evidence", regexp.MustCompile(`(?i)(下雨|淋雨|雨天)[^，,。]{0,4}(没事|不怕|也能穿|不湿|照样)|不怕(雨|水|淋)|keeps? you dry|handles? (light |heavy |the )?rain|rain-?proof|weather-?proof|(fine|ok|okay|good|great) (in|for) (the |light |heavy )?rain`), []string{"防水", "防泼水", "waterproof", "water-resistant", "rainproof"}, false},
	{"efficacy without evidence", regexp.MustCompile(`(?i)(肠胃|睡眠|皮肤|气色|关节|血管)[^，,。]{0,4}(舒服|好了|变好|改善|通畅)|不便秘|不失眠|不长痘|痘痘?(没|消|少)了|瘦了?[0-9一二三四五六七八九十]+斤|(一|两|三|1|2|3|几)(天|周|个月)[^，,。]{0,4}(见效|变白|变瘦|瘦|白|好了|有效果)`), nil, false},
	{"care without evidence", regexp.MustCompile(`(?i)机洗|洗衣机|水洗|干洗|漂白|烘干|高温消毒|微波炉|洗碗机|machine[- ]wash\w*|tumble[- ]dry|dry[- ]clean|dishwasher|microwave`), []string{"机洗", "洗衣机", "水洗", "干洗", "烘干", "微波", "洗碗机", "machine wash", "tumble dry", "dry clean", "dishwasher", "microwave"}, false},
	{"promise of new stock without evidence", regexp.MustCompile(`(?i)(下周|明天|后天|月底|下个?月|过(两|几)天|这两天|马上|很快|天后)[^，,。]{0,5}(补货|到货|上架|返场|有货)|(会|就|能)再?(补货|返场|上架)|(be|get) restock\w*|restock(ing|ed)? (soon|next|tomorrow)|back in stock (soon|next|tomorrow)`), []string{"补货", "到货", "返场", "restock"}, false},
	{"promise of arrival without evidence", regexp.MustCompile(`(?i)(明天|后天|今晚|今天|当天|明早|明晚|周[一二三四五六日末]|下周)[^，,。不没]{0,4}(就|能|可以|会|准|必)+(到$|到[，。！哦哈呀]|收到|拿到|到货|送到|到手|送达|到家)|(have|get|receive) (it|them) (by|on|before) (mon|tue|wed|thu|fri|sat|sun|tomorrow|tonight|the weekend|this week|christmas)|arrives? (by|on|before) (mon|tue|wed|thu|fri|sat|sun|tomorrow|the weekend)`), []string{"次日达", "隔日达", "当日达", "明天到", "next day", "next-day"}, false},
	{"vague price", regexp.MustCompile(`[一二三四五六七八九十百千两0-9](多|来)(块|元)|(几|十几|好几)(十|百)?(块|元)|[两三四五一]位数|[一二三四五六七八九]字头|红票子|小[一两二三几]?[十百千](块|元|$|[，。！!])|(给|帮|为)(您|你)(再|多)?(便宜|优惠|抹个?零|打个?折)|(一杯奶茶|一顿饭|一顿外卖|一包烟|一杯咖啡)(的)?钱`), nil, false},
	{"efficacy without evidence", regexp.MustCompile(`(用|吃|喝|敷|抹|涂)(了|完|上)?[^，,。]{0,3}(就|会|能)?(变?白了?|瘦|年轻|亮一)($|[^\p{Han}]|了|的|一)`), nil, false},
	{"superlative", regexp.MustCompile(`(?i)(全网|全国|全世界|行业|同类|市面上|这个价位)[^，,。]{0,4}(第一|之最|最|天花板|没有对手)|天花板|没有比(这|它|我们)[^，,。]{0,6}更|史上最|no\.? ?1\b|top[- ]?1\b|\bbest[- ]in[- ]class|nothing beats|you won't find (a )?(better|cheaper)`), nil, false},
	{"medical claim", regexp.MustCompile(`对(您的?|你的?|我们的?)?(嗓子|喉咙|肠胃|胃|肠道|眼睛|视力|身体|心脏|血管|血压|血糖|睡眠|关节|肝|肾|肺|记忆力|健康)(有|比较|很|特别|都|也|挺|非常|是|超)*(好|好处|有益|帮助)|(缓解|改善|减轻|预防|调理|调节|促进|增强|提高|提升|加速|加快|帮助|有助于?|有利于|有益于?)(您的|人体|身体|肠道|肠胃|新陈)?(咳嗽|咳|感冒|发烧|头[痛疼]|疼痛|痛经|经期|失眠|睡眠|便秘|消化|代谢|血液循环|肠道|肠胃|蠕动|免疫|抵抗|记忆|视力|内分泌|体质|血糖|血压|血脂|疲劳|炎症|湿疹|鼻炎|关节|骨骼|发育|脱发|白发)|(例假|经期|姨妈期?|月经)[^，,。]{0,4}(喝|吃|用)[^，,。]{0,4}(好|舒服|缓解)|(吃|喝)[^，,。]{0,3}(不胖|不发胖|不长胖|不长肉)|美容养颜|养颜|不上火|[去降败]火|清热|解酒|醒酒|暖胃|驱寒|抗疲劳|[补健]脑|肠道(很|更|变|会|就)*(通畅|舒服|健康)`), nil, false},
	{"medical claim", regexp.MustCompile(`(good|great|wonderful|excellent) for (your |the |a )?(sore )?(throat|digestion|gut|stomach|heart|liver|joints|immun\w*|coughs?|colds?|sleep|blood|bones|brain|eyes|health)\b|\b(helps?|aids?|improves?|boosts?|promotes?|supports?|strengthens?|relieves?|eases?|prevents?|fights?|calms?|cures?) (with )?(your |the |a )?(digest\w*|sleep|immun\w*|metabolism|circulation|throat|coughs?|colds?|flu|pain|joints?|gut|memory|inflammation|headaches?|constipation|insomnia|fatigue|anxiety|hormones?)\b|keeps? (the )?(colds?|flu|doctor) away|keeps? you healthy|(dermatologist|doctor|clinically|lab|fda)[- ](approved|tested|recommended|proven)`), nil, false},
	{"efficacy without evidence", regexp.MustCompile(`(?:修复|修护|淡化|去除|去|祛|消除|改善|抚平|减少|缩小|收缩|提亮|焕亮|告别|击退|赶走|抑制|抗|预防)(?:受损|皮肤|肌肤|面部|脸上|的)*(皮肤|肌肤|屏障|痘印|痘痘?|闭口|黑头|粉刺|毛孔|细纹|皱纹|法令纹|色斑|斑点|斑|暗沉|肤色|黑眼圈|眼袋|过敏|红血丝|泛红|疤痕|妊娠纹|头屑)`), nil, true},
	{"efficacy without evidence", regexp.MustCompile(`(?:皮肤|肌肤|脸|毛孔|痘痘?|斑|皱纹|细纹|黑眼圈|气色)(?:会|能|就|都|也|变得?|明显|真的|慢慢|会慢慢|更|特别)*(变好|好了|变小|小了|变白|白了|白嫩|变细|细腻|嫩|没了|消失|淡了|变淡|年轻)|[0-9一二两三四五六七八九十几](?:周|天|个月|个疗程)(?:就|能|可以|之?后|内|左右)*(?:看到|见到|看见|有|出)(?:明显|得见)?的?(效果|变化|改善)|[天周月]焕然一新`), nil, false},
	{"efficacy without evidence", regexp.MustCompile(`\b(?:reduces?|shrinks?|minimi[sz]es?|erases?|fades?|removes?|clears?|fights?|gets? rid of|smooths?|tightens?|repairs?) (?:up )?(?:your |the |dark |fine |large |visible )*(pores?|wrinkles?|fine lines|spots?|blemishes|acne|pimples|blackheads|scars?|dark circles|dandruff)\b`), nil, true},
	{"efficacy without evidence", regexp.MustCompile(`(clears?|repairs?|heals?|transforms?) (up )?(your |the )?skin\b|skin( will| gets?| looks?| is)* (glow\w*|brighter|whiter|clearer|younger|smoother)|looks? (\w+ years |much |years )?younger|results (in|within|after) (\w+ )?(days?|weeks?|nights?)`), nil, false},
	{"superlative", regexp.MustCompile(`\b(the|our|their|its) ((soft|warm|light|thin|thick|fast|strong|smooth|cheap|fin|great|high|nic|pretti|healthi|fresh|tasti|cozi|saf|pur|rich|sharp|cool|hott|clean|bright|comfi|sturdi|tough|quick)est|most (comfortable|popular|loved|effective|affordable|advanced|durable|powerful|beautiful|trusted|reliable|authentic|delicious|luxurious|wanted|recommended))\b|\b(top|highest|finest|unmatched|unrivalled|unrivaled)[- ](quality|sell\w*|rated|grade)|\bnumber (1|one) (in|on|for|brand|choice|seller)|i assure you|i swear`), nil, false},
	{"does what no tool did", regexp.MustCompile(`(?:我|我这边|这边|这就|马上|现在|立刻|已经?)(?:就|来|会|可以|能|先|马上|直接|立刻|已经)*(?:给|帮|为|替)(?:您|你|咱|大家)(?:这边|直接|再|多|先|全额|免费|单独)*(?:申请|办理|处理|安排|操作|提交|发起|做)?(?:好|了)?(?:个|一个|一下|点|些)?(退款|退钱|退费|退货|补发|补寄|换货|换新|重发|重寄|改价|改地址|改了|取消|赔|补偿|报销|打折|优惠|便宜|降价|抹零|抹个零|留货|留一|预留|锁定|加急|插队)`), nil, false},
	{"does what no tool did", regexp.MustCompile(`\bi('ll| will|'ve| have| can|'m)( already| just| now| going to)* (refund\w*|cancel\w*|replac\w*|reship\w*|resend|resent|compensat\w*|reserv\w*|send you (a |another )?(new|replacement|free)|give you (a )?(discount|refund)|change your (order|address)|lower the price|hold (it|one) for you)`), nil, false},
	{"after-sales promise without evidence", regexp.MustCompile(`(?:坏|破|碎|有问题|质量问题|不满意|不合适|不喜欢|过敏)[^，,。不没]{0,6}(退钱|退款|全额退|给您退|给你退)|(?:退钱|退款)给(您|你)`), []string{"退款", "退货", "退换", "无理由"}, false},
	{"after-sales promise without evidence", regexp.MustCompile(`(?:坏|破|碎|有问题|质量问题|不满意|不合适|不喜欢|过敏|丢)了?[^，,。不没]{0,6}(赔|补发|重发|补寄|换新)|we('ll| will)( \w+)? (refund|replace|reship|compensate|pay for)`), nil, true},
	{"after-sales promise without evidence", regexp.MustCompile(`(拆|洗|用|穿|吃|剪|开|试)(封|了|过|开|标|掉)+(吊牌|包装)?[^，,。]{0,3}(也|都|照样|一样|还)(能|可以|给|支持|给您)*(退|换)`), nil, false},
	{"free shipping without evidence", regexp.MustCompile(`(不收|不用|无需|没有|免收|免)(您|你|再|另)*(付|出|掏|给)?(任何)?(运费|邮费|快递费)($|[^险])|(运费|邮费|快递费)[^，,。]{0,4}(我们?|商家|店里|咱们?|卖家)(这边)?(出|承担|包|付|来)|(运费|邮费|快递费)[^，,。]{0,6}(免了|全免|免掉|不收|不要|不用(付|出|给))`), []string{"包邮", "免运费", "运费0", "邮费0", "免邮", "运费险"}, false},
	{"carrier without evidence", regexp.MustCompile(`(京东快递|京东物流|京东配送|\bems\b|邮政|申通|韵达|极兔|德邦|圆通|中通|百世|菜鸟直送|丹鸟|fedex|\bdhl\b|\busps\b)`), nil, true},
	{"promise of dispatch without evidence", regexp.MustCompile(`(马上|立刻|立马|这就|现在就|今天|今晚|当天|半天内?|一小时内)(就|能|可以|会|给您|帮您|为您|安排|拍|下单|付款)*(今天|今晚|当天|马上)?(就|能|安排)*(发出|发货|发走|寄出|寄走|出库|走($|[，。！哦哈]))`), []string{"当天发", "当日发", "今天发", "same day", "same-day", "ships today"}, false},
	{"promise of arrival without evidence", regexp.MustCompile(`(周末|周[一二三四五六日天]|月底|年前|节前|过年|春节|中秋|国庆|隔天|隔日|第二天|次日|半天|当晚)(之?前|里|以前|内|就|能|可以|会|都)*(到$|到[，。！哦哈呀]|收到|拿到|到货|送到|到手|送达|到家|到您|到你)`), []string{"次日达", "隔日达", "当日达", "第二天", "隔天", "年前"}, false},
	{"store claim without evidence", regexp.MustCompile(`(好评如潮|回头客|自家工厂|自己的?工厂|自有工厂|(?:我们|咱们?)(?:家|店|自己)*有工厂|品牌方授权|同一个?(?:工厂|厂|生产线)|一个厂|[0-9一二三四五六七八九十百千万]+(?:个|多)?粉丝|[0-9]+[%％]的?好评|(?:same|own) factory|sold (?:thousands|hundreds|millions)|(?:thousands|hundreds|millions) (?:sold|of (?:these|happy|customers)))`), nil, true},
	{"medical claim", regexp.MustCompile(`(失眠|便秘|咳嗽|咽炎|鼻炎|胃炎|痛经|感冒|发烧|头[痛疼]|湿疹|脱发|贫血|血糖高|血压高|血脂高|高血糖|糖尿病|高血压|三高|痛风|体虚|气虚|宫寒|关节炎|颈椎病)(?:的?(?:人|朋友|宝宝|姐妹|宝妈|话|时候)?们?)(?:也|都|可以|能|就|睡前|每天|平时|的|多|放心|随便)*(?:喝|吃|用|试|来一|敷|贴)|对(?:失眠|便秘|咳嗽|咽炎|鼻炎|胃炎|痛经|感冒|发烧|头[痛疼]|湿疹|脱发|贫血|血糖高|血压高|血脂高|高血糖|糖尿病|高血压|三高|痛风|体虚|气虚|宫寒|关节炎|颈椎病)[^，,。不没]{0,4}(好|帮助|有用|有效|管用)|(?:喝|吃|用)[^，,。不没]{0,4}(?:气色|身体|睡眠|血管|肠胃|关节|眼睛)(?:都|会|更|变|越来越)*(?:好|棒)|(?:喝|吃)出(?:好|健康)|(?:医生|专家|大夫|营养师)[^，,。不没]{0,3}(?:推荐|认可)`), nil, false},
	{"medical claim", regexp.MustCompile(`(great|good|perfect|ideal|helps?|works?) (if|when|for when) (you|you're|you are)( \w+)? (can't sleep|cannot sleep|sick|ill|constipated|a cold|a cough|a sore throat)|\bremed(y|ies)\b|\bslows? (down )?ag(e?ing)|\bbotox\b`), nil, false},
	{"superlative", regexp.MustCompile(`天下第一|(销量|全国|行业|全网|国内)[^，,。]{0,4}前[一二三五十0-9]|(占有率|市场|口碑|品质|质量|颜值|人气|舒适度|回购)[^，,。]{0,3}第一|(媲美|秒杀|赶超|不输|比肩|堪比)(国际|一线)?(大牌|专柜|奢侈品?|名牌|医美)|比(大牌|专柜|医美|名牌)还|界的?(爱马仕|劳斯莱斯|茅台|lv|香奈儿|扛把子)|奢侈品级|万里挑一|没谁了|闭眼(入|买|冲|拿|下单)|不(会)?踩雷|救星|no other \w+ (comes? close|compares?)|\bthe ultimate\b|will (never|not ever) (pill|fade|break|shrink|tear|rip|wear out)|luxury[- ]grade|better than (designer|luxury|big|any other) \w+`), nil, false},
	{"about other shops", regexp.MustCompile(`(他们家?|别人家?|人家|隔壁|别家|其他家|同行)[^，,。]{0,4}(偷工减料|缺斤少两|掺假|不新鲜|没售后|以次充好)|other (sellers?|shops?|stores?|hosts?|brands?)( \w+){0,2} (rip|scam|cheat|lie|overcharge)\w*|(cheaper|better) than (on )?(amazon|temu|shein|ebay|walmart|taobao|jd)`), nil, false},
	{"asks for what is private", regexp.MustCompile(`把(您|你)?的?(手机号?码?|电话|身份证号?|银行卡号?|密码|验证码)[^，,。]{0,3}(发|给|告诉|留)(在|给)?(我|主播|后台|这)|留(个|一下|下)?(您|你)?的?(手机|电话)|我[^，,。不没]{0,3}打(给|电话给)(您|你)|(leave|send|give|tell)( me)? your (phone|number|email|card|password|address)`), nil, false},
	{"store claim without evidence", regexp.MustCompile(`(源头厂家|明星[^，,。]{0,3}(?:用|推荐)|[几好数]?[十百千万]+(?:个)?人(?:都)?(?:买|用|下单|回购)过?|sgs|央视|featured on|as seen on)`), nil, true},
	{"material without evidence", regexp.MustCompile(`(?:全|纯|真|是|用的?是?|材质|面料|成分|头层)(?:是|为|:|的)*(棉麻|棉|亚麻|羊毛|羊绒|真丝|蚕丝|牛皮|羊皮|真皮|涤纶|聚酯纤维|尼龙|莫代尔|天丝|竹纤维|雪纺|不锈钢|实木|陶瓷|玻璃|硅胶|铝合金|钛)`), nil, true},
	{"material without evidence", regexp.MustCompile(`(?:it's|it is|they are|they're|made (?:of|from)|all|pure|real) (?:\d+% )?(cotton|linen|wool|cashmere|silk|leather|polyester|nylon|bamboo|stainless steel|solid wood|ceramic|silicone)\b`), nil, true},
	{"fit without evidence", regexp.MustCompile(`(均码|正码|偏大|偏小|[拍买选](?:大|小)一?码)`), nil, true},
}

// worded is the first of the wordings that the text has and evidence does not hold.
func (in *Input) worded() (at, detail string) {
	text := plain(in.Text)
	for _, w := range wordings {
		for _, i := range w.said.FindAllStringSubmatchIndex(text, -1) {
			if turned(text[:i[0]]) || refused(text[i[1]:]) || asked(text[i[1]:]) {
				continue
			}
			cores := w.cores
			if w.own && i[2] >= 0 {
				cores = []string{text[i[2]:i[3]]}
			}
			if w.detail == "medical claim" && doctor.MatchString(text) || in.Evidence.on(text, i[0]).holdsOne(cores, text) {
				continue
			}
			return text[i[0]:i[1]], w.detail
		}
	}
	return "", ""
}
