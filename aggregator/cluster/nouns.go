package cluster

import "strings"

// goodsCells name what live commerce sells: categories, and brands whose bare name is
// asked for. General vocabulary, our own; characters alone are productEndings' matter.
var goodsCells = []string{
	// beauty and care
	"面膜|精华|面霜|眼霜|乳液|爽肤水|化妆水|柔肤水|精华水|洁面|洗面奶|洗脸巾|卸妆|防晒|隔离|粉底|气垫|粉饼|散粉|定妆|遮瑕|腮红|高光|修容|眼影|眼线|睫毛|眉笔|口红|唇膏|唇釉|唇泥|美甲|指甲油|香水|香薰|身体乳|护手霜|磨砂膏|沐浴|洗发|护发|发膜|精油|染发|假发|牙膏|牙刷|漱口水|冲牙器|" +
		"化妆品|护肤品|彩妆|套盒|水乳|冻干|安瓶|次抛|原液|眼膜|眼贴|贴膜|鼻贴|唇膜|颈霜|颈膜|素颜霜|妆前|美容仪|射频仪|脱毛仪|洁面仪|玻尿酸|烟酰胺|水杨酸|果酸|a醇|视黄醇|胶原|多肽|壬二酸|传明酸|虾青素|神经酰胺|积雪草|二裂酵母|维c|vc|vb|ve|dna|清洁膜|涂抹|止汗|私护|洗衣液|洗衣凝珠|洗洁精|柔顺剂|湿巾|棉柔巾|抽纸|卷纸|卫生巾|纸尿裤|安睡裤|蒸汽眼罩",
	// clothes, shoes, bags
	"衣服|上衣|外套|风衣|大衣|羽绒服|棉服|棉衣|夹克|卫衣|毛衣|针织|开衫|马甲|背心|吊带|衬衫|衬衣|t恤|短袖|长袖|打底|西装|皮衣|皮草|貂|裙子|半裙|半身裙|连衣裙|长裙|短裙|旗袍|汉服|裤子|长裤|短裤|阔腿裤|牛仔|西裤|运动裤|打底裤|鲨鱼裤|睡衣|家居服|内衣|文胸|内裤|秋衣|秋裤|保暖|袜子|丝袜|" +
		"泳衣|童装|男装|女装|男款|女款|套装|校服|冲锋衣|瑜伽|防晒衣|鞋子|女鞋|男鞋|童鞋|运动鞋|跑鞋|板鞋|小白鞋|拖鞋|凉鞋|皮鞋|高跟|靴子|马丁靴|雪地靴|乐福|帆布鞋|洞洞鞋|包包|背包|书包|挎包|斜挎|腋下包|托特|钱包|手提包|行李箱|帽子|围巾|丝巾|手套|腰带|皮带|眼镜|墨镜|领带|发夹|发箍|发圈|假两件|情侣装|亲子装|小香风|真丝|羊绒|羊毛|羊毛衫|貉子毛|三件套|两件套|四件套",
	// food and fresh
	"牛奶|酸奶|奶粉|奶酪|咖啡|茶叶|绿茶|红茶|白茶|普洱|花茶|豆浆|饮料|果汁|啤酒|白酒|红酒|黄酒|蜂蜜|燕窝|花胶|阿胶|海参|鲍鱼|龙虾|小龙虾|大闸蟹|螃蟹|虾仁|大虾|带鱼|三文鱼|鳕鱼|生蚝|扇贝|花甲|鱿鱼|牛肉|羊肉|猪肉|鸡肉|鸡胸|牛排|羊排|排骨|五花|香肠|腊肉|腊肠|火腿|鸡爪|凤爪|鸭脖|鸭货|卤味|鸡蛋|鸭蛋|皮蛋|咸鸭蛋|" +
		"大米|小米粥|面粉|面条|挂面|米粉|螺蛳粉|酸辣粉|粉丝汤|方便面|拌面|意面|饺子|馄饨|汤圆|粽子|月饼|包子|馒头|手抓饼|披萨|火锅|底料|酱料|辣酱|辣条|酱油|食用油|橄榄油|花生油|菜籽油|零食|饼干|面包|蛋糕|薯片|坚果|瓜子|花生|核桃|腰果|开心果|红枣|枸杞|巧克力|糖果|果冻|海苔|肉松|牛肉干|肉脯|蛋黄酥|沙琪玛|麻花|锅巴|年糕|豆腐|豆干|面筋|腐竹|木耳|苦瓜|冬瓜|丝瓜|豆角|四季豆|茄子|青椒|白菜|菠菜|韭菜|西兰花|胡萝卜|萝卜|洋葱|地瓜|凉皮|凉粉|米线|粉条|香菇|银耳|莲子|" +
		"苹果|香蕉|橙子|橘子|柑橘|丑橘|沃柑|柚子|葡萄|提子|草莓|蓝莓|樱桃|车厘子|芒果|榴莲|菠萝|凤梨|西瓜|哈密瓜|甜瓜|桃子|水蜜桃|油桃|黄桃|梨子|猕猴桃|火龙果|山竹|荔枝|龙眼|枇杷|杨梅|石榴|柿子|柠檬|百香果|椰子|红薯|紫薯|玉米|土豆|山药|芋头|番茄|西红柿|黄瓜|南瓜|莲藕|竹笋|水果|蔬菜|海鲜|生鲜|罐头|代餐|麦片|燕麦|藜麦|五谷|杂粮|芝麻|麻薯|冰淇淋|雪糕|鱼丸|肥牛|毛肚|酸菜",
	// digital and appliances
	"手机|平板|电脑|笔记本|显示器|键盘|鼠标|耳机|无线充|双肩包|音箱|音响|充电宝|充电器|充电头|数据线|快充|手机壳|钢化膜|手表|手环|相机|摄像头|投影|电视|路由器|硬盘|u盘|内存卡|显卡|主机|游戏机|手柄|无人机|打印机|学习机|词典笔|点读笔|处理器|骁龙|天玑|芯片|屏幕|电池|续航|像素|镜头|摄像|冰箱|洗衣机|空调|热水器|电饭煲|微波炉|烤箱|空气炸锅|破壁机|榨汁机|豆浆机|净水器|饮水机|" +
		"扫地机|吸尘器|洗地机|吹风机|直发器|卷发棒|剃须刀|风扇|取暖器|加湿器|除湿机|净化器|台灯|插座|电动车|自行车|行车记录仪|车载|参数",
	// home, toys, sport, health
	"床单|被子|被套|枕头|枕芯|床垫|凉席|蚊帐|毛毯|毯子|毛巾|浴巾|地毯|窗帘|沙发|桌子|椅子|柜子|衣柜|鞋柜|书桌|床上|收纳|衣架|晾衣|杯子|水杯|保温杯|水壶|茶具|茶杯|餐具|碗筷|盘子|筷子|炒锅|锅具|不粘锅|砂锅|高压锅|菜刀|刀具|砧板|保鲜|饭盒|拖把|扫把|垃圾袋|雨伞|花瓶|绿植|盆栽|花盆|种子|鲜花|多肉|工具箱|钻头|梯子|" +
		"玩具|积木|乐高|拼图|盲盒|手办|公仔|娃娃|毛绒|玩偶|挂件|扭蛋|卡牌|模型|泡泡玛特|labubu|拉布布|molly|婴儿车|奶瓶|安全座椅|绘本|图书|书籍|文具|铅笔|中性笔|鱼竿|鱼饵|鱼线|鱼钩|钓箱|渔具|浮漂|帐篷|露营|睡袋|登山|球拍|羽毛球|篮球|足球|哑铃|跑步机|瑜伽垫|" +
		"维生素|钙片|鱼油|益生菌|蛋白粉|叶黄素|褪黑素|辅酶|葡萄糖|软糖|酵素|膏药|艾灸|艾草|贴敷|足浴|泡脚|按摩|筋膜枪|血压计|血糖仪|口罩|体温计|护腰|护膝|猫粮|狗粮|猫砂|宠物",
	"抗皱|去皱|祛皱|驱蚊|去屑|祛痘|祛湿|祛疤|止痛|护眼|近视|补钙|补血|养胃|护肝|鼻炎|胃炎|咽炎|脚气|湿疹|痛经|湿气|白发转黑|防脱|生发|去黑头|去角质|去鸡皮|脱毛|除螨|除臭|除味|去油|除湿|杀菌|消毒|安神|助眠|清火|降火|润肠|排毒|抗糖|塑形|丰胸|止汗",
	// jewellery
	"黄金|足金|金条|金豆|铂金|k金|白银|足银|银饰|珍珠|翡翠|和田玉|玉镯|手镯|手链|手串|项链|吊坠|戒指|对戒|耳环|耳钉|耳饰|耳坠|脚链|胸针|钻石|水晶|玛瑙|琥珀|蜜蜡|南红|绿松|碧玺|彩宝|红宝石|蓝宝石|祖母绿|莫桑|海蓝宝|澳白|大溪地|akoya|淡水珠|戒圈|紫水晶|黄水晶|无事牌|平安扣|佛牌|佛珠|貔貅|转运珠|菩提|沉香|紫檀|珠宝|首饰|饰品|素圈|界子|串珠|手牌|原石|玉石",
	// brands
	"兰蔻|雅诗兰黛|欧莱雅|资生堂|海蓝之谜|娇兰|娇韵诗|科颜氏|玉兰油|珀莱雅|薇诺娜|自然堂|百雀羚|韩束|花西子|完美日记|可复美|敷尔佳|修丽可|理肤泉|雪花秀|天气丹|苏秘|爱敬|欧诗漫|谷雨|毛戈平|丝塔芙|适乐肤|棉密码|全棉时代|华为|荣耀|红米|小米|vivo|oppo|iphone|ipad|一加|真我|三星|索尼|戴森|格力|海尔|苏泊尔|九阳|耐克|阿迪|李宁|安踏|鸿星尔克|特步|斐乐|" +
		"德尔玛|蜜丝婷|安耐晒|安热沙|怡思丁|碧柔|欧蕙|天率丹|佰草集|相宜本草|丸美|卡姿兰|橘朵|蜂花|舒肤佳|多芬|海飞丝|清扬|潘婷|沙宣|施华蔻|高露洁|云南白药|蓝月亮|立白|心相印|维达|洁柔|护舒宝|七度空间|小天鹅|海信|tcl|创维|康佳|长虹|方太|华帝|容声|松下|西门子|飞利浦|科沃斯|追觅|添可|联想|戴尔|惠普|华硕|大疆|佳能|蕉下|始祖鸟|探路者|回力|森马|太平鸟|南极人|恒源祥|罗莱|慕思|顾家|泸州老窖|汾酒|百草味|旺旺|卫龙|康师傅|李锦记|金龙鱼|鲁花|飞鹤|君乐宝|汤臣倍健|swisse|同仁堂|片仔癀|施华洛世奇|潘多拉|周六福|悦木之源|倩碧|欧舒丹|雅漾|薇姿|黛珂|悦诗风吟|兰芝|芙丽芳丝|珂润|神仙水|小棕瓶|小黑瓶|小白瓶|小蓝瓶|红腰子|雅顿|迪奥|香奈儿|阿玛尼|圣罗兰|纪梵希|植村秀|美宝莲|贝德玛|韩后|一叶子|半亩花田|hbn|溪木源|米蓓尔|瑷尔博士|夸迪|润百颜|可丽金|绽妍|波司登|优衣库|骆驼|茅台|五粮液|蒙牛|伊利|三只松鼠|良品铺子|周大福|周生生|老凤祥",
}

