package cluster

import (
	"maps"
	"slices"
	"strings"

	"livehost/aggregator/lexicon"
)

// The word lists, our own, Chinese then English. A Latin word ending in * is a stem.

// intentWords are what a text is judged by: of several words that begin at one place
// the longest counts, so a longer word also guards what it holds (拍照 is not 拍).
var intentWords = build(allCells())

// allCells are the words and the idioms of each sign.
func allCells() map[sign][]string {
	out := maps.Clone(intentCells)
	for of, cells := range idioms {
		out[of] = slices.Concat(out[of], cells)
	}
	return out
}

var intentCells = map[sign][]string{
	identity: {
		"机器人|是真人|真人吗|真人还是|真人在|有真人|是不是真人|是人吗|你是ai|是ai吗|ai主播|ai吗|数字人|虚拟主播|虚拟人|人工智能|实时直播|直播还是录播|是直播吗|是直播嘛|是录播|录播吗|是录像|录像吗|录像吧|自动回复|真的假的人|你是谁|谁在回复|大模型|chatgpt",
		"are you a robot|are you a bot|is this a bot|is this ai|are you ai|are you real|are you human|real person|real human|robot|a bot|an ai|who are you|who is you|who is talking|who's talking|is this recorded|is this live",
	},
	complaint: append(append(crossed("说了|讲了|等了", "几遍|三遍|四遍|五遍|六遍|八遍|十遍|n遍|多少遍|半天|一天|一晚|一上午|一下午|好久|很久|大半天|一个小时|两个小时|一小时|两小时|几个小时|半小时"), crossed("质量|效果|味道|态度|服务|客服|品质|做工", "差|不好|不行|太差|很差|真差|好差|一般|垃圾")...),
		"什么态度|啥态度|投诉|骗人|骗子|骗钱|欺骗|假货|差评|垃圾|太差|坏的|坏了|坏掉|破损|漏发|少发|发错|一直不发|还不发货|不理我|不理人|不回复|不回我|没人回|没人理|没人管|不处理|过敏了|烂脸|烂了|发霉|变质|馊|有虫子|生虫|长虫|不靠谱|数量少了|退不了|"+
			"忽悠|坑人|太坑|被坑|真坑|黑心|套路|虚假|举报|曝光|维权|12315|失望|掉色了|掉毛了|裂了|漏了|断了|死了好多|不好吃|不好用|不好喝|难吃|难喝|难用|难闻|没效果|没有效果|没啥用|没啥效果|没什么效果|货不对|不一样啊|不诚信|闭嘴|说重点|废话|别废话|磨叽|墨迹|啰嗦|浪费|有病|不要脸|个屁|个鬼|太慢|好慢|太吵|太假|太脏|太乱|急死|等半天|等了半天|等这么久|等太久|等一天|等好久|时间太久|太久了|取关|不公平|吹牛|吹上天|吹过头|吹得太|吹的太|别吹|吹水|吹嘘|夸大|炸呼|咋呼|别吵|别喊|闹挺|闹心|吵死|耍人|耍我|逗我们玩|误导|胡说|瞎说|敷衍|糊弄|内定|黑幕|暗箱|割韭菜|磨蹭|拖时间|拖延时间|坑爹|霸王条款|差劲|恶心|做作|好好说话|装逼|虚伪|大过敏|过敏严重|起疹|起疙瘩|费话|刺鼻|发臭|不给退|不给换|不退钱|全是冰|回答一下问题|回答问题|不回答|再也不|上当|后悔买|智商税",
		"scam*|fake|broken|terrible|disappoint*|worst|ripoff|rip off|damaged|defective|file a complaint|rude|shut up|lied*|not fair|broke|waste of|liar|refund me|so slow|too slow|hurry up|ridiculous|unfair|trash|horrible|annoying|frustrating|lying|cracked",
	),
	price: {
		"开价|开个价|砍价|砍一下|砍到|快砍|降低|降点|降一点|降到|这个多少|那个多少|这款多少|是多少米|多少米|价多少|号多少|链接多少|一共多少|总共多少|一件多少|一双多少|一斤多少|一个多少|炸一波|来波炸|炸福利|炸价|炸一炸|炸个福利|放价|破价|骨折价|去砍|砍|现在多少|号现在多少|多少钱|多钱|几钱|价格|价钱|啥价|什么价|几块|多少米|多少元|怎么卖|咋卖|卖多少|报价|报下价|价位|多少一|多少块|到手价|到手多少|到手是|到手几|到手才|券后|卷后|实付|以旧换新|置换|换新|要钱吗|收钱吗|免费吗|优惠|便宜|少点|再少|打折|折扣|几折|满减|立减|券|红包|半价|降价|减多少|大额|小额|面额|领卷|发卷|0卷|5卷|9卷|卷还有|卷都有|卷多少|多少的卷|有卷|优惠卷|领劵|劵|" +
			"涨价|改价|原价|贵|机制|性价比|划算吗|第二件|买一送|买二送|福利|活动|最低|底价|凑单|九块九|块钱|毛钱|九毛|满几|满多少|抹零|不划算|不值得|不值这|便宜多少",
		"how much|price*|cost*|discount*|coupon*|promo*|deal|deals|on sale|sale price|cheaper|expensive|voucher*|what's the price|percent off|bogo|flash sale|code|dollar*|dolar*|bucks",
	},
	shipping: append(crossed(regions, "打开|开下|发|不发|能发|能到|包邮|怎么不发|为什么不发|为啥不发|怎么发"),
		"满多少包邮|收货|第几批|哪一批|优先发|尽快发|快点发|早点发|先发|赶紧发|预计到|几天能|显示揽收|揽收|没揽|派件|快递费|抓紧发|抓紧时间发|只发|不包邮|还没有收到|没有收到|还没收到|发货|快递|包邮|运费|邮费|物流|顺丰|中通|圆通|申通|韵达|京东快递|邮政|几天到|多久到|多久能到|什么时候到|啥时候到|何时到|能到吗|到货|送到|送货|送达|配送|派送|收到吗|能收到|会收到|才收到|时候收到|几天收到|多久收到|寄|不邮|邮吗|能邮|邮到|可以邮|邮不|现货还是预售|预售还是现货|预售|退货|退款|退换|换货|售后|多久发|几天发|哪天发|时候发|当天发|能发吗|发吗|发不发|发到|"+
			"保修|质保|运费险|能退|可退|可以退|退吗|退不|怎么退|想退|要退|七天无理由|无理由|加急|催发|改地址|换地址|偏远|限地区|限区域|保价险|包赔|包退|包换|签收|没收到|还没发货|包安装|安装吗|安装电视|免费安装|上门安装|安装费|怎么安装|区域限制|地域限制|区域被限|没打开|地区打开|打开地区|驿站|发往",
		"ship*|deliver*|how long to arrive|arrive*|return*|refund*|exchange|tracking|warranty|international|express|customs|where is my order|where's my order|my package|my parcel|change my order|change my address|not received|never arrived|never received",
	),
	size: append(crossed("穿|拍|买|要|选", "s|m|l|xl|xs|xxl|xxxl|s码|m码|l码"),
		"尺码|码标准|还有更大的|还有更小的|还有大一点|还有小一点|能穿到|可以穿到|码数|号码|多大码|什么码|啥码|几码|穿多大|穿什么码|穿几码|拍多大|拍什么码|选什么码|选码|正码|偏大|偏小|均码|大码|小码|中码|加大|身高|体重|斤穿|斤能穿|cm穿|小个子|大个子|胖子|微胖|梨形|腰围|胸围|臀围|圈口|脚长|大一码|小一码|"+
			"肩宽|卡码|斤可以|斤能|斤可|脚宽|脚胖|脚背高|斤的人|多高穿|高能穿|更大的|更小的|大一点的|小一点的|再大一点|再小一点|都是s|都是m|都是l|穿的s|穿的m|穿的l|显胖|显高|m码|l码|s码|xs码|xl码|xxl码|2xl|3xl|4xl|合身|宽松吗|那个码|脚买|脚穿|平时穿|平常穿|能穿吗|能穿嘛|能穿么|能穿不|可以穿吗|可以穿嘛|可以穿么|能戴吗|可以戴吗|能戴嘛|能戴么",
		"i wear|im a|i'm a size|size*|sizing|1x|2x|3x|4x|5x|med|fit|fits|true to size|oversized|petite|plus size|xs|xl|xxl|2xl|3xl|medium|small or|large or|inseam|waist|lbs|how tall|height|weight|run big|run small|runs big|runs small"),
	membership: {
		"抽!|抽啊|抽吧|抽起来|给我运气|群满|进群|粉丝群|怎么参加|怎么参与|如何参与|如何参加|怎么报名|礼物怎么领|赠品怎么领|礼包怎么领|礼品怎么领|小样怎么领|怎么领礼|怎么领赠|怎么领小样|福袋怎么领|怎么领福袋|赠品在哪领|礼物在哪领|赠品没领|礼包没领|多抽|抽几个|抽几次|多抽几个|抽奖几点|送个|送点|送几|送俩|会员|入会|粉丝团|灯牌|积分|会员等级|粉丝等级|福袋|抽奖|中奖|赠品|赠送|礼物吗|送什么|送啥|送不送|有送|送的吗|什么礼物|礼品|礼物|礼盒送|小样|礼包|礼赠|赠礼|好礼|伴手礼|什么时候抽|啥时候抽|几点抽|还抽|有抽|会抽|要抽|快抽|开始抽|生日礼物|再抽|没抽|不抽|抽吗|再送|不送了|抽一下|抽了吗|抽了嘛|抽了么|抽了没|抽不到|抽中|抽到|抽个|抽不中|没抽半价|抽半价|让我抽|抽号|生日礼|抽我|锦鲤|转盘|开奖|能中吗|会中吗|中了的话|想中|中一次|中一个吧|中不了|没中|又没中|中了吗|我中了|怎么抽|有礼盒|礼盒有|礼盒里|礼盒是|什么礼盒|包装袋|贺卡|免单|发礼物|发奖品|发福袋|送一盒|送一件|送一个|给三盒|送两|秒杀奖",
		"come with|comes with|participate|how do i enter|how to enter|enter the giveaway|member*|loyalty|points|giveaway*|give away*|free gift*|gift with|gift wrap|gift box*|raffle|lucky draw|subscribe|subscriber*|vip|i won|who won|winner*|freebie*",
	},
	wants: {
		"纠结这|纠结买|纠结要|纠结选|纠结中|我也要|都要了|我都要|全要|全都要|就等这个|就等着|就等它|在等这个|专门等|专等|一直在等|等这个等|纠结|我也纠结|相要|好想吃|想囤|想囤货|想试试看|想整一个|想整个|想买|要买|想要|我要|要一|来一|来两|要的|我需要|很需要|正需要|想需要|也需要|急需|需要这个|需要一|给我两|给我来|也给我|必买|必须买|必拍|必须拍|冲着|奔着|蹲一|我是为了|就是为了|专门为了|专程|肯定要|给我一|给我俩|给我定|给我咯|给我呗|就要那|就要这|我就要|想拍|想入|求购|想下单|想吃|好想要|好想买|想喝|要不要买|买不买|该不该买|要不要入|好纠结|很纠结|太纠结|犹豫|再看看|先收藏|再考虑|考虑考虑|考虑一下|想一想再",
		"i'm buying|im buying|i am buying|i'm getting|im getting|i'll take|ill take|i'm gonna get|gonna buy|going to buy|might buy|should i buy|should i get|need two|need three|need four|need 2|need 3|need 4|i'd like|id like|i would like|i'll have|i want|i need|we need|we want|just want|just need|i wanted|need one|need this|want one|want this|need the|need that|need those|need it|need some|need a|need more|want the|want that|want those|want it|want some|gimme|give me",
	},
	order: append(append(append(crossed("拍|买|拍的|买的|拍完|买完|拍完的|买完的|拍了|买了|拍了的|买了的|抢了", "怎么办|咋办|怎么弄|咋弄"), crossed("国补|补贴|券|卷|劵|优惠券|红包", "咋领|哪里领|在哪领|怎么用|咋用|如何用|怎么使用|用不了|不能用|没法用|能用吗|可以用吗|能叠加|叠加|能叠加吗|怎么没有用|领不了|领不到|没领到|领取不了")...),
		crossed("怎么领取|咋领取|领取|怎么领|咋领|哪里领|在哪领|领", "国补|补贴|券|优惠券|红包")...),
		"怎么领|可以叠加|能叠加|能不能叠加|叠加吗|可叠加|领不了卷|领不了券|领不了|领不到|直接拍|直接买|直接下单|只要|只买|只拍|单买|单拍|单独买|单独拍|能单独|就不能一|一个行吗|一件可以吗|实名|提交不了|提交订单|填地址|没有显示|不显示|显示不|加载|转圈|一直转|点不进|进不了|点进去没|怎么进|在哪进|几点玩|今天玩|今天都有|今天有啥|预告|上车啦吗|上车了吗|连接呢|有连接|的连接|号连接|在哪里啊|在哪呢|哪有链接|链接哪|看不到链接|没看到链接|找不到链接|没链接|没有链接|没有连接|再卖会|在卖会|再播会|在播会|再讲会|多播会|别下播|什么时候开始|啥时候开始|还有多久开始|还没开始吗|开始了吗|开始卖|几点|几点钟|结束了吗|结束没|开始没|开始了没|几扁|几号直播|哪天直播|网络卡|网络不好|网卡|信号卡|收不到验证|合并用|合并使用|几张券|能用一张|只能用一张|地区不支持|不支持地区|等双十一|双十一再买|等618|到时候买|以后再买|下次再买|下次买|下个月买|发工资买|以后就买|没抢到链接|链接失效|链接打不开|换链接|分开链接|拆链接|限一人|限一单|一人一单吗|一人限|每人限|限几|限多少|卡住了|卡住|开售了吗|几点开售|什么时候开售|国步|果补|国贴|车在哪|车在哪里|咋抢|抢不了|结束了?|结束了吗|排队到哪|where i am in|in queue|in que|怎么抢的|怎么抢啊|怎么抢呢|从哪拍|晚上买|现在买|待会买|一会买|等会买|等会儿买|国补|补贴|国家补|领取|怎么买|咋买|哪里买|在哪买|哪买|去哪买|从哪买|怎么拍|咋拍|哪里拍|在哪拍|混拍|能拍|可以拍|怎么下单|下单|怎么付|在哪付|从哪付|哪里付|付款|付不了|支付|预约|价保|上链接|挂链接|链接呢|连接呢|连接在哪|几号连接|链接在哪|哪个链接|几号链接|几号车|小黄车|购物车|购物袋|橱窗|上架|拍不了|拍错|买不了|"+
			"点不了|点不开|打不开|进不去|进不到|下不了|弹不出|没弹|弹出来|加购|加车|几单|来回购|特意来买|来买|我买多|买多点|先用后付|货到付款|月付|花呗|白条|分期|免息|限购|发票|保价|差价|靠谱吗|保真|假一赔|有人买过|用券|用劵|用卷|在哪儿买|哪儿买|哪儿拍|来晚了怎么办|在那里拍|在那里买|那里拍|那里买|没有声音|太卡|是几号|几号呀|几号啊|在几号|多少号|能抢|可以抢|抢几|加微信|微信吗|品质保证|质量保证|正品|真假|是真的吗|是真的么|"+
			"留一|留个|给我留|客服在哪|联系客服|找客服|怎么联系|联系小|联系你|小助手|回放|直播几点|几点直播|还直播|直播吗|下次直播|下场直播|下一场|下次什么时候|下次啥时候|下次几点|几点开播|几点开始|几点开抢|几点开卖|特意预约|特意来|几点结束|几点播|什么时候播|啥时候播|每天播|天天播|晚上播|下播|几点下播|明天播|明天还播|播到几点|今天卖什么|今天有什么|没声音|听不见|听不到|卡了|卡死|好卡|什么时候会在直播|在直播|黑屏|没画面",
		"how can i get|how do i get|how can we get|how to get|how do we get|where to get|where is the coupon*|see the coupon|find the coupon|where do i see|spins|spinning|not loading|won't load|wont load|wont let me|keeps loading|fake page|where is it at|not letting me|error|fell out of my cart|out of my cart|lost their basket|lost my basket|lost the basket|my basket|basket|what time did|when is later*|when are you live|when do you go live|what days are you|never lit up|link never|seperate|separate|what time is the live|what time do you go|what time are you live|next drop|when is the next|when's the next|going again|start again|how long until|how long till|where they at*|how do i check|how to check|coupon work*|coupon doesn't|coupon not working|code doesn't work|code not working|use the coupon|use coupon|apply the coupon|apply coupon|where to buy|where can i buy|how do i buy|how to order|how do i order|order*|checkout|check out|add to cart|my cart|cart|pay|payment|buy|purchase*|link please|link pls|drop the link|where is the link|what link|which link|the link|where can i get|where can we|how do you get|"+
			"kicked me out|kicks me out|live end|won't let me|trying to order|trying to buy|lag|lags|lagging|laggy|freez*|glitch*|no sound|on amazon|invoice|maybe later|next live|not on til|legit"),
	stock: append(append(crossed("都|也|又|还|才|根本|老是|总是|一直|经常", "抢不到|抢不上|抢不着|拍不到|拍不上|买不到"), crossed("补|再补|补个|补点|能补|可以补", "s|m|l|xl|xs|s码|m码|l码|xl码|码|尺码|大码|小码|中码")...),
		"枪不到|没枪到|没抢道|再加点|再加一|再加库存|只剩|就剩|最后一件|加码|这次没有|再给一|再来点|再来一|再来几|抢不着|没抢着|无货|显示没有|还拍|还能拍|加单|加几单|加点单|加量|加下|加一下|在加点|再加点|在加一|加s|加m|加l|加xl|加袋|加盒|能预售|开预售|上预售|多加点|多加|加一点|放点库存|开价位|有没有了|在给一点|再给点|再给一点|在给点|再来一波|再来波|再来一轮|再来一批|没创到|没强到|没抢倒|没抢上吗|还是没有|还是没抢|拿不到|可以补|补白|补黑|补红|补粉|补蓝|补紫|怎么抢不到|咋抢不到|咋抢不上|怎么抢不上|在来一|在来二|在来两|在来几|再来二|再来两|没抢到|抢不到|抢不上|没抢上|抢完|抢光|抢空|抢没|难抢|秒没|秒空|没拍到|拍不到|拍不上|没拍上|买不到|没买到|买不上|没有抢到|没有拍到|没有买到|没买上|补货|补点|补一点|补一下|还补|补吗|补嘛|补么|补不补|补一|补几|再补|补了|预售补|补上了|补过|不卖了|咋不卖|怎么不卖|为什么不卖|为啥不卖|会补|能补|加货|加点货|放货|放量|再放|再上|在上点|多上点|继续上|接着上|"+
			"下架|卖完|卖光|没货|售空|卖空|售完|没有货|车呢|断货|缺货|断码|售罄|有货|还有货|还剩|剩几|剩多少|库存|庫存|没车|没有车|没车子|有车吗|里有车|还有车|哪有车|有车了|没有码|没码|码数没|没有码数|开链接|开车|过款|返场|加库存|没了|没有了|没啦|没有啦|车没|再上点|现货|还卖|还能有|还可以上|还可以买|还可以拍|还可以抢|还能上|还上|还会上|还能买|还来得及|快没了|今天没有|今天没|没有吗|还有吗|还有嘛|还有么|还有不|多上几|多几份|上几份|找不到了|没看到了",
		"only 1 left|only 2 left|only 3 left|only one left|only two left|few left|did i miss|get nothing|got nothing|restock*|sold out|selling out|sells out|in stock|stock|out of stock|back in stock|bring back|bring it back|back please|bows back|available|get one|missed it|missed again|missed out|cant get|can't get|couldn't get|could not get|gone*|how many left|any left|left?|still have|have it still|coming back"),
	others: {"每人一|一人一单|贪心|就满意|知足|不值得生气|没喝酒|说抢到|都买了就|抢一份就|拍一份就|买一份就|应该是|人家|他有|她有|他们有|我们以为|以为|你省|平台有|平台给|平台补|别说了|大家不买|大家别|大家都抢|让大家|别抢|别买|一人拍|一人抢|抢那么多|拍那么多|抢这么多|拍这么多|你们买|你也买|人家买|他买|她买|不敢|只能抢|别给她|别给他|限时抢|限时补贴|马上抢空|热卖中|男女老少|橱窗里有|橱窗里面有|小黄车里面有|小黄车里有|黄车里有|购物车里有|链接里有|必备佳品|欢迎选购", "don't buy|dont buy|grab the|grab it|grab this|grab them|buy it|buy them|buy this|guys buy|you guys buy|everyone buy|buy products|everyone give"},
	had: append(append(crossed("上个月|上次|上回|去年|前年|昨天|前天|上周|之前|以前|早就|前几天", "买|拍|下单|刚买|买的|买了|买过|拍的|拍了|抢的|抢了|用过|用的|吃过"),
		crossed("我|我家|家里|家里还|我家还|我也", "有|有了|有一个|有两个|还有")...),
		"我买|我买了|买啦|买了|收到货|介绍的|推荐的|讲解的|做过|体验过|买的|我买的|我拍的|买过|用过|吃过|喝过|穿过|戴过|正用着|在用着|用着呢|正在吃|正在喝|正在用|没喝呢|没用完|还没用",
		"yesterday|last week|last time|last month|months ago|i have|i already have|i own|i've had"),
	links: {"链接", "link|links"},
	still: {"还有|还有没有", "do you still|is there still|still got|any more"},
	bought: append(append(append(crossed("买了|我买了", "好多|很多|不少|一堆|1|2|3|4|5|6|8|10|一|两|2单|3单|三|四|五|六|七|八|十|几"), crossed("女儿|儿子|闺女|孩子|老婆|老公|妈妈|我妈|爸爸|我爸|爸妈|婆婆|家人|朋友|自己", "买|拍|抢|囤")...),
		crossed("已|已经|刚|刚刚|刚才|都|又|也|才", "拍|买|抢")...),
		"我拍|拍啦|下单啦|抢到啦|下完单|付了|付好|付完|已付|付钱了|拍了|拍完|拍下了|拍好了|拍到|买完|买好|买到|下了一|下了两|下了单|已下|已购|枪到了|枪一单|枪了|抢到|抢了|我抢|抢一|抢两|囤了|囤货|回购了|入手|我入了|入了一|入了两|一单|两单|三单|四单|买一|买两|买三|买十|用完了再",
		"checked out|just checked|paid|got 1|got 2|got 3|got 4|got 5|got two|got three|got both|got 2 of|got the last|got a couple|grabbed|got mine|got all|secured|copped|just bought|i bought 2|bought|just got my|just got the|just got mine|just got it|just got one|just got a|i got|got mine|got one|got it|placed|snagged|ordered|purchased|scored|just paid|i paid"),
	gives:     {"送|礼盒|礼袋", "gift|gifts"},
	attribute: attributes,
	show:      shows,
	thing:     goods(),
	smalltalk: append(crossed("主播|主包|你|姐姐|哥哥", "多高|多重|多大|多少斤|几岁|身高|体重|身高多少|体重多少"),
		"累不累|累吗|吃饭|你吃了吗|饭了吗|吃了没|睡了吗|睡觉|几点睡|冷不冷|冷吗|热不热|天气|感冒|身体好|多大了|多大岁数了|多大年纪|几岁了|哪里人|哪儿人|哪里的人|哪的人|老家|结婚了|有对象|对象吗|单身|怎么称呼|叫什么名|你叫什么|怎么样了最近|最近好|还好吗|好吗你|想我|想你|想死你|想我了|孩子们|家里人|回家|嗓子|回来了吗|几年级|上学了|多少岁|几岁啦|怎么瘦|咋瘦|怎么减|怎么保养|还在播|累不|开心吗",
		"how are you|how r u|how's it going|where are you from|what's your name|what is your name|whats your name|how old are you|miss you|missed you|how was your|new here|just joined|first time here"),
	wish: append(crossed("美女|帅哥|姐|哥|老板|主播|老师", "喝口水|喝点水|多喝水|喝水|休息|歇歇|歇会|坐会"),
		"加班了|今天加班|又加班|喝口水|喝点水|多喝水|喝水|注意身体|保重|休息|累了吧|累了没|累吧|你累|辛苦吗|下班|好冷|好热|下雨|下雪|刮风|降温|睡不着|好困|困死|要睡觉|睡觉了|困了|失眠了|冻死|热死|认识我|认不认|记得我|还记得我|好人一生平安|好人一身平安|好人一生|祝你|祝您|祝大家|祝愿|祝福|祝主播|祝老板|祝全家|祝家人|祝姐|祝爸|祝妈|祝小|祝我们|祝各位|幸福美满|白头偕老|早生贵子|百年好合|阖家|团圆|节节高|健康长寿|身体健康|长命百岁|平安|万事如意|恭喜发财|发财|生意兴隆|财源|大吉|心想事成|一切顺利|顺顺利利|好运来|好运|吉祥|大顺|步步高升|马到成功|红红火火|明天见|回见",
		"goodnight*|seeya|see you|sweet dreams|take care|you're back|your back|see you later|see you tomorrow|see ya|good luck|happy birthday|happy monday|happy tuesday|happy wednesday|happy thursday|happy friday|happy saturday|happy sunday|happy weekend|happy new year|merry christmas|happy holidays|happy easter|congratulations on"),
	hello: append(append(crossed("师傅|老师|老板|老板娘|姐姐|哥哥|各位|家人|朋友们|宝宝们|亲们|兄弟们|姐妹们", "好"), crossed("美女|大美女|帅哥|大帅哥|老师|老板|姐|哥|家人们", "晚上好|早上好|下午好|中午好|你好|们好")...),
		"早呀|早啊|晚好|主播好|大家好|晚上好|早上好|上午好|中午好|下午好|你好|您好|你们好|家人们好|早安|晚安|哈喽|哈罗|嗨|我来了|我来啦|又来了|来啦|来了来了|刚来|刚进来|新来的|第一次来|第一次关注|第一次看|第一次进|报到|签到|打卡|我是新人|关注了|已关注|先走了|走了啊|拜拜|再见|新年好|过年好|节日快乐|生日快乐|快乐|愉快|欢迎|早点休息",
		"morning|evening|goodmorning*|aloha|hi|hello*|helo*|hey*|good morning|good evening|good afternoon|good night|gm|gn|bye|byee*|hii*|howdy|welcome*|hola|sup|wassup|what's up|whats up"),
	praise: slices.Concat(cellsOf(praised), []string{"活动力度|霸总|确实牛|喜欢|质量很好|好货|好东西|好产品|良心|实在|种草|值得|最懂|太懂|懂我们|信赖|信任|相信|信得过|放心|靠得住|靠谱|还得是|还是得|还得看|还得认|还得说|还得找|还得我|还得你|还得靠|太有|极高|极好|极佳|极美|性情|人品|豪气|仗义|干脆|利索|爽快|痛快|麻利|般配|搬配|绝配|天生一对|郎才女貌|珠联璧合|天仙配|一如既往|好孩子|好人|好男人|好女人|好主播|好老板|好闺女|好儿子|好媳妇|好丈夫|好妻子|有爱|有担当|有责任|正能量|" +
		"见一个爱|个个爱|样样好|都喜欢|都好|都爱|回购好几|买了好几次|买过好几|买了很多次|老粉|老顾客|老客户|忠实|一直在用|一直用|用着很|用了很|吃了很|穿着很|效果明显|变白了|变好了|淡了|消了|掉了很多|贴掉|绝了|绝绝子|无可挑剔|没得说|没话说|顶呱呱|杠杠|一流|惊艳|上档次|有品位|有品味|有气场|气场|女王|男神|天花板|第一名|真王|是王|就是王|王者|大神|高手|榜样|骄傲|自豪|佩服|崇拜|敬佩|尊敬|欣赏|稳了|爆单|大卖|卖爆|口碑|诚信|真诚|走心|用心|贴心|热心|暖心|善良|孝顺|可甜|养眼|想信|超神|仁义|豪横|无人能比|争气|越来越好|大爱|就爱|认准|嘎嘎好|还要好|还要美|不显老|显年轻|冻龄|逆龄|18岁|十八岁|万岁|倾国倾城|有眼光|眼光高|有心了|聪明|夫妻相|人美|心美|天生的一对|信你|有水平|有实力|有孝心|有福气|有才|有范|有品|老好|可好了|好使|飘亮|威武|拿捏|真行|太行|智慧|奥利给|推荐给|值得推荐|推荐大家|强烈推荐|点个赞|个赞|赞一个|牛b|封神|是神|真神|大牌|名牌|世界品牌|国际品牌|大品牌|五官端正|天设地造|天造地设|天设的一对|一对璧人|等于送|白送|跟白捡|香啊|很养发|愿意吃|绝对信|必须信|就信你|只信|令人兴奋|很明显|像样|好听|好玩|好闻|百搭|播得好|播的好|做得好|做的好|汁水多|皮薄|肉厚|肉多|料足|分量足|暖男|强强联|过瘾|接地气|神仙配|认可|提拉上来|平了不少|改善很多|明显改善|消完|抹掉了|白了很多|白了不少|年轻了|吃了好了|用了好了|贴了好了|够意思|默契|可嘉|着想|一身正气|经典|好逛|无法打败|天下无双|无法超越|好老公|貌美|我的神|控场|抢眼|新鲜|太明显|甜度高|得到了改善|得到改善|谢谢老师讲解|谢谢讲解|谢谢介绍|谢谢推荐|感谢推荐|感谢讲解|到位|周到|细心|话语权|传奇|神话|最好的留给|变浅|变淡|变紧|变白|变细|变嫩|变软|皮肤变|消失了|不见了|吃没了|消没了|改善了|去掉了|消掉了|好转|有改善|你的礼物|你们的礼物|您的礼物|真的便宜|确实便宜|挺便宜|超便宜|美爆|美哭|美炸|仙气|好心|好评|这个好|这款好|确实好|就是好|真的好|真心好|都挺好|好美|美美|帅呆|酷毙|厉害了|利害",
		"for the win|a star|rocks|good quality|great quality|nice quality|i live for|good good|good stuff|lov*|luv*|i like|really like|cutie*|fashion|stylish|fire|lit|stunner|queen|king|goat|slayed|favorite*|favourite*|fave|vibe*|blessed|legend*|talented|sounds good|good vibes|so happy|excited|thrilled|wonderful|fantastic|lovely|fabulous|excellent|incredible|phenomenal|yessir|well said|the best|so nice|so kind|sweet|ate|underrated|elegant|classy|fancy|soft|looks good|look good|looks great|look great|looking good|suits you|shiny|sparkly"},
		crossed("好|真|太|很|超|超级|十分|更|可|挺|最|老|嘎嘎|贼|巨|特|蛮|相当|绝对|特别|非常|这么|那么|真是|越来越|好好", "美|帅|香|甜|嫩|鲜|白|亮|萌|酷|赞|仙|飒|靓|强|值|会说|精致|细腻|温柔|幽默|有才|聪明|年轻|自然|贴心|善良|真诚|实在|孝顺|舒服|高级|大气|精神|时尚|优雅|性感|有型|有福|幸福|顺滑|丝滑|清爽|滋润|好听|好看|好吃|好用|好玩|好闻|耐看|百搭|显白|显瘦|显贵|上头|治愈|解压|适合|到位|会搭|会穿|会选|专业|认真|负责|敬业|努力|有心|有爱|走心|接地气|实用|耐用|好使|好穿|好喝|好闻|好戴|亲肤|轻薄|轻便|方便|糯|脆|新鲜|饱满|厚实|扎实|结实|正宗|地道|牛|牛b|棒|强|顶|红火|火|幸福|软|细|会讲|会卖|能说|懂|懂事|灵|壕|哇塞|可口|入味|解渴|管用|利落|浪漫|稳|好|神|秀|绝|喜庆|吉利|大牌|瘦|乖|粉糯|像样|划算|便宜|实惠|配|般配|搭|旺|上镜"),
		crossed("你好", "大气|美|帅|漂亮|厉害|棒|可爱|牛|白|瘦|香|会|有才|年轻|温柔|聪明|善良|优秀|美啊|帅啊"),
		crossed("又|又是", "香又|甜又|美又|帅又|好又|嫩又|大又|便宜又|软又|脆又|鲜又|漂亮又|好看又"),
		crossed("结节|眼袋|皱纹|细纹|法令纹|斑|痘|痘痘|痘印|黑头|疙瘩|黑眼圈|抬头纹|湿疹|脚气|鼻炎|便秘|头屑|白发|斑点", "没了|没有了|都没了|也没了|不见了|消了|淡了|少了|好了|浅了|轻了"),
		crossed("价格|价钱|价位|这价", "可以|不错|很可以|挺好|真心便宜|太便宜|很便宜|好便宜|真便宜|确实便宜|真的便宜|这么便宜|实惠|太香|太值|划算|很划算|太划算|友好|亲民"),
		crossed("性价比|价格|价钱|力度|活动|优惠", "高|超高|很高|最高|真高|好|真好|合适|给力|很大|太大|真大|超值|真香|美丽|好赞|赞"),
		crossed("货|东西|产品|人|人品|脾气|性格|心态|身材|皮肤|声音|状态|气色|口才|眼光|质量|品质|味道|口感|服务|态度|效果|做工|手感|版型|口碑|心|心地|家教|素质|命|福气|运气|情商|颜值|演技|业务能力", "好|真好|太好|很好|不错|好好|挺好|非常好|超好|真不错|杠杠|一流|高|在线")),
	chatter: append(append(cellsOf(map[kind][]string{"agree": noise["agree"]}), crossed("我|很|好|超|最|也|都|就", "喜欢吃|喜欢喝")...),
		"喜欢吃|喜欢喝|遗憾|哪个帅哥|哪个美女|故意的|看过的|忘了|忘记|几条街|蠢|坐一会就|凉拌|拌着|蘸着|炖着|炖汤|煮汤|炒着|加点|加入|放入|倒入|焯水|腌制|切片|切块|小火|大火|出锅|装盘|可以的|可以用呀|可以用哦|可以吃的|可以吃了|可以吃哦|可以哦|可以呀|可以啊|不会的|会的哦|缓解|说漏了|断了一会|不小气|破损正常|有破损正常|坏是正常|啥玩意|啥玩意儿|咋滴了|咋滴啦|干什么|干啥|啥呢玩意|什么鬼|咋不说|不说话了|什么人呀|求上车|要面子|想变漂亮|想变美|想变白|拍马屁|马屁|上海市|上头了|太逗|真逗|好逗|逗死|搞笑|脆弱|很正常|也正常|好神经|你买什么|你买啥|你买了|大家都|不够意思|搞卫生|不用试|你要吗|你要不|人机|我要去|我要睡|我要走|我要上班|我要不|我要是|我要哭|我要疯|给自己看|去看看|介绍我|发生了什么|咋的了|咋地了|怎么啦|过了多久|多久了|万人在线|多人在线|人在线看|太有了|太亏|亏了|坏了就坏了|等着吧|那么多钱|好多钱|这么多钱|很多钱|太好笑|好笑|太能装|没买过|没拍过|没用过|没戴过|没吃过|没见过|没听过|没看过|时间太|时间好|不喜欢|不相信|不信|不好看|不漂亮|不舒服|没什么好|好几个小时|数字人生|买的起|买得起|太可惜|太可怜|太离谱|太夸张|太惨|太贪|太狂|太粗鲁|太坏|真的吗|真的嘛|什么意思|啥意思|怎么做到|咋做到|怎么办到|说啥|说什么|说的啥|不能说|今天咋|今天怎么|怎么又|做牙|还有谁|谁还|普通话|口音|看看你|看看我|看看他|看看她|还得等|还得多久|还得去|还得上班|哭|笑什么|笑啥|骂|吵架|打架|打起来|吃瓜|离婚|结婚|老婆|老公|媳妇|女婿|女朋友|男朋友|徒弟|师父|师傅|师娘|家族|对面|黑粉|水军|带节奏|戏精|演戏|演员|剧本|榜一|榜二|连麦|pk|打赏|刷礼物|刷屏|官方|封号|禁言|拉黑|做梦|变性|激动|激恼|生气|发火|叫唤|嚷嚷|叨叨|什么情况|啥情况|怎么回事|咋回事|咋了|怎么了|为什么不说话|干嘛|干啥呢|干什么呢|谁啊|谁呀|是谁|他是|她是|他们|她们|关你|关我|谁说|谁变|谁知道|谁懂|你懂|知道什么|知道啥|懂什么|懂啥|算什么|算啥|有什么用|凭什么|凭啥|是不是傻|傻|疯了|神经|脑子|智商|走错|喝多|喝酒了|抽烟|睡着|梦见|车祸|公司|员工|股票|上市|流量|网红|明星|拍戏|电影|唱歌|跳舞|听歌|什么歌|歌名|bgm|背景音乐|没电|上班|加班|放假|作业|考试|小时候|以前|前女友|怀孕了吗|生了吗|赚钱|没钱|有钱人|穷|同问|求中|接好运|让我中|接福|路过|围观|看戏",
		"excuse me|bro what|huh|wait what|say what|are you serious|for real|what the|stop sharing|stop spamming|stop giving|spammers|sharers|resellers|scalpers|hypers|wtf|wth|be nice|be kind|so funny|too funny|funny|hilarious|you guys|y'all|yall|why not|bots|trolls|haters|chat|mods|mod|drama|divorce*|boyfriend|girlfriend|husband|wife|what happened|what's happening|whats happening|what is happening|going on|how much longer|how much more|why is she|why is he|why are they|is she|is he|where is she|where is he|where's|who is she|who is he|who's she|who's he|what song|what time is it|same here|me too|anyone else|first|kids are|i'm at work|at work|off work"),
}

