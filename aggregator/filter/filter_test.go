package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"livehost/aggregator/filter"
	"livehost/aggregator/text"
)

func judge(t *testing.T, tests map[string]filter.Reason) {
	t.Helper()
	for in, want := range tests {
		if got := filter.New(filter.Lists{}).Judge(text.Clean(in, "zh")); got.Reason != want {
			t.Errorf("%q: %q (%q), want %q", in, got.Reason, got.Span, want)
		}
	}
}

func TestNothingToAnswer(t *testing.T) {
	t.Parallel()
	judge(t, map[string]filter.Reason{
		"": filter.Empty, "\u200b": filter.Empty, "👍 👍": filter.EmojiOnly, "[赞][赞]": filter.EmojiOnly, "@<USER>": filter.MentionOnly,
		"https://a.example/x": filter.URLOnly, "……": filter.Noise, "???": filter.Noise, "666": filter.NumberOnly, "2333333": filter.NumberOnly,
		"12345678": filter.NumberOnly,
		"√√√":      filter.Noise, "×": filter.Noise, "¥": filter.Noise, "→": filter.EmojiOnly, "∞ ±": filter.Noise, "\u0301\u0301": filter.Noise, "\u3164": filter.Empty, "\u2800 \u2800": filter.Empty,
		"ありますか": filter.None, "얼마": filter.None, "сколько": filter.None, "๑๒": filter.None, "〇": filter.None, "½": filter.None,
		"80": filter.None, "36!": filter.None, "5号": filter.None, "29.9": filter.None, "8+256": filter.None, "101、102": filter.None,
		"哈哈": filter.None, "太帅了强哥": filter.None, "好": filter.None,
	})
}

func TestContactBait(t *testing.T) {
	t.Parallel()
	judge(t, map[string]filter.Reason{
		"加微信": filter.ContactBait, "加个微信[捂脸]": filter.ContactBait, "加 微 信": filter.ContactBait, "加\u200b微\u200b信": filter.ContactBait,
		"加V": filter.ContactBait, "加薇芯 聊": filter.ContactBait, "＋V❤": filter.ContactBait, "vx：abc12345": filter.ContactBait,
		"微信号 abc_123": filter.ContactBait, "13812345678": filter.NumberOnly, "联系13812345678": filter.ContactBait, "加微领券": filter.ContactBait,
		"互粉吗": filter.ContactBait, "text me on WhatsApp": filter.ContactBait, "check my bio": filter.ContactBait, "add me on telegram": filter.ContactBait,
		"能微信付款吗": filter.None, "这手机支持微信分身么": filter.None, "没有微信支付": filter.None, "有微信公众号吗": filter.None, "用微信怎么支付不了": filter.None,
		"加微波炉多少钱": filter.None, "加VIP有优惠吗": filter.None, "和vx效果哪个好": filter.None, "主页的风扇露营灯": filter.None, "加一件": filter.None,
		"加微辣可以吗": filter.None, "有维生素c吗": filter.None, "8+256多少钱": filter.None,
	})
}

func TestP42AllowedWordsPass(t *testing.T) {
	t.Parallel()
	judge(t, map[string]filter.Reason{
		"这款可靠吗": filter.None, "然后呢": filter.None, "的": filter.None, "大麻袋多少钱": filter.None, "Scunthorpe shipping?": filter.None,
		"shiitake mushrooms": filter.None, "class A": filter.None,
		"傻逼主播": filter.Sensitive, "傻 逼": filter.Sensitive, "fucking scam": filter.Sensitive, "日赚500": filter.Spam, "free crypto here": filter.Spam,
		"ѕlut": filter.Sensitive,
	})
}

