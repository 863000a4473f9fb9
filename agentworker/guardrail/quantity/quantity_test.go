package quantity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker/guardrail/quantity"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"八十九块", "89元"},
		{"89元", "89元"},
		{"¥89.00", "89元"},
		{"￥８９", "89元"},
		{"1,299.00", "1299"},
		{"只要1,299.00元", "1299元"},
		{"89块9", "89.9元"},
		{"八十九块五毛", "89.5元"},
		{"89块3件", "89元 3件"},
		{"一百二十块钱", "120元"},
		{"一百二", ""},
		{"一百二块", "120元"},
		{"两千零五十元", "2050元"},
		{"1.2万件", "12000件"},
		{"89-99元", "89~99元"},
		{"¥89-¥99", "89~99元"},
		{"eighty-nine yuan", "89元"},
		{"one hundred and twenty yuan", "120元"},
		{"RMB 89", "89元"},
		{"满300减50", "满300减50"},
		{"每满三百元减五十", "满300减50"},
		{"¥50 off over ¥300", "满300减50"},
		{"50 yuan off orders over 300 yuan", "满300减50"},
		{"spend 300 save 50", "满300减50"},
		{"两件八折", "2件8折"},
		{"2件打8折", "2件8折"},
		{"第二件半价", "第2件5折"},
		{"second item half price", "第2件5折"},
		{"八五折", "8.5折"},
		{"85折", "8.5折"},
		{"15% off", "8.5折"},
		{"半价", "5折"},
		{"百分之二十", "20%"},
		{"20%", "20%"},
		{"买一送一", "买1送1"},
		{"buy one get one", "买1送1"},
		{"3-5天", "4320~7200分钟"},
		{"48小时", "2880分钟"},
		{"两天", "2880分钟"},
		{"within 2 days", "2880分钟"},
		{"七天无理由", "10080分钟"},
		{"一米七", "1700毫米"},
		{"1米75", "1750毫米"},
		{"170cm", "1700毫米"},
		{"120斤", "60000克"},
		{"500ml", "500毫升"},
		{"只剩3件", "剩3件"},
		{"库存还有120件", "剩120件"},
		{"库存12", "剩12件"},
		{"5 left", "剩5件"},
		{"5 pieces left", "剩5件"},
		{"3号链接", "3号链接"},
		{"三号链接多少钱", "3号链接"},
		{"链接12", "12号链接"},
		{"link 3 is ¥59", "3号链接 59元"},
		{"第一件", ""},
		{"一下 千万 万一 十分", ""},
		{"this one is nice", ""},
		{"2024款", "2024件"},
		{"净含量一斤半", "750克"},
		{"send it back within a month", "43200分钟"},
		{"满99包邮", "99"},
		{"我165，110斤", "165 55000克"},
		{"满300，减50", "满300减50"},
		{"¥50 off once your order goes over ¥300", "满300减50"},
		{"一般三五天到", "4320~7200分钟"},
		{"一两个月", "43200~86400分钟"},
		{"三十五天", "50400分钟"},
		{"7-day returns", "10080分钟"},
		{"an 18-month shelf life", "777600分钟"},
		{"¥50 off when you spend over ¥300", "满300减50"},
		{"¥50 off your order of at least ¥300", "满300减50"},
		{"SPF50", "50"},
		{"10000mAh", "10000"},
		{"立减20", "20元"},
		{"券后79", "79元"},
		{"2号链接89元，库存3件", "2号链接 89元 剩3件"},
		{"19块9一双", "19.9元 1件"},
		{"七十九一条", "79元"},
		{"今天七十九带走", "79元"},
		{"254块1毛5", "254.15元"},
		{"254块1毛5分", "254.15元"},
		{"9块9毛3件", "9.9元 3件"},
		{"大概一百左右", "100元"},
		{"半个月", "21600分钟"},
		{"买一赠一", "买1送1"},
		{"打对折", "5折"},
		{"it's only seventy-nine", "79元"},
		{"", ""},
	} {
		var got []string
		for _, q := range quantity.Read(tt.in) {
			got = append(got, q.String())
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("Read(%q) (-want +got):\n%s", tt.in, d)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"八十九块 = ¥89.00", "满300减50，两件八折", "1,299.00元", "一米七", "第二件半价", "3-5天", "¥50 off over ¥300", "九亿亿亿元", "00.0000号", "第", "百分之", "库存0001", "1000000m1", "1000000块9", "只要六十九"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		runes, last := []rune(s), 0
		for _, q := range quantity.Read(s) {
			if q.Start < last || q.End <= q.Start || q.End > len(runes) {
				t.Fatalf("Read(%q): span %d..%d after %d", s, q.Start, q.End, last)
			}
			last = q.End
			again := quantity.Read(q.String())
			if len(again) != 1 || !again[0].Same(q) {
				t.Fatalf("Read(%q): %+v is written %q and read %+v", s, q, q.String(), again)
			}
		}
	})
}
