package cluster_test

import "testing"

// What looks alike and is not one question, by the kind of word that tells it apart.
func TestLookalikesNeverShareAKey(t *testing.T) {
	t.Parallel()
	for kind, pairs := range map[string][][2]string{
		"who it is for, and whom one talks to": {
			{"宝宝能吃吗", "能吃吗"}, {"宝宝可以用吗", "可以用吗"}, {"宝贝会过敏吗", "会过敏吗"}, {"主播穿多大码", "穿多大码"}, {"姐姐穿的哪个色", "穿哪个色"},
			{"主播的衣服多少钱", "衣服多少钱"}, {"穿的什么码", "穿什么码"}, {"专柜有吗", "有专柜吗"}, {"app有吗", "有app吗"}, {"vip有吗", "有vip吗"}, {"多少个月能喝", "几月能喝"}, {"新会员有吗", "有新会员吗"}, {"老板娘的耳环多少钱", "耳环多少钱"},
		},
		"a word that holds a particle": {
			{"送充电宝吗", "送充电吗"}, {"有珠宝盒吗", "有珠盒吗"}, {"几点下播", "几点播"}, {"下一个多少钱", "一个多少钱"}, {"下一套多少钱", "一套多少钱"},
			{"下面有口袋吗", "面有口袋吗"}, {"3个月生产的吗", "3月生产的吗"}, {"安装麻烦吗", "安装吗"}, {"我不会用", "我不用"}, {"我不知道", "我不会"}, {"讲下一个", "讲一个"}, {"毛呢的吗", "毛的吗"},
			{"这么用吗", "用吗"}, {"都是这么红吗", "是红的吗"},
		},
		"one of two, and both": {{"饭前吃还是饭后吃", "饭前饭后都吃吗"}, {"云雾霜还是云露霜", "云雾霜云露霜"}},
		"this and that": {
			{"要那个不要这个", "要这个不要那个"}, {"那个甜", "甜吗"}, {"控油的那个呢", "控油吗"}, {"那个有赠品", "有赠品吗"},
			{"is this better than that", "is that better than this"},
		},
		"numbers that only touch": {
			{"9,9吗", "99吗"}, {"讲一下3,5", "讲一下35"}, {"要1 2号", "要12号"}, {"要3个2斤的", "要32斤的"}, {"99六盒吗", "996盒吗"}, {"三四盒够吗", "四盒够吗"}, {"第二件半价吗", "两件半价吗"}, {"-10度能穿吗", "10度能穿吗"}, {"50%棉吗", "50棉吗"},
			{"18+能用吗", "18能用吗"}, {"10% off?", "10 off?"}, {"restock at 10:30", "restock at 10"}, {"is it 3am", "is it 3"},
		},
		"sizes of many letters":        {{"有XXXL吗", "有XL吗"}, {"XXL?", "XL?"}},
		"numbers that are no link":     {{"用5号电池吗", "5号用电池吗"}, {"3号色好看吗", "3号好看吗"}, {"no 5 left?", "number 5 left?"}},
		"links in what is no question": {{"杯子在12号链接哦", "杯子在14号链接哦"}, {"72号一眼爱", "一眼爱"}},
		"negations by ear":             {{"么有了", "有了吗"}, {"么拍上", "拍上了"}, {"木有了吗", "有了吗"}, {"冇货", "有货吗"}, {"有没有没有帽子的", "有没有帽子的"}},
		"what happened, and what may": {
			{"接头生锈了", "接头会生锈吗"}, {"裤子掉色了", "裤子掉色吗"}, {"过期了吗", "会过期吗"}, {"涨价了吗", "会涨价吗"}, {"中奖了", "求中奖"}, {"中福袋了", "中个福袋吧"},
		},
		"today's delivery":    {{"今天发货吗", "发货吗"}, {"新疆今天能发吗", "新疆能发吗"}, {"今天能到吗", "能到吗"}},
		"at hand, and at all": {{"白色没有吗", "有白色吗"}, {"什么码都有吗", "有什么码"}, {"有线的有吗", "是有线的吗"}, {"有现货吗", "有货吗"}},
		"what was":            {{"how much was it", "how much is it"}, {"did they sell out", "will they sell out"}},
		"today's shipping":    {{"does it ship today", "do you ship"}},
		"must and can":        {{"do I have to iron it", "can I iron it"}, {"do I need to wash it", "do you wash it"}},
		"one that counts":     {{"is it one size", "what size"}, {"is it one piece", "is it a piece"}, {"limit one?", "is there a limit"}},
		"which there are": {
			{"what color is it", "what colors do you have"}, {"what size is this", "what sizes do you have"}, {"any discount", "more discount"}, {"what size is this", "what size are you"},
		},
		"where, and for what": {{"what's on the bag", "what's in the bag"}, {"is it on sale", "is it for sale"}, {"do you ship to the US", "do you ship"}},
		"who answers here":    {{"你是真人吗", "是录播吗"}, {"你是谁", "是录播吗"}, {"旁边那个是谁", "你是谁"}, {"are you a bot", "is this a replay"}, {"who are you", "are you a bot"}, {"is the gold real", "are you real"}, {"是录播吗", "是不是录播呀没有人回我,哺乳期能不能喝这个茶"}},
		"coming and going, and wishes": {
			{"晚上好", "拜拜"}, {"晚上好", "生日快乐"}, {"拜拜", "新年快乐"}, {"生日快乐", "新年快乐"}, {"good morning", "bye bye"},
		},
		"chat with a but": {
			{"好看", "没有那么好看"}, {"好看", "不觉得好看"}, {"好看", "好看但是贵"}, {"好看", "要是好看就买"}, {"好用", "以为很好用"}, {"好用", "听说很好用"}, {"好看", "没有别人家好看"},
			{"好吃", "好吃,就是削皮麻烦"}, {"谢谢", "谢谢但我不要"}, {"cute", "cute but small"}, {"cute", "used to be cute"}, {"cute", "cuter than mine"}, {"cute", "hardly cute"}, {"cute", "i thought it was cute"},
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, p := range pairs {
				if a, b := read(p[0], "u1", "7").Key, read(p[1], "u2", "7").Key; a == b {
					t.Errorf("%q and %q share key %q", p[0], p[1], a)
				}
			}
		})
	}
}
