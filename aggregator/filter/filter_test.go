package filter_test

import (
	"testing"

	"livehost/aggregator/filter"
	"livehost/aggregator/text"
)

func judge(t *testing.T, tests map[string]filter.Reason) {
	t.Helper()
	for in, want := range tests {
		if got := filter.Judge(text.Clean(in, "zh")); got.Reason != want {
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
		"80":       filter.None, "36!": filter.None, "5号": filter.None, "29.9": filter.None, "8+256": filter.None, "101、102": filter.None,
		"哈哈": filter.None, "太帅了辛总": filter.None, "好": filter.None,
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

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := filter.NewLimiter(filter.Rate{Burst: 3, RefillMs: 2000})
	for i, want := range []bool{true, true, true, false} {
		if got := l.Allow("u1", 1000); got != want {
			t.Errorf("danmaku %d: %v, want %v", i, got, want)
		}
	}
	if !l.Allow("u2", 1000) {
		t.Error("one viewer's flood stopped another")
	}
	if !l.Allow("u1", 3001) {
		t.Error("not refilled")
	}
}

func TestP54AnonymousIsNotOneFlooder(t *testing.T) {
	t.Parallel()
	l := filter.NewLimiter(filter.Rate{Burst: 1, RefillMs: 2000})
	for range 100 {
		if !l.Allow("0", 1) || !l.Allow("", 1) {
			t.Fatal("anonymous viewers limited as one")
		}
	}
}
