package cluster_test

import (
	"testing"

	"livehost/aggregator/cluster"
	"livehost/aggregator/text"
	"livehost/streams/event"
)

func read(in string, viewer event.ViewerID, focus event.LinkID) cluster.Reading {
	t := text.Clean(in, "zh")
	return cluster.Read(cluster.Asked{
		DanmakuID: event.DanmakuID("d-" + in), ViewerID: viewer, Question: t.Question, Language: t.Language, Focus: focus,
	})
}

func TestIntent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]cluster.Intent{
		"这个多少钱": cluster.Price, "23号链接还有货吗": cluster.Price, "80": cluster.Product, "36!": cluster.Product, "有优惠券吗": cluster.Price,
		"身高158 100斤穿多大": cluster.Size, "S码有吗": cluster.Size, "什么时候发货": cluster.Shipping, "可以退货吗": cluster.Shipping, "怎么入会": cluster.Membership,
		"送什么": cluster.Membership, "怎么买": cluster.Purchase, "没抢到": cluster.Price, "主播晚上好": cluster.Greeting, "太帅了": cluster.Praise,
		"好吃吗": cluster.Product, "好吃": cluster.Praise, "洗面奶": cluster.Product, "防水吗": cluster.Product, "你是机器人吗": cluster.Identity,
		"骗人的吧": cluster.Complaint, "哈哈": cluster.LowInfo, "666啊": cluster.LowInfo, "辛巴加油冲冲": cluster.Praise, "泡泡玛特要来了吗": cluster.Product, "要黄水晶": cluster.Purchase,
		"想看这个裤子白色": cluster.Product, "你好,有空调吗": cluster.Product,
		"烘干机": cluster.Product, "衬衫挂一下": cluster.Product, "香菇,上吧": cluster.Product, "推荐那件": cluster.Product, "7和9": cluster.Product, "厚的还是薄的": cluster.Product,
		"裙子呢": cluster.Product, "在发呆呢": cluster.LowInfo, "面膜还没用呢": cluster.LowInfo, "面膜用了": cluster.LowInfo, "买了怎么用": cluster.Product,
		"送杯子吗": cluster.Membership, "多久送到": cluster.Shipping, "甘肃打开": cluster.Shipping, "券怎么领": cluster.Purchase, "补不补": cluster.Price, "刚下单的": cluster.Purchase,
		"168/112": cluster.Size, "128斤": cluster.Size, "床垫180*200": cluster.Product, "100斤多少钱": cluster.Price, "主播脾气真好": cluster.Praise, "买了三次,很好吃": cluster.Praise,
		"太长了": cluster.Product, "太优雅了": cluster.Praise, "祝你平安": cluster.Greeting, "吃饭了吗": cluster.Greeting, "他在哭什么": cluster.LowInfo, "什么态度": cluster.Complaint,
		"are the mugs heavy": cluster.Product, "I love how it looks": cluster.Praise, "pink scarves": cluster.Product, "is he married": cluster.LowInfo, "who are you": cluster.Identity,
		"How much is it": cluster.Price, "does it come in XL?": cluster.Size, "are you a robot": cluster.Identity, "do you ship to Canada": cluster.Shipping,
		"Can you show the pink bag": cluster.Product, "omg so cute": cluster.Praise, "hi": cluster.Greeting, "lol": cluster.LowInfo, "when is the restock": cluster.Price,
		"烤箱还有吗": cluster.Price, "有烤箱吗": cluster.Product, "又没抢到": cluster.Price, "补个m码": cluster.Price, "M码有吗": cluster.Size, "现货吗": cluster.Price, "现货还是预售": cluster.Shipping,
		"有券吗": cluster.Price, "券怎么用": cluster.Purchase, "国补怎么领": cluster.Purchase, "不是59吗": cluster.Price, "15元": cluster.Price, "价格真便宜": cluster.Praise,
		"毛衣链接": cluster.Purchase, "6号链接": cluster.Product, "二号链接厚吗": cluster.Product, "帽子在8号链接哦": cluster.LowInfo, "小雨,要面膜": cluster.Purchase, "要淡斑的": cluster.Purchase,
		"你买了什么": cluster.LowInfo, "我家有烤箱": cluster.LowInfo, "昨天买了烤箱": cluster.LowInfo, "刚买了烤箱": cluster.Purchase, "没收到货": cluster.Shipping, "别吹了": cluster.Complaint, "说了三遍了": cluster.Complaint,
		"哇塞": cluster.LowInfo, "太逗了": cluster.LowInfo, "讲得真好": cluster.Praise, "讲得对": cluster.LowInfo, "姐姐好": cluster.Greeting, "姐姐好美": cluster.Praise, "不靠谱": cluster.Complaint, "不漂亮": cluster.LowInfo,
		"苦瓜好啊": cluster.Praise, "四季豆炒肉": cluster.LowInfo, "祝大家平安": cluster.Greeting, "主播多高": cluster.Greeting, "累了吧": cluster.Greeting, "好纠结": cluster.Purchase, "下次什么时候播": cluster.Purchase, "礼盒还有吗": cluster.Membership,
		"which link": cluster.Purchase, "sold out again": cluster.Price, "20 dollars?": cluster.Price, "buy it guys": cluster.LowInfo, "wow": cluster.LowInfo, "omg how cute": cluster.Praise, "morning": cluster.Greeting,
		"有点长": cluster.Product, "2045??": cluster.Price, "是2045吗": cluster.Price, "88上": cluster.Product, "讲2045": cluster.Product, "外套是21号吗": cluster.Purchase,
		"真好奇": cluster.LowInfo, "什么人都有": cluster.LowInfo, "什么颜色都有吗": cluster.Product, "还得是老王": cluster.Praise, "已拍,加急": cluster.Shipping,
		"欢迎大美女进来": cluster.Greeting, "美女生日快乐": cluster.Greeting, "優惠還有嗎": cluster.Price, "炖白汤": cluster.LowInfo, "煮锅": cluster.Product, "20袋": cluster.LowInfo,
		"孕妇可以的": cluster.LowInfo, "为啥这么慌": cluster.LowInfo, "围巾在哪": cluster.Purchase, "买了": cluster.Purchase, "我买了": cluster.LowInfo, "我买了好多": cluster.Purchase,
		"赠品怎么领": cluster.Membership, "怎么领": cluster.Purchase, "一盒多少片": cluster.Product, "got a mug": cluster.Purchase, "who got one": cluster.LowInfo, "see product 5 please": cluster.Product,
	} {
		if got := read(in, "u", "").Intent; got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestClass(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]event.Class{
		"多少钱": event.ClassPurchase, "3号防水吗": event.ClassPurchase, "防水吗": event.ClassQuestion, "包邮吗": event.ClassQuestion,
		"你是真人吗": event.ClassQuestion, "晚上好": event.ClassChat, "哈哈": event.ClassChat, "好看": event.ClassChat,
	} {
		if got := read(in, "u", "").Class; got != want {
			t.Errorf("%q: class %d, want %d", in, got, want)
		}
	}
}

