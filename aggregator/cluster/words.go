package cluster

// The word lists, our own, Chinese then English. A Latin word ending in * is a stem.

var intentWords = build(map[Intent][]string{
	Identity: {
		"机器人|是真人|真人吗|真人还是|是不是真人|是人吗|你是ai|是ai吗|ai主播|ai吗|数字人|虚拟主播|虚拟人|人工智能主播|是录播|录播吗|真的假的人",
		"are you a robot|are you a bot|is this a bot|is this ai|are you ai|are you real|are you human|real person|real human|robot|a bot|an ai",
	},
	Complaint: {
		"投诉|骗人|骗子|骗钱|假货|差评|垃圾|太差|质量差|坏的|坏了|破损|漏发|少发|发错|没收到|一直不发|还不发货|还没发货|不理我|不回复|没人回|不处理|过敏了|烂脸|退不了|" +
			"忽悠|坑人|太坑|虚假宣传|举报|失望|掉色了|掉毛了|裂了|漏了",
		"scam*|fake|broken|terrible|disappoint*|never arrived|never received|not received|worst|ripoff|rip off|damaged|defective|complain*|rude",
	},
	Price: {
		"多少钱|多钱|几钱|价格|价钱|啥价|什么价|几块|多少米|多少元|怎么卖|咋卖|卖多少|报价|价位|多少一|多少块|到手价|优惠|便宜|打折|折扣|几折|满减|立减|国补|补贴|券|红包|半价|降价|" +
			"涨价|贵|差价|保价|机制|性价比|划算吗|第二件|买一送|福利价|活动",
		"how much|price*|cost*|discount*|coupon*|promo*|deal|deals|on sale|sale price|cheaper|expensive|voucher*|what's the price|percent off",
	},
	Shipping: {
		"发货|快递|包邮|运费|邮费|物流|顺丰|中通|圆通|申通|韵达|京东快递|邮政|几天到|多久到|什么时候到|啥时候到|何时到|能到吗|到货|送到|收到|寄|现货|预售|退货|退款|退换|换货|售后|" +
			"保修|质保|运费险|能退|可退|可以退|退吗|退不|怎么退|七天无理由|无理由|加急|催发|发错地址|改地址|偏远|发新疆|发西藏|保价险",
		"ship*|deliver*|how long to arrive|arrive*|return*|refund*|exchange|tracking|warranty|international|express|in stock now",
	},
	Size: {
		"尺码|尺寸|码数|号码|多大码|什么码|啥码|几码|穿多大|穿什么码|拍多大|拍什么码|选什么码|偏大|偏小|均码|大码|小码|加大|身高|体重|斤穿|斤能穿|cm穿|小个子|大个子|胖子|微胖|梨形|腰围|胸围|臀围|" +
			"肩宽|衣长|裤长|裙长|袖长|卡码|斤可以|斤能|斤可|脚宽|脚胖|脚背高|显胖|显高|m码|l码|s码|xl码|xs码|xxl码|2xl|3xl|4xl|合身|宽松吗|几斤|能穿吗|可以穿吗",
		"size*|sizing|med|fit|fits|true to size|oversized|petite|plus size|xs|xl|xxl|2xl|3xl|medium|small or|large or|inseam|waist|how tall|height|weight|run big|run small|runs big|runs small",
	},
	Membership: {
		"会员|入会|粉丝团|灯牌|积分|等级|福袋|抽奖|中奖|赠品|赠送|礼物吗|送什么|送啥|送不送|有送|什么礼物|礼品|礼物|礼盒送|小样|怎么领|领取|再抽|没抽|不抽|抽吗|再送|不送了|抽一下|抽了吗|生日礼|抽我|锦鲤|转盘|开奖",
		"member*|loyalty|points|giveaway*|free gift*|gift with|raffle|subscribe|subscriber*|vip",
	},
	Purchase: {
		"怎么买|咋买|哪里买|在哪买|哪买|去哪买|怎么拍|咋拍|哪里拍|在哪拍|怎么下单|下单|怎么付|付款|支付|上链接|挂链接|链接呢|链接在哪|小黄车|小黄车在|购物车|购物袋|橱窗|上架|没抢到|抢不到|没抢上|抢完|" +
			"没拍到|拍不了|拍不到|买不了|买不到|点不了|下不了|补货|补点|再上|加单|加购|已拍|拍了|买了|下了|拍到|抢到|抢了|我抢|抢一|抢两|一单|两单|三单|四单|几单|来回购|特意来买|来买|我买多|买多点|多买|先用后付|月付|花呗|白条|分期|免息|在上点|多上点|继续上|接着上|想买|要买|想要|我要|要一|来一|来两|下架|卖完|卖光|没货|断货|售罄|有货|还有货|" +
			"库存|没车|没有车|开链接|开车|过款|返场|加库存|要的|已买|入手|没了|没有了|没啦|没有啦|车没|没车|需要|多上点|再上点",
		"where to buy|where can i buy|how do i buy|how to order|how do i order|order*|checkout|check out|add to cart|my cart|cart|pay|payment|buy|bought|purchase*|restock*|sold out|in stock|" +
			"out of stock|back in stock|available|link please|link pls|drop the link|i want|i need|need one|need this|want one|want this|where can i get|where can we|how do you get|get one|just got|i got|got mine|placed",
	},
	Product: {
		"材质|面料|成分|配料|保质期|生产日期|产地|功效|作用|用法|怎么用|咋用|怎么吃|咋吃|红色|白色|黑色|蓝色|绿色|粉色|紫色|黄色|灰色|咖色|米色|杏色|银色|金色|能用|可以用|能吃|可以吃|适合|敏感肌|孕妇|哺乳期|宝宝可以|小孩|油皮|干皮|混油|颜色|什么色|有几个色|品牌|牌子|" +
			"什么牌|型号|规格|配置|内存|容量|毫升|多重|净重|区别|对比|哪个好|哪款|推荐|看看|想看|看一下|看下|讲解|讲一下|讲讲|介绍|试一下|试试|试穿|展示|细节|搭配|防水|防晒|透气|加绒|起球|掉色|缩水|有味道|" +
			"正品|真假|是真的|新款|旧款|有没有|有吗|还有吗|上吗|带点|上点|没上|上个|安排|链接|直接吃|放冰箱|冷藏|冷冻|保存|需要放|敏感|敏皮|油皮|痘|暗沉|提亮|美白|改善|褪红|抗炎|控油|修护|修复|毛孔|皱纹|法令纹|川字纹|眼袋|泪沟|屏障|抗老|抗氧",
		"material|fabric|ingredient*|how do you use|how to use|color*|colour*|brand|can you show|can i see|can we see|let me see|show me|show us|show the|what is|what's|what are|do you have|do u have|" +
			"any more|have any|waterproof|stretchy|authentic|real leather|difference|which one|recommend*|compare|does it|is it|come with|comes with|how about|what about|is that|is this|are these|are they|see the|see it|have the",
	},
	Greeting: {
		"主播好|大家好|晚上好|早上好|上午好|中午好|下午好|你好|您好|早安|晚安|哈喽|嗨|我来了|我来啦|又来了|拜拜|再见|新年好|节日快乐|生日快乐|愉快|欢迎|圣诞快乐|中秋快乐|早点休息",
		"hi|hello*|helo*|hey*|good morning|good evening|good afternoon|good night|bye|hii*|howdy|welcome back|hola",
	},
	Praise: append(cellsOf(praised), "活动力度|霸总|确实牛|超级好|喜欢|质量很好|好货|好东西|良心|实在"),
})

