package demo

import (
	"livehost/internal/wording"
	"livehost/streams/event"
)

// words is one notion in the two languages of the printer.
type words struct{ en, zh string }

// labels name the kinds of lines.
var labels = map[string]words{
	"danmaku":    {"danmaku", "弹幕"},
	"host":       {"host", "主播弹幕"},
	"room":       {"room", "直播间"},
	"order":      {"order", "订单"},
	"window":     {"to agent", "交给模型"},
	"reply":      {"reply", "回复"},
	"speaks":     {"speaks", "开口"},
	"spoken":     {"spoken", "说完"},
	"private":    {"private", "私信"},
	"not_spoken": {"not said", "没有说"},
	"hit":        {"guardrail", "护栏"},
	"outcome":    {"no answer", "未回答"},
	"merged":     {"merged", "合并"},
	"unreadable": {"unreadable", "读不懂"},
}

// roomWords name room events.
var roomWords = map[event.RoomEventKind]words{
	event.RoomOpened: {"the room opens", "开播"}, event.RoomClosed: {"the room closes", "下播"}, event.RoomSettingsSet: {"settings change", "设置变化"},
	event.ProductListed: {"listed", "上架"}, event.ProductDelisted: {"delisted", "下架"}, event.ProductInFocus: {"now showing", "正在讲解"},
	event.ProductChanged: {"changes", "变更"}, event.HostUtterance: {"the host says", "主播说"}, event.Gift: {"gives", "送出"},
	event.Like: {"likes", "点赞"}, event.Enter: {"enters", "进入"}, event.Follow: {"follows", "关注"}, event.AddToCart: {"puts in the cart", "加购"},
	event.DanmakuRetracted: {"a danmaku is withdrawn", "撤回弹幕"},
}

var orderWords = map[event.OrderStatus]words{
	event.OrderCreated: {"ordered", "下单"}, event.OrderPaid: {"paid", "付款"}, event.OrderConfirmed: {"received", "确认收货"}, event.OrderRefunded: {"refunded", "退款"},
}

// tongue picks words in one language.
type tongue struct{ zh bool }

func (t tongue) of(w words) string {
	if t.zh {
		return w.zh
	}
	return w.en
}

// from picks words of the shared table.
func (t tongue) from(w wording.Words) string { return t.of(words{w.EN, w.ZH}) }

// reason explains a reason; one that is not in the table, like a rule's name, is
// shown as it is.
func (t tongue) reason(reason string) string {
	w, _ := wording.Reason(reason)
	return t.from(w)
}
