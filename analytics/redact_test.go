package analytics_test

import (
	"strings"
	"testing"

	"livehost/analytics"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"phone", "我的电话13812345678你记一下", "我的电话[phone]你记一下"},
		{"phone with country", "打+86 138-1234-5678", "打[phone]"},
		{"phone spaced out", "微信同号1 3 8 1 2 3 4 5 6 7 8哦", "微信同号[phone]哦"},
		{"phone with dots", "138.1234.5678", "[phone]"},
		{"phone in full width", "电话１３８１２３４５６７８", "电话[phone]"},
		{"phone typed with a Chinese keyboard", "电话１３８－１２３４－５６７８哦", "电话[phone]哦"},
		{"phone with wide separators", "138—1234—5678或138。1234。5678", "[phone]或[phone]"},
		{"phone with wide spaces", "138　1234　5678", "[phone]"},
		{"phone with two spaces", "138  1234  5678", "[phone]"},
		{"identity number in groups", "身份证110105 19491231 002X", "身份证[id]"},
		{"email with a wide at", "发到zhang.san＠qq.com吧", "发到[email]吧"},
		{"two phones", "13812345678或13912345678", "[phone]或[phone]"},
		{"landline", "公司010-62771234", "公司[phone]"},
		{"landline in brackets", "(021) 62771234", "[phone]"},
		{"us phone", "call me at (415) 555-2671 pls", "call me at [phone] pls"},
		{"us phone with dots", "415.555.2671", "[phone]"},
		{"international", "whatsapp +44 20 7946 0958", "whatsapp [phone]"},
		{"identity number", "身份证11010519491231002X", "身份证[id]"},
		{"identity number, digits alone", "320311197710010034，谢谢", "[id]，谢谢"},
		{"email", "发到zhang.san@qq.com吧", "发到[email]吧"},
		{"email en", "mail jo+x@mail.example.org.", "mail [email]."},
		{"address", "寄到浙江省杭州市西湖区文三路90号3栋502室", "寄到[address]"},
		{"address without region", "我住建国路88号", "我住[address]"},
		{"address with spaces", "北京市朝阳区建国路 88 号", "[address]"},
		{"address of an estate", "上海市浦东新区世纪花园3栋2单元501室收", "[address]收"},
		{"address without a number", "送到广东省深圳市南山区科技路", "送到[address]"},
		{"address en", "ship to 221 Baker Street please", "ship to [address] please"},
		{"address en, lower case", "221 baker street", "[address]"},
		{"address en, abbreviated", "12 North Main St.", "[address]"},

		{"price and stock", "3号链接89.9元，库存1380件", "3号链接89.9元，库存1380件"},
		{"link", "这个地区3号链接多少钱", "这个地区3号链接多少钱"},
		{"danmaku id", `{"danmaku_id":"7138123456789012345"}`, `{"danmaku_id":"7138123456789012345"}`},
		{"danmaku id before a dash", "弹幕7138123456789012345——没回", "弹幕7138123456789012345——没回"},
		{"prices", "139 159 199 99，1399 199 2990", "139 159 199 99，1399 199 2990"},
		{"milliseconds", "1760000000000", "1760000000000"},
		{"hash", "sha 5f1381234567890ab", "sha 5f1381234567890ab"},
		{"sizes", "170/96A 175/100A", "170/96A 175/100A"},
		{"date", "2026-07-28 10:00:00", "2026-07-28 10:00:00"},
		{"shelf", "我们专区3号是什么", "我们专区3号是什么"},
		{"way of speaking", "一路走来支持主播的家人们", "一路走来支持主播的家人们"},
		{"en words", "got 3 on the road today, 2 pack for 5 dollars", "got 3 on the road today, 2 pack for 5 dollars"},
		{"handle", "关注@小明同学", "关注@小明同学"},
		{"empty", "", ""},
	} {
		if got := analytics.Redact(tt.in); got != tt.want {
			t.Errorf("%s: Redact(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"我的电话13812345678", "x@y.zz", "文三路90号", "\xff1381234\xfe5678"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := analytics.Redact(s)
		if again := analytics.Redact(once); len(again) > len(once)+len(s) {
			t.Errorf("grows: %q -> %q -> %q", s, once, again)
		}
		if strings.Contains(analytics.Redact("张三 13812345678 "+s), " 13812345678 ") {
			t.Errorf("a phone got through before %q", s)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	long := strings.Repeat("3号链接 雪地靴 89.9元 库存 120 件，顺丰包邮，48小时内发货。", 100)
	for name, s := range map[string]string{"reply": "这款89元，现在下单有优惠券，48小时内发货", "prompt": long} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				analytics.Redact(s)
			}
		})
	}
}