// crossed are all words of heads before all of tails.
func crossed(heads, tails string) []string {
	var out []string
	for _, head := range strings.Split(heads, "|") {
		for _, tail := range strings.Split(tails, "|") {
			out = append(out, head+tail)
		}
	}
	return out
}

// questionWords mark questions; those of notQuestions cover one and do not.
var notQuestions = list("几条街|几千|几万|几百|求上车|求饶|0几|惊不惊喜|怎么能这么|怎么可以这么|怎么会这么|哪吒|了几|好不容易|啥样的都|啥样都|什么样的都|么么|太么|要么|求你|好几|几位|几次|这么|那么|多么|着呢|好呢|什么都|怎么都|哪里哪里|没什么|不咋地|求求|谁都|怎么这么|怎么那么|咋这么|咋那么|怎么有那么|怎么有这么|求中|看起来|不怎么|怎么也|啥问题|什么问题也|什么也|啥都|啥也|要求|追求|几乎|哪怕|十几|几十|好多少|we're back|were baa*|were back|love when|lovve when|how cute|how pretty|how adorable|how beautiful|how sweet|how nice|how cool|how funny|that girl|love how|love what|love it when|like how|like when|no matter|i will|i would|we should|you should|they should|we will|it will|you will|that would|you would|it would")

var questionWords = list(
	"吗|嘛|么|?|什么|啥|怎么|怎样|咋|如何|哪|几|多少|多久|多长|多大|多重|多高|多宽|多厚|能不能|可不可以|可以不|行不|好不|有没|是不是|要不要|会不会|用不用|需不需要|谁|为什么|为啥|求|请问|问一下|问下|是否|甜不|辣不|咸不|酸不|厚不|透不|大不|重不",
	"what|what's|whats|how|when|where|which|who|why|does|do you|do u|do they|is it|is this|is that|is there|are there|are they|are these|are those|can i|can you|can u|can we|could you|will|would|any|should|do those|do these|does|did|can he|can she|can they|could he|how's|who's|does it|how about|what about|anyone know|have any",
)