// englishGoods are singular; their plurals are made.
var englishGoods = strings.Fields("bag purse backpack tote wallet belt bow ribbon hat cap beanie scarf glove sock shoe sneaker boot sandal heel slipper loafer dress skirt shirt tee tshirt hoodie sweater sweatshirt cardigan jacket coat blazer vest jean pant legging short romper jumpsuit set outfit pajama bra bikini swimsuit robe " +
	"necklace bracelet ring earring anklet pendant charm gem crystal pearl diamond watch jewelry brooch cup mug tumbler bottle plate bowl pan knife lamp candle pillow blanket towel rug mirror plush plushie doll toy figure keychain blind-box puzzle card pack booster box sticker lego labubu skullpanda crybaby molly hirono " +
	"lipstick gloss mascara foundation concealer blush palette serum cream lotion toner cleanser mask sunscreen perfume shampoo conditioner oil scrub brush nail phone case charger cable laptop tablet ipad iphone headphone earbud speaker camera keyboard mouse monitor snack candy chocolate cookie tea coffee honey vitamin supplement collagen gummy protein")

// goods is them all, as cells of a word table.
func goods() []string {
	out := append([]string{}, goodsCells...)
	for _, w := range englishGoods {
		w = strings.ReplaceAll(w, "-", " ")
		many := w + "s"
		switch {
		case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "sh"):
			many = w + "es"
		case strings.HasSuffix(w, "y") && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
			many = w[:len(w)-1] + "ies"
		}
		out = append(out, w, many)
	}
	return append(out, "small ones|big ones|other ones|the small|the big|other one|first one|last one|that one|this one|the ones|the one|red one|blue one|pink one|black one|white one")
}