func TestP27SynonymsShareAKey(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{"多少钱", "价格", "几块", "怎么卖", "这个多少钱呀", "主播这款什么价", "多少钱多少钱多少钱", "价格？", "请问价格多少"},
		{"3号多少钱", "3号链接多少钱", "链接3什么价", "3号怎么卖", "#3 多少钱"},
		{"防水吗", "防不防水", "这个防水吗？", "防水不"},
		{"什么时候发货", "多久发货", "啥时候发货呀", "几天发货"},
		{"孕妇可以用吗", "孕妇能用吗", "孕妇能不能用"},
		{"甜吗", "甜不甜", "甜不"},
		{"how much", "How much is it?", "what's the price", "how much is this please"},
		{"is this waterproof", "waterproof?"},
		{"晚上好", "主播好"},
		{"80", "80!", "80号", "#80"},
		{"什么牌子", "哪个牌子", "啥牌子", "什么品牌的呀"},
		{"没车了", "没有车", "没车没车没车没", "沒車了,沒車了,沒車"},
		{"儿童可以用吗", "儿童可以吗", "儿童能用吗"},
	} {
		want := read(group[0], "u1", "7").Key
		for _, in := range group[1:] {
			if got := read(in, "u2", "7").Key; got != want {
				t.Errorf("%q has key %q, %q has %q", in, got, group[0], want)
			}
		}
	}
}