// openers ask when a text begins with them: are the cups large.
var openers = list("", "is|are|do you|do u|do they|do we|do i|do these|do those|does|did|can|could|will|would|has|was|were|have you|have they|may i|u have|you have|got any")

var buyingWords = list(
	"买|拍|下单|想要|我要|要一|来一|有货|还有|现货|库存|链接|号|上车|抢|多少钱|价|券|有吗|有没有|补货|上吗|上点|付款|什么码|入手",
	"buy|order|get one|want|need|in stock|available|restock*|link|price|how much|do you have|any more|sell|sold",
)

// productEndings are last characters of what is sold.
var productEndings = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range "油霜水乳膏膜液皂粉茶酒杯碗锅板机器灯包鞋衣裤裙袜帽巾纸枕被床衫串块酸棉布绒毯钻镯链戒环坠笔表贴露精华肉鱼虾蟹果干饼糕糖面米奶汤酱醋盐丸片胶囊仪刀梳刷夹炉绳盆棒秤尺锤笼缸药肠肚骨馍馕饺羹橙柑橘桔柚杏栗麦芹椿藕芋泵插充桶凳珠皮镜伞箱柜架椅桌垫毯帘盒袋瓶壶罐筐篮扇线头套刺晶玉钉豆枣瓜菜参花蛋饭粥蜜梨桃莓菇椒粽冻爪腿翅排尾罩菌须剂浆啡素钙锌贝螺鲍蚝鸭鹅苗笋薯葱姜蒜盘勺铲篓籽仁酥卷筒锁糊汁" {
		m[r] = true
	}
	delete(m, '华')
	return m
}()

func build[T comparable](cells map[T][]string) *lexicon.Set[T] {
	m := map[string]T{}
	for v, cs := range cells {
		for _, c := range cs {
			lexicon.Words(m, v, c)
		}
	}
	return lexicon.New(m)
}

func list(cells ...string) *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	for _, c := range cells {
		lexicon.Words(m, struct{}{}, c)
	}
	return lexicon.New(m)
}