// attributes are what is asked about goods: what they are, have, do, and for whom.
var attributes = []string{
	"夏天能穿吗|冬天能穿吗|春天能穿吗|秋天能穿吗|夏天可以穿|冬天可以穿|春秋能穿|现在能穿吗|孕妇能穿|老人能穿|寄生虫|是什么意思|是啥意思|没差别|没区别|头发吗|头发不|头发掉|吃几|喝几|几颗|几粒|用哪个|选哪个|吃哪个|买哪个|哪个好|吃什么|用什么|涂什么|擦什么|抹什么|敷什么|吃啥|用啥|涂啥|治啥|治什么|治疗|能治|调理|几斤|需要用|需要放|需要下载|还需要|需不需要|需要多|需要加|需要叠|需要搭|不需要|需要先|需要停|需要冷|等级|防水等|甜口|咸口|甜味|材质|面料|料子|成分|配料|保质期|日期|产地|哪产|功效|作用|效果|用法|怎么用|咋用|怎么吃|咋吃|吃法|红色|白色|黑色|蓝色|绿色|粉色|紫色|黄色|灰色|咖色|棕色|橙色|卡其|藏青|米色|杏色|银色|金色|驼色|酒红|奶白|浅色|深色|裸色|透明|能用|可以用|能吃|可以吃|适合|敏感肌|孕妇|哺乳期|宝宝可以|小孩|老人|儿童|男士|女士|男生能|油皮|干皮|混油|混干|中性皮|肤质|黄皮|黑皮|颜色|色号|什么色|有几个色|品牌|牌子|" +
		"什么牌|型号|规格|配置|内存|容量|毫升|多重|克重|净重|重量|厚度|尺寸多|高度|功率|电压|区别|不同|对比|哪个好|哪款|细节|搭配|防水|防滑|透气|加绒|加厚|薄款|厚款|弹力|起球|掉色|褪色|变形|缩水|有味道|异味|甜度|辣度|口味|原味|无糖|添加剂|防腐剂|香精|酒精|激素|生产|厂家|国产|进口|代工|证书|鉴定|含金量|质地|肤感|水洗|机洗|手洗|干洗|新款|旧款|老款|今年的|" +
		"直接吃|放冰箱|冷藏|冷冻|保存|需要放|敏感|敏皮|痘|暗沉|提亮|美白|祛斑|淡斑|色斑|黄褐斑|改善|褪红|红血丝|泛红|抗炎|消炎|消肿|控油|补水|保湿|修护|修复|毛孔|黑头|闭口|皱纹|细纹|抬头纹|法令纹|川字纹|眼袋|黑眼圈|泪沟|屏障|抗老|抗衰|抗氧|紧致|减肥|瘦身|减脂|脱发|掉发|白发|止痒|关节|颈椎|腰疼|膝盖|失眠|便秘|血糖|血压|血脂|风湿|跌打|扭伤|骨痛|跟高|鞋跟|鞋底|软底|几岁|见效|提升|增强|免疫|抵抗力|代谢|睡眠|精力|气血|宫寒|内分泌|备孕|结节|三高|胆固醇|尿酸|要一个月|要一天|要一周|要多久|要几天|一天几|一天用|一次用|用几|用多久|拍照|拍视频|拍摄|夜拍|散热|打游戏|玩游戏|卡顿|信号|连接|蓝牙|兼容|几年|多高|多长|多宽|多厚|多大的",
	"material|fabric|ingredient*|how do you use|how to use|color*|colour*|brand|waterproof|stretchy|authentic|real leather|difference|which one|recommend*|compare|come with|comes with|bpa|free of|vegan|organic|cotton|leather|silk|gold plated|sterling|battery|dishwasher|microwave|washable|kids|adults|sensitive skin|oily skin|dry skin|acne|wrinkle*|scent|flavor*|flavour*|made of|made in|what year|which series|pink|blue|green|purple|black|white|brown|beige|gray|grey|gold|silver|orange|yellow|navy",
}

// shows are requests to bring, show, try or explain something.
var shows = []string{
	"推荐|看看|想看|要看|看一下|看下|看一看|瞧瞧|讲解|讲一下|讲下|讲讲|讲一讲|介绍|试一下|试试|试下|试穿|试戴|试色|试用|上身|上脸|上手|展示|有没|有没有|有木有|解释一下|解释下|说明一下|有吗|有不|上吗|上一下|挂上|挂一下|挂个|挂一|带点|带一下|上点|没上|上个|上一个|上一点|啥时候上|什么时候上|几点上|几点有|安排|弄点|搞点|搞多点|过一遍|再讲|再看|再说一",
	"one more time|separate the|separate links|separate link|split the|the links|can you show|can i see|can we see|let me see|show me|show us|show the|show it|see the|see it|have the|try on|try it on|hold up|close up|closer|do the|pull the|open the|bring out",
}

// regions are where goods are sent.
const regions = "北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙|内蒙古|广西|西藏|宁夏|新疆|香港|澳门|东北|南方|北方|广州|深圳|杭州|成都|武汉|西安|哈尔滨|沈阳|大连|拉萨|昆明|南京|苏州|长沙|郑州|青岛|海外|国外|乡镇|农村|地区|区域|我们这|我这里|这边"
