package policy_test

import (
	"strings"
	"testing"

	"livehost/streams/event"
)

// TestAsked holds answers that played rooms got wrong: to a denial no praise, to a
// question about the shop no denial of goods.
func TestAsked(t *testing.T) {
	t.Parallel()
	const silence = "stay_silent"
	for _, id := range []string{"harness", "react-baseline"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			c := newContent(t, id, nil)
			for _, a := range []struct{ text, intent, focus, want string }{
				{"显示不支持发货", "shipping", "3", "填地址时提示"},
				{"不太喜欢", "product", "3", silence},
				{"实在喜欢不起来，不喜欢", "complaint", "3", silence},
				{"快点上架吧", "product", "", "购物车里就能看到"},
				{"你们家店在哪里", "purchase", "", "没有自提"},
				{"烘干机包安装吗", "shipping", "", "链接页写着"},
				{"给送货上门吗", "shipping", "", "派送"},
				{"跟8号一起用可以吗", "product", "3", "详情页的说明"},
				{"该买多大", "size", "", "几号链接"},
				{"试一下8号", "product", "3", "实拍图"},
			} {
				w := window(event.Single, event.RoomSettings{}, a.focus, a.text)
				w.Intent, w.Members[0].Intent = a.intent, a.intent
				if got := c.say(t, w); !strings.Contains(got, a.want) {
					t.Errorf("%q got %q, want %q", a.text, got, a.want)
				}
			}
		})
	}
}
