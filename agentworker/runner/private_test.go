package runner_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/tool"
	"livehost/streams/event"
)

// desk is the shop's server with what is private: orders and coupons by viewer. It
// counts the coupons it was asked for.
type desk struct {
	orders  map[string]string // status_text by viewer
	coupon  func(ctx context.Context) (tool.Output, error)
	coupons atomic.Int32
}

func (d *desk) Call(ctx context.Context, _, name string, args, meta map[string]any) (tool.Output, error) {
	viewer, _ := meta["livehost/viewer_id"].(string)
	switch {
	case name == "get_order_status" && d.orders[viewer] != "":
		return tool.Output{Text: `{"order_id":"9900112233","status":"refunded","amount":"76元","amount_fen":7600,"status_text":"` + d.orders[viewer] + `"}`}, nil
	case name == "issue_coupon":
		d.coupons.Add(1)
		if d.coupon != nil {
			return d.coupon(ctx)
		}
		return tool.Output{Text: `{"coupon_id":"c10","coupon_name":"新人券","text":"新人券已经发到您账户"}`}, nil
	case name == "get_product" && args["link_id"] == "1":
		return defaultShop.answers["get_product 1"], nil
	}
	return tool.Output{Text: `{"error":"NOT_FOUND","message":"nothing"}`, IsError: true}, nil
}

func refunded(viewers ...string) *desk {
	d := &desk{orders: map[string]string{}}
	for _, v := range viewers {
		d.orders[v] = "您的订单已经退款，款项原路退回"
	}
	return d
}

const publicToAsker = "hit private-facts retry a public answer to whom private data was read for\n"