// English in disguise is found inside a sentence, where Match has no words any more.
func TestP43DisguisedEnglish(t *testing.T) {
	t.Parallel()
	judge(t, map[string]filter.Reason{
		"you ѕlut": filter.Sensitive, "you fuсking scam": filter.Sensitive, "free сrypto for all": filter.Spam, "сheck my bio": filter.ContactBait,
		"text mе on": filter.ContactBait, "YOU ЅLUT": filter.Sensitive, "you ꜱʟᴜᴛ": filter.Sensitive, "you ωhore": filter.Sensitive,
		"FUCKIΝG scam": filter.Sensitive, "you wΗORE": filter.Sensitive, "so ρσяη": filter.Sensitive, "you вιт¢н": filter.Sensitive,
		"you fúck": filter.Sensitive, "you f̶u̶c̶k̶": filter.Sensitive, "you ƒữçƙ": filter.Sensitive, "you s\u200bl\u2060ut": filter.Sensitive, "you s\u034flut": filter.Sensitive,
		"сhеck my b10": filter.ContactBait, "you f.u.c.k": filter.Sensitive, "you ѕ l u t": filter.Sensitive, "you b 1 t c h": filter.Sensitive, "ｙｏｕ ｓｌｕｔ": filter.Sensitive,
		"you f@ggot": filter.Sensitive, "you f＠ggot ok": filter.Sensitive, "you nigg@": filter.Sensitive, "you nigg@ ok": filter.Sensitive, "r@pe": filter.Sensitive, "you s1ut": filter.Sensitive,
		"on1yfans girl": filter.Sensitive, "you 8itch": filter.Sensitive, "you fa99ot": filter.Sensitive, "my wh@ts@pp": filter.ContactBait,
		"сколько стоит доставка": filter.None, "πόσο κάνει": filter.None, "цена и размер есть?": filter.None, "café crème?": filter.None, "naïve résumé": filter.None,
		"bao nhiêu tiền ạ": filter.None, "¿qué precio tiene?": filter.None, "größe XL?": filter.None, "u.s.a made?": filter.None, "s/m/l/xl?": filter.None, "size s m l": filter.None,
		"i9 or i7 core?": filter.None, "meet @ 5pm": filter.None, "ok@小明": filter.None, "is it 100% cotton @anna": filter.None, "8+256 v20": filter.None, "a1 a2 a3": filter.None,
		"5% off, $10 each!": filter.None, "class@8": filter.None, "5€ or 6€?": filter.None,
	})
}

// A number is a phone's with its country's code, too, and beside words and numbers.
func TestP45NumbersWithACountrysCode(t *testing.T) {
	t.Parallel()
	judge(t, map[string]filter.Reason{
		"联系我 +8613812345678": filter.ContactBait, "+86 138 1234 5678": filter.ContactBait, "008613812345678 找我": filter.ContactBait, "86-138-1234-5678拿货": filter.ContactBait,
		"找我＋８６１３８１２３４５６７８": filter.ContactBait, "⑧⑥①③⑧①②③④⑤⑥⑦⑧找": filter.ContactBait, "八六一三八一二三四五六七八": filter.ContactBait, "壹叁捌壹贰叁肆伍陆柒捌": filter.ContactBait, "(+86)13812345678拿货": filter.ContactBait,
		"➕86 138 1234 5678": filter.ContactBait, "打013812345678": filter.ContactBait, "+86 l38 1234 5678": filter.ContactBait, "0086 0138 1234 5678": filter.ContactBait,
		"tel 13812345678": filter.ContactBait, "tel: 138 1234 5678": filter.ContactBait, "打13812345678一下": filter.ContactBait, "打8613812345678一下": filter.ContactBait, "2个13812345678": filter.ContactBait, "2 13812345678 拿货": filter.ContactBait,
		"whatsapp +44 7911 123456": filter.ContactBait, "联系 +852 5123 4567": filter.ContactBait, "找 +44 7911 123456": filter.ContactBait,
		"8613812345": filter.NumberOnly, "单号 8812345678901": filter.None, "订单号861234567890123": filter.None, "条码6901234567892": filter.None, "快递YT8613812345678到哪了": filter.None, "tel 8613812345678": filter.ContactBait, "tel+86 138 1234 5678": filter.ContactBait,
		"13812345678 if ok": filter.ContactBait, "8+256多少": filter.None,
		"86 158 48 60 88 90 穿什么码": filter.None, "身高165体重120胸围86": filter.None, "1+1=2 3 4 5 6 7 8 9 0 1 2": filter.None, "+1 +1 +1 +1": filter.None,
	})
}