// Chat that one word answers shares a key, whoever it names.
func TestChatOfOneKindSharesAKey(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{"主播加油", "支持小雨", "加油加油", "老师加油冲"}, {"太划算了", "真便宜", "太便宜了", "超值"}, {"谢谢主播", "感谢您的爸爸妈妈", "主播辛苦了"},
		{"小雨真厉害", "太棒了", "老板大气", "主播给力给力"}, {"好看", "太好看了", "真漂亮呀"}, {"说的对", "主播说得太对了", "没毛病"},
		{"so cute", "omg this is adorable", "the blue one is cute"}, {"thank you", "thanks so much"},
	} {
		want := read(group[0], "u1", "7").Key
		for _, in := range group[1:] {
			if got := read(in, "u2", "3").Key; got != want {
				t.Errorf("%q has key %q, %q has %q", in, got, group[0], want)
			}
		}
	}
	for _, pair := range [][2]string{
		{"好看", "不好看"}, {"好用", "好用吗"}, {"主播加油", "主播真美"}, {"太划算了", "一点都不划算"}, {"cute", "not cute"}, {"我喜欢红的", "喜欢你"},
		{"谢谢", "上次买的面膜用完皮肤发红了,谢谢"}, {"好吃", "3号好吃"}, {"哈哈", "哈哈第一次来直播间啥都不懂"}, {"restock what?", "restock please"},
	} {
		if a, b := read(pair[0], "u", "7").Key, read(pair[1], "u", "7").Key; a == b {
			t.Errorf("%q and %q share key %q", pair[0], pair[1], a)
		}
	}
}

func TestP28OppositesSizesAndNumbersDiffer(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"防水吗", "不防水吗"}, {"S码有吗", "XS码有吗"}, {"3号多少钱", "13号多少钱"}, {"一件多少钱", "两件多少钱"}, {"3.0有吗", "30有吗"},
		{"有优惠吗", "没有优惠吗"}, {"能用券吗", "不能用券吗"}, {"红色多少钱", "黑色多少钱"}, {"100斤穿什么码", "110斤穿什么码"},
		{"is it waterproof", "is it not waterproof"}, {"with box?", "without box?"}, {"多少钱", "how much"}, {"3号和5号哪个好", "3号和6号哪个好"},
		{"这个呢", "那个呢"}, {"孕妇能用吗", "孕妇不能用吗"}, {"孕妇能用吗", "哺乳期能用吗"}, {"贵不贵", "不贵"},
	} {
		a, b := read(pair[0], "u", "7").Key, read(pair[1], "u", "7").Key
		if a == b {
			t.Errorf("%q and %q share key %q", pair[0], pair[1], a)
		}
	}
}

func TestP63KeyFollowsFocus(t *testing.T) {
	t.Parallel()
	if read("这个多少钱", "u", "1").Key == read("这个多少钱", "u", "2").Key {
		t.Error("two products share a key")
	}
	if a, b := read("5号多少钱", "u", "1"), read("5号多少钱", "u", "2"); a.Key != b.Key || a.Link != "5" {
		t.Errorf("a named link depends on focus: %+v %+v", a, b)
	}
}

func TestPrivateMattersAreTheViewers(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"我的快递到哪了", "我的订单发货了没", "where is my order", "我买的还没到", "骗人"} {
		if read(in, "u1", "").Key == read(in, "u2", "").Key {
			t.Errorf("%q: two viewers share a key", in)
		}
		if read(in, "u1", "").Key != read(in, "u1", "").Key {
			t.Errorf("%q: one viewer's key changes", in)
		}
	}
}

func TestKeyIsBounded(t *testing.T) {
	t.Parallel()
	long := "请介绍蓝色绿色紫色白色黑色红色橙色黄色棕色灰色粉色金色银色米色青色以及它们各自适合哪些肤质和场合"
	a, b := read(long+"甲", "u", "1").Key, read(long+"乙", "u", "1").Key
	if len(a) > 110 || a == b {
		t.Errorf("keys %q, %q", a, b)
	}
}

func BenchmarkRead(b *testing.B) {
	in := []string{"这个面膜敏感肌能用吗", "多少钱", "洗面奶", "What size would you recommend", "太好看了"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		cluster.Read(cluster.Asked{DanmakuID: "d", ViewerID: "u", Question: in[i%len(in)], Language: "zh", Focus: "7"})
	}
}