// TestPrivateStaysPrivate: what a private tool gave for one viewer is not said to
// others, in whatever words.
func TestPrivateStaysPrivate(t *testing.T) {
	t.Parallel()
	order, price := member("d1", "我的订单退款了吗", "shipping"), member("d2", "1号多少钱", "price_promotion")
	other := member("d2", "我的退款到账了吗", "shipping")
	same := member("d2", "1号多少钱", "price_promotion")
	same.ViewerID = order.ViewerID
	skills := slices.Clip([]string{"load_skill", `{"name":"shipping-aftersales"}`, "load_skill", `{"name":"price-promotion"}`})
	look := modeltest.Call(append(skills, "get_order_status", `{"danmaku_id":"d1"}`, "get_product", `{"link_id":"1"}`)...)
	alone := slices.Clip([]string{"reply_private", `{"danmaku_id":"d1","text":"您的订单已经退款啦"}`})
	whisper := modeltest.Call(alone...)
	both := modeltest.Call(append(alone, "answer", `{"text":"1号89元","covers":["d2"]}`)...)
	more := modeltest.Call(append(alone, "get_product", `{"link_id":"1"}`)...)
	for _, tt := range []struct {
		name  string
		mode  event.Mode
		who   []event.Member
		steps []modeltest.Step
		want  string
	}{
		{
			"in other words to the asker in public", event.Multi, []event.Member{order, price},
			[]modeltest.Step{look, modeltest.Call("answer", `{"text":"退款好啦","covers":["d1"]}`), both},
			"public [d2]: 1号89元\nprivate d1: 您的订单已经退款啦\nfact price 1 8900\n" + publicToAsker,
		},
		{
			"also in single mode", event.Single, []event.Member{order},
			[]modeltest.Step{look, modeltest.Call("answer", `{"text":"您的订单已经退款啦","covers":["d1"]}`), whisper},
			"private d1: 您的订单已经退款啦\n" + publicToAsker,
		},
		{
			"in close words to another", event.Multi, []event.Member{order, price},
			[]modeltest.Step{look, modeltest.Call("reply_private", `{"danmaku_id":"d2","text":"小雨的订单已经退款啦"}`), modeltest.Call("stay_silent", `{"reason":"noise"}`)},
			"d1 silent noise\nd2 silent noise\nhit private-facts retry ******\n",
		},
		{
			"in close words in a public answer to another", event.Multi, []event.Member{order, price},
			[]modeltest.Step{look, modeltest.Call("answer", `{"text":"1号89元，小雨的订单已经退款啦","covers":["d2"]}`), modeltest.Call("answer", `{"text":"1号89元","covers":["d2"]}`)},
			"public [d2]: 1号89元\nnot covered [d1]\nfact price 1 8900\nhit private-facts retry ******\n",
		},
		{
			"a sum of it supports nothing that others hear", event.Multi, []event.Member{order, price},
			[]modeltest.Step{look, modeltest.Call("answer", `{"text":"1号退了76元","covers":["d2"]}`), modeltest.Call("answer", `{"text":"1号89元","covers":["d2"]}`)},
			"public [d2]: 1号89元\nnot covered [d1]\nfact price 1 8900\nhit grounding retry 76元\n",
		},
		{
			"but what its viewer is told", event.Single, []event.Member{order},
			[]modeltest.Step{modeltest.Call(append(skills, "get_order_status", `{}`)...), modeltest.Say("您这笔76元已经退款")},
			"private d1: 您这笔76元已经退款\n",
		},
		{
			"two whose orders say the same", event.Multi, []event.Member{order, other},
			[]modeltest.Step{
				modeltest.Call(append(skills, "get_order_status", `{"danmaku_id":"d1"}`, "get_order_status", `{"danmaku_id":"d2"}`)...),
				modeltest.Call("reply_private", `{"danmaku_id":"d1","text":"您的订单已经退款，款项原路退回"}`, "reply_private", `{"danmaku_id":"d2","text":"您的订单已经退款，款项原路退回"}`),
			},
			"private d1: 您的订单已经退款，款项原路退回\nprivate d2: 您的订单已经退款，款项原路退回\n",
		},
		{
			"the rest is answered in public when the asker has theirs", event.Multi, []event.Member{order, price},
			[]modeltest.Step{look, more, modeltest.Say("1号89元")},
			"public [d2]: 1号89元\nprivate d1: 您的订单已经退款啦\nfact price 1 8900\n",
		},
		{
			"the asker's own content is theirs alone", event.Multi, []event.Member{order, price},
			[]modeltest.Step{look, modeltest.Say("您的订单已经退款啦")},
			"private d1: 您的订单已经退款啦\nnot covered [d2]\n",
		},
		{
			"another question of the same viewer is answered in public", event.Multi, []event.Member{order, same},
			[]modeltest.Step{look, more, modeltest.Say("1号89元")},
			"public [d2]: 1号89元\nprivate d1: 您的订单已经退款啦\nfact price 1 8900\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := shipped(t, modeltest.New(tt.steps...), refunded("v1", "v2"))
			if d := cmp.Diff(tt.want, summary(r.run(t, window(tt.mode, tt.who...)))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestEarlierPrivateAnswer: it is known to a window of its viewer alone, and what
// repeats it is private again.
func TestEarlierPrivateAnswer(t *testing.T) {
	t.Parallel()
	again, price := member("d1", "那什么时候能到账", "shipping"), member("d2", "1号多少钱", "price_promotion")
	load := modeltest.Call("load_skill", `{"name":"shipping-aftersales"}`)
	const told = "您的订单已经退款，款项原路退回"
	for _, tt := range []struct {
		name    string
		private bool
		who     []event.Member
		say     string
		shown   bool
		want    string
	}{
		{"repeated", true, []event.Member{again}, told + "，请留意账户", true, "private d1: " + told + "，请留意账户\n"},
		{"another answer", true, []event.Member{again}, "到账看支付方式，请留意账户", true, "public [d1]: 到账看支付方式，请留意账户\n"},
		{"beside another viewer", true, []event.Member{again, price}, "我再核对一下", false, "public [d1 d2]: 我再核对一下\n"},
		{"was public", false, []event.Member{again, price}, "我再核对一下", true, "public [d1 d2]: 我再核对一下\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := modeltest.New(load, modeltest.Say(tt.say))
			w := window(event.Single, tt.who...)
			w.Context.Dialogue = []event.Turn{{ViewerID: "v1", Question: "我的订单呢", Answer: told, Private: tt.private}}
			if d := cmp.Diff(tt.want, summary(shipped(t, script, refunded()).run(t, w))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if shown := strings.Contains(script.Asked()[0].Messages[1].Content, told); shown != tt.shown {
				t.Errorf("the earlier answer is in the prompt: %v, want %v", shown, tt.shown)
			}
		})
	}
}

// TestACouponAndWhatIsSaidOfIt: nothing is said of a write before its result, none is
// made that nobody can tell of, and none again that may have been made.
func TestACouponAndWhatIsSaidOfIt(t *testing.T) {
	t.Parallel()
	ask := member("d1", "有优惠券吗", "price_promotion")
	load := modeltest.Call("load_skill", `{"name":"price-promotion"}`)
	coupon := modeltest.Call("issue_coupon", `{"danmaku_id":"d1"}`)
	sent := `{"danmaku_id":"d1","text":"优惠券已经发到您的账户啦"}`
	no := func(context.Context) (tool.Output, error) {
		return tool.Output{Text: `{"error":"PERMISSION","message":"no coupon left"}`, IsError: true}, nil
	}
	hangs := func(ctx context.Context) (tool.Output, error) {
		<-ctx.Done()
		return tool.Output{}, ctx.Err()
	}
	away := func(context.Context) (tool.Output, error) {
		return tool.Output{Text: `{"error":"UPSTREAM"}`, IsError: true}, nil
	}
	for _, tt := range []struct {
		name   string
		coupon func(context.Context) (tool.Output, error)
		steps  []modeltest.Step
		calls  int32
		want   string
	}{
		{
			"said to be done in the round in which it fails", no,
			[]modeltest.Step{load, modeltest.Call("issue_coupon", `{"danmaku_id":"d1"}`, "reply_private", sent), modeltest.Call("reply_private", `{"danmaku_id":"d1","text":"这会儿没发成功"}`)},
			1, "private d1: 这会儿没发成功\n",
		},
		{
			"said to be done beside an answer to somebody else's question", no,
			[]modeltest.Step{
				modeltest.Call("load_skill", `{"name":"price-promotion"}`, "get_product", `{"link_id":"1"}`),
				modeltest.Call("issue_coupon", `{"danmaku_id":"d1"}`, "answer", `{"text":"券发到您账户啦","covers":["d1"]}`, "answer", `{"text":"1号89元","covers":["d2"]}`),
				modeltest.Call("reply_private", `{"danmaku_id":"d1","text":"这会儿没发成功"}`),
			},
			1, "public [d2]: 1号89元\nprivate d1: 这会儿没发成功\nfact price 1 8900\n",
		},
		{
			"asked for when there is no time to tell of it", nil,
			[]modeltest.Step{
				modeltest.After(2500*time.Millisecond, load), modeltest.After(1900*time.Millisecond, modeltest.Call("get_product", `{"link_id":"1"}`)),
				modeltest.After(1200*time.Millisecond, coupon), modeltest.Call("reply_private", `{"danmaku_id":"d1","text":"我再核对一下"}`),
			},
			0, "private d1: 我再核对一下\n",
		},
		{
			"said when it is done", nil, []modeltest.Step{load, coupon, modeltest.Call("reply_private", sent)},
			1, "private d1: 优惠券已经发到您的账户啦\n",
		},
		{
			"asked for in the last round", nil,
			[]modeltest.Step{load, modeltest.Call("get_product", `{"link_id":"1"}`), modeltest.Call("get_membership", `{}`), coupon},
			0, "public [d1]: 这个我得再核对一下，您先看看链接页的说明\nfallback conservative\n",
		},
		{
			"no answer in time", hangs, []modeltest.Step{load, coupon, coupon, modeltest.Call("reply_private", `{"danmaku_id":"d1","text":"我再核对一下"}`)},
			1, "private d1: 我再核对一下\nhit repeated-failure block issue_coupon\n",
		},
		{
			"the server is away, and another coupon of it", away,
			[]modeltest.Step{load, coupon, modeltest.Call("issue_coupon", `{"danmaku_id":"d1","coupon_id":"c-new"}`), modeltest.Call("reply_private", `{"danmaku_id":"d1","text":"我再核对一下"}`)},
			1, "private d1: 我再核对一下\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &desk{coupon: tt.coupon}
				who := []event.Member{ask}
				if strings.Contains(tt.want, "d2") {
					who = append(who, price2)
				}
				if diff := cmp.Diff(tt.want, summary(shipped(t, modeltest.New(tt.steps...), d).runWithin(t, window(event.Multi, who...), 7*time.Second))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if n := d.coupons.Load(); n != tt.calls {
					t.Errorf("%d coupons were asked for, want %d", n, tt.calls)
				}
			})
		})
	}
}

// TestOnlyWhoAsked: the hooks judge a call for whom it will be made for, however the
// danmaku is named.
func TestOnlyWhoAsked(t *testing.T) {
	t.Parallel()
	asks, other := member("101", "有优惠券吗", "price_promotion"), member("102", "1号多少钱", "price_promotion")
	for args, calls := range map[string]int32{
		`{"danmaku_id":101}`: 1, `{"danmaku_id":"101"}`: 1, `{"danmaku_id":102}`: 0, `{"danmaku_id":"102"}`: 0, `{"danmaku_id":"103"}`: 0, `{"danmaku_id":103}`: 0,
	} {
		d := &desk{}
		r := shipped(t, modeltest.New(modeltest.Call("load_skill", `{"name":"price-promotion"}`), modeltest.Call("issue_coupon", args), modeltest.Call("stay_silent", `{"reason":"noise"}`)), d)
		r.run(t, window(event.Multi, asks, other))
		if n := d.coupons.Load(); n != calls {
			t.Errorf("%s: %d coupons, want %d", args, n, calls)
		}
	}
}
