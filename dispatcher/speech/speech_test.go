package speech_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"livehost/dispatcher/speech"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"今天89元", "今天89元"},
		{"[dog][dog]", ""}, {"👍 👍", ""}, {"❤️", ""}, // CASES P30
		{"🎉🎉🎉好", "好"},                     // P31
		{"**限时** 99 元", "限时 99 元"},        // P34
		{"\n", ""}, {"", ""}, {"！！！", ""}, // P61
		{"这个 example.invalid/x 正品吗", "这个正品吗"}, // P33
		{"看 https://example.invalid/a?b=1 哦", "看哦"},
		{"[点这里](https://example.invalid) 下单", "点这里下单"},
		{"谢谢[玫瑰][玫瑰]支持", "谢谢支持"},
		{"[满300减50]今晚有效", "[满300减50]今晚有效"},
		{"加\u200b微\u200b信", "加微信"},
		{"好的(≧▽≦)马上", "好的马上"},
		{"尺寸10*20*30厘米", "尺寸10*20*30厘米"},
		{"*今天*89元", "今天89元"},
		{"好哒~", "好哒"}, {"3~5天", "3~5天"},
		{"- 第一\n- 第二", "第一，第二"},
		{"价格 1,299.00 元，包邮", "价格 1,299.00 元，包邮"},
		{"1️⃣号链接", "1号链接"},
		{"25℃以下，¥89.00，20%", "25℃以下，¥89.00，20%"},
		{"👨‍👩‍👧家用", "家用"},
		{"Yes!!! It is 89 yuan 😊", "Yes! It is 89 yuan"},
		{"，。好", "好"}, {"[do[玫瑰]g]好", "好"},
	} {
		if got := speech.Clean(tt.in); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"今天89元", "今天八十九元"},
		{"只要¥89.00哦", "只要八十九元哦"},
		{"￥89.9", "eighty-nine point nine yuan"}, // no Chinese: for an English engine
		{"100-200元", "一百到二百元"}, {"在¥99-¥199", "在九十九到一百九十九元"},
		{"编号007", "编号零零七"}, {"单号1234567", "单号幺二三四五六七"},
		{"券后￥89.9", "券后八十九点九元"},
		{"价格1,299.00元", "价格一千二百九十九元"},
		{"便宜20%", "便宜百分之二十"},
		{"降10%-20%", "降百分之十到二十"},
		{"3-5天到", "三到五天到"}, {"3~5天到", "三到五天到"},
		{"满300减50", "满三百减五十"},
		{"2024款", "二零二四款"}, {"2026年新品", "二零二六年新品"},
		{"拨打4001234567", "拨打四零零 幺二三四 五六七"},
		{"88VIP更便宜", "88VIP更便宜"},
		{"iPhone15可用", "iPhone15可用"},
		{"尺寸10*20*30厘米", "尺寸十乘二十乘三十厘米"},
		{"晚上20:00开始，20:30抢", "晚上二十点开始，二十点半抢"},
		{"还剩12件", "还剩十二件"}, {"还剩2件", "还剩两件"}, {"还剩102件", "还剩一百零二件"},
		{"销量10086单", "销量一万零八十六单"}, {"共10000件", "共一万件"}, {"1000000000元", "十亿元"},
		{"1/2杯", "二分之一杯"}, {"500ml装", "五百毫升装"}, {"净重2.5kg", "净重二点五公斤"},
		{"25℃以下", "二十五摄氏度以下"}, {"0元试用", "零元试用"}, {"0.5元", "零点五元"},
		{"第2件半价", "第二件半价"}, {"买2送1", "买二送一"}, {"2小时发货", "两小时发货"}, {"2-3件", "两到三件"}, {"第2-3件", "第二到三件"},
		{"8.5折", "八五折"}, {"5折起", "五折起"}, {"89元/件", "八十九元一件"}, {"100%纯棉", "百分之百纯棉"},
		{"99%好评", "百分之九十九好评"}, {"UPF50+防晒", "UPF50+防晒"}, {"100+人买过", "一百多人买过"},
		{"拨打 4000", "拨打 四零零零"}, {"尾号8888", "尾号八八八八"}, {"客服电话：400-123-4567", "客服电话：四零零 幺二三 四五六七"},
		{"手机13812345678", "手机幺三八 幺二三四 五六七八"}, {"2026-11-29发货", "二零二六年十一月二十九日发货"},
		{"11月11日", "十一月十一日"}, {"双11", "双十一"}, {"618大促", "六一八大促"}, {"618元", "六百一十八元"},
		{"10:00-12:00开抢", "十点到十二点开抢"}, {"19:05见", "十九点零五分见"},
		{"身高158cm体重50kg", "身高一百五十八厘米体重五十公斤"}, {"耐-20℃低温", "耐零下二十摄氏度低温"},
		{"3/4的人", "四分之三的人"}, {"尺码S/M/L", "尺码S/M/L"}, {"2.0版", "二点零版"}, {"1.5米", "一点五米"}, {"1.5万单", "一点五万单"},
		{"满300元减50元", "满三百元减五十元"}, {"0-3岁", "零到三岁"}, {"iPhone 15 Pro Max壳", "iPhone 十五 Pro Max壳"},
		{"88VIP满300减50，2024款", "88VIP满三百减五十，二零二四款"}, {"A4纸", "A4纸"}, {"5G手机", "5G手机"}, {"净含量5g", "净含量五克"}, {"1,000,000元", "一百万元"},
		{"库存120件", "库存一百二十件"}, {"100件", "一百件"}, {"110元", "一百一十元"}, {"1001夜", "一千零一夜"}, {"共10010", "共一万零一十"},
		{"Call 400-123-4567", "Call four zero zero, one two three, four five six seven"}, {"¥99-¥199", "ninety-nine to one hundred ninety-nine yuan"},
		{"304不锈钢", "三零四不锈钢"}, {"500ml bottle, 1.5 kg", "five hundred millilitres bottle, one point five kilos"},
		{"new 2024 iPhone15 and A4, 2nd half price", "new twenty twenty-four iPhone15 and A4, 2nd half price"},
		{"120 pieces left", "one hundred twenty pieces left"}, {"at 20:00 or 8:05", "at twenty o'clock or eight oh five"},
		{"100+ sold", "more than one hundred sold"}, {"10*20 cm", "ten by twenty centimetres"}, {"1,234,567 sold", "one million two hundred thirty-four thousand five hundred sixty-seven sold"},
		{"¥89.00 each", "eighty-nine yuan each"}, {"20% off", "twenty percent off"},
		{"3-5 days", "three to five days"}, {"¥1,299.00 now", "one thousand two hundred ninety-nine yuan now"}, {"$12.50", "twelve point five zero dollars"},
	} {
		if got := speech.Say(tt.in); got != tt.want {
			t.Errorf("Say(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

var digits = regexp.MustCompile(`\d+`)

func FuzzClean(f *testing.F) {
	for _, s := range []string{"今天89元", "[dog]👍", "**a** 3~5", "a\u200bb", "1️⃣", "(≧▽≦)", "10*20", "x.com/1", "0,123 of 1,234.50", "满1,000减2", "2026-1-2 10:05", "-5℃ 3/4 8.5折"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) || len(in) > 300 {
			return
		}
		out := speech.Clean(in)
		if again := speech.Clean(out); again != out {
			t.Fatalf("Clean(%q) = %q, cleaned again %q", in, out, again)
		}
		for _, r := range out {
			if unicode.In(r, unicode.Cf, unicode.Cc) || r >= 0x1F300 && r <= 0x1FAFF {
				t.Fatalf("Clean(%q) = %q keeps %U", in, out, r)
			}
		}
		if said := speech.Say(out); out != "" && strings.TrimSpace(said) == "" {
			t.Fatalf("Say(%q) = %q", out, said)
		}
	})
}

// Say changes no number's value: what it writes reads back as the same number.
func TestSayKeepsValues(t *testing.T) {
	t.Parallel()
	numbers := []int64{0, 1, 10, 11, 19, 20, 100, 101, 110, 111, 1000, 1001, 1010, 9999, 10000, 10001, 10010, 10100, 11000, 100000, 100001, 999999}
	for n, step := int64(3), int64(7); n < 1_000_000; n, step = n+step, step+13 {
		numbers = append(numbers, n)
	}
	for _, n := range numbers {
		said := speech.Say(fmt.Sprintf("卖%d元", n))
		if got := value(strings.TrimSuffix(strings.TrimPrefix(said, "卖"), "元")); got != n {
			t.Errorf("%d is said %q, which is %d", n, said, got)
		}
	}
}

// value reads a Chinese numeral below 亿.
func value(s string) int64 {
	var total, section, digit int64
	for _, r := range s {
		if i := strings.IndexRune("零一二三四五六七八九", r); i >= 0 {
			digit = int64(i / 3)
			continue
		}
		unit := map[rune]int64{'十': 10, '百': 100, '千': 1000}[r]
		if r == '万' {
			total, section, digit = (section+digit)*10000, 0, 0
			continue
		}
		if unit == 10 && digit == 0 && section == 0 {
			digit = 1
		}
		section, digit = section+digit*unit, 0
	}
	return total + section + digit
}

// No digit lost: plain Chinese sentences keep their numbers through Clean.
func TestCleanKeepsNumbers(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"😀89元😀满300减50！", "**1,299.00**元[玫瑰]", "1️⃣2️⃣号，20%，3~5天", "10*20*30厘米(≧▽≦)", "2024款 iPhone 15 Pro Max 88VIP",
	} {
		want := strings.Join(digits.FindAllString(strings.ReplaceAll(in, "\uFE0F\u20E3", ""), -1), "|")
		if got := strings.Join(digits.FindAllString(speech.Clean(in), -1), "|"); got != want {
			t.Errorf("Clean(%q) has numbers %s, want %s", in, got, want)
		}
	}
}