func TestP45MoreBait(t *testing.T) {
	t.Parallel()
	judge(t, map[string]filter.Reason{
		"shop886@gmail.com": filter.ContactBait, "发我 88612345@qq.com": filter.ContactBait, "shop_886@163.com 聊": filter.ContactBait, "write me a.b@shop.com. ok": filter.ContactBait, "ok@some.body how much": filter.None,
		"加个V吧": filter.ContactBait, "加一下薇": filter.ContactBait, "加你v": filter.ContactBait, "wx同号": filter.ContactBait, "V❤ 聊聊": filter.ContactBait, "wechat me": filter.ContactBait,
		"w h a t s a p p me": filter.ContactBait, "加\\/信": filter.ContactBait, "加＼／❤": filter.ContactBait, "jia wei xin": filter.ContactBait, "jia微信": filter.ContactBait,
		"微同号 13号": filter.ContactBait, "and\\/or": filter.None, "jian微信支付": filter.None, "番茄酱和咖啡": filter.None,
		"加个V领的": filter.None, "加一个v8多少": filter.None, "找个微胖能穿的": filter.None, "加个微辣": filter.None, "找一下薇诺娜": filter.None, "微信聊天记录能传吗": filter.None, "加个q弹的": filter.None,
		"@小明 多少钱": filter.None, "你好@小明": filter.None, "你好@小明 多少钱": filter.None, "@anna how much": filter.None, "thanks @anna": filter.None,
	})
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := filter.NewLimiter(filter.Rate{Burst: 3, RefillMs: 2000})
	for i, want := range []filter.Reason{filter.None, filter.None, filter.None, filter.Flood} {
		if got := l.Allow("u1", fmt.Sprint(i), 1000); got != want {
			t.Errorf("danmaku %d: %q, want %q", i, got, want)
		}
	}
	if got := l.Allow("u2", "", 1000); got != filter.None {
		t.Error("one viewer's flood stopped another")
	}
	if got := l.Allow("u1", "", 3001); got != filter.None {
		t.Error("not refilled")
	}
}

// A genuine repeat is a few times the same words; a machine goes on.
func TestP06SameWordsTimeAndAgain(t *testing.T) {
	t.Parallel()
	l := filter.NewLimiter(filter.Rate{Burst: 8, RefillMs: 1000, Same: 3, SameMs: 60_000})
	for i, tt := range []struct {
		text string
		ms   int64
		want filter.Reason
	}{
		{"有货吗", 0, filter.None}, {"有货吗", 5000, filter.None}, {"有货吗", 10_000, filter.None}, {"有货吗", 15_000, filter.Repeat},
		{"多少钱", 20_000, filter.None}, {"有货吗", 25_000, filter.None}, {"有货吗", 90_000, filter.None},
	} {
		if got := l.Allow("u1", tt.text, tt.ms); got != tt.want {
			t.Errorf("%d %s: %q, want %q", i, tt.text, got, tt.want)
		}
	}
}

func TestP54AnonymousIsNotOneFlooder(t *testing.T) {
	t.Parallel()
	l := filter.NewLimiter(filter.Rate{Burst: 1, RefillMs: 2000, Same: 1, SameMs: 60_000})
	for range 100 {
		if l.Allow("0", "多少钱", 1) != filter.None || l.Allow("", "多少钱", 1) != filter.None {
			t.Fatal("anonymous viewers limited as one")
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	l, err := filter.ParseLists("words.txt", []byte("\ufeff# ours\n[sensitive]\n某某品牌\nbadword\n[spam]\n扫楼 广告\n[allow]\n加微信支付群\n威新\n私信我的包\n扫楼\nf4f lens\n外挂\n[bots]\nbot-7\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := filter.New(l)
	for in, want := range map[string]filter.Reason{
		"某 某*品牌多少钱": filter.Sensitive, "what a BADWORD": filter.Sensitive, "badwords": filter.None, "扫楼广告": filter.Spam, "a b\u0430dword": filter.Sensitive, "a b4dword": filter.Sensitive, "多少钱": filter.None, "傻逼": filter.Sensitive,
		"加威新面膜多少钱": filter.None, "加威新微信": filter.ContactBait, "私信我的包到了吗": filter.None, "私信我": filter.ContactBait,
		"F4F lens price": filter.None, "f4f": filter.ContactBait, "外挂": filter.None, "收号": filter.Spam,
	} {
		if got := f.Judge(text.Clean(in, "zh")); got.Reason != want {
			t.Errorf("%q: %q, want %q", in, got.Reason, want)
		}
	}
	if !f.Bot("bot-7") || f.Bot("bot-8") || f.Version() == filter.New(filter.Lists{}).Version() {
		t.Errorf("bots or version %q", f.Version())
	}
	_, err = filter.ParseLists("words.txt", []byte("何\n[nonsense]\n[spam]\n的\n"))
	for _, want := range []string{"words.txt:1", "words.txt:2", "words.txt:4"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}

func FuzzParseLists(f *testing.F) {
	f.Add([]byte("[spam]\nabc\n[allow]\n然后\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := filter.ParseLists("f", data); err == nil {
			filter.New(l).Judge(text.Clean(string(data), "zh"))
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	f := filter.New(filter.Lists{})
	var in []text.Text
	for _, s := range []string{"这个面膜敏感肌能用吗", "多少钱", "洗面奶", "What size would you recommend", "太好看了", "加微信", "13号链接还有货吗"} {
		in = append(in, text.Clean(s, "zh"))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Judge(in[i%len(in)])
	}
}