// questionWords mark questions; those of notQuestions cover one and do not.
var notQuestions = list("好几|几位|这么|那么|多么|着呢|好呢|什么都|怎么都|哪里哪里|没什么|不咋地")

var questionWords = list(
	"吗|嘛|么|呢|?|什么|啥|怎么|怎样|咋|如何|哪|几|多少|多久|多长|多大|多重|能不能|可不可以|可以不|行不|好不|有没有|是不是|要不要|会不会|谁|为什么|为啥|求|请问|是否|甜不|辣不|咸不|酸不",
	"what|how|when|where|which|who|why|does|do you|do they|is it|is this|is that|are they|are these|can i|can you|can we|could you|will|would|any|should|do those|do these|does|did|can he|can she|can they|could he|how's|who's",
)

var buyingWords = list(
	"买|拍|下单|想要|我要|要一|来一|有货|还有|现货|库存|链接|号|上车|抢|多少钱|价|券|有吗|有没有|补货|上吗|上点|付款|什么码|入手",
	"buy|order|get one|want|need|in stock|available|restock*|link|price|how much|do you have|any more|sell|sold",
)

// productEndings are last characters of what is sold.
var productEndings = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range "油霜水乳膏膜液皂粉茶酒杯碗锅板机器灯包鞋衣裤裙袜帽巾纸枕被床衫串块酸棉布绒毯钻镯链戒环坠笔表贴露精华肉鱼虾蟹果干饼糕糖面米奶汤酱醋盐丸片胶囊仪刀梳刷夹镜伞箱柜架椅桌垫毯帘盒袋瓶壶罐筐篮扇线头套刺晶玉钉豆枣瓜菜参花蛋饭粥蜜梨桃莓菇椒粽冻爪腿翅排尾罩菌须剂浆啡素钙锌贝螺鲍蚝鸭鹅苗笋薯葱姜蒜盘勺铲篓籽仁酥卷筒锁糊汁" {
		m[r] = true
	}
	delete(m, '华')
	return m
}()
