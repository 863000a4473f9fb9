package demo

import (
	"strings"

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

// stateWords name the terminal states.
var stateWords = map[event.State]words{
	event.Answered: {"answered", "已回答"}, event.Merged: {"covered", "一起回答了"}, event.Filtered: {"filtered", "过滤"},
	event.Shed: {"left out", "问得太多，放弃"}, event.Expired: {"too late", "过时"}, event.Silent: {"the agent stays silent", "模型选择不说"},
	event.HandedOver: {"handed over", "转人工"}, event.Suppressed: {"held back", "被护栏拦下"}, event.Retracted: {"withdrawn", "已撤回"},
	event.Failed: {"failed", "出错"},
}

// reasonWords explain the reasons of outcomes and deliveries; the test compares
// them with the stages' lists.
var reasonWords = map[string]words{
	// aggregator: filters
	"host": {"the host's own", "主播自己发的"}, "mirror": {"copied from another room", "别的直播间转来的"}, "test": {"test traffic", "测试消息"},
	"history": {"sent before the broadcast", "开播前的旧弹幕"}, "empty": {"nothing in it", "空弹幕"}, "emoji_only": {"only emoji", "只有表情"},
	"mention_only": {"talks to another viewer", "只是@别人"}, "url_only": {"only a link", "只有网址"}, "noise": {"no words", "没有内容"},
	"number_only": {"a bare number", "只有数字"}, "contact_bait": {"lures viewers away", "引流"}, "spam": {"advertising", "广告"},
	"sensitive": {"a banned word", "敏感词"}, "viewer_flood": {"too many from one viewer", "刷屏"},
	// aggregator: what becomes of those who wait
	"too_old": {"already old when it came", "到达时已过时"}, "waited": {"waited too long", "等太久"}, "stale_fact": {"the facts changed meanwhile", "信息已变化"},
	"retracted": {"by the viewer or the platform", "用户或平台撤回"}, "room_closed": {"the room closed", "已下播"},
	"capacity": {"no time for it among so many", "来不及回答"}, "capacity_low_class": {"chat gives way to questions", "闲聊让位给提问"},
	"speech_queue": {"too much is waiting to be said", "要说的太多"}, "not_covered": {"the replies did not cover it", "回复没有覆盖到"},
	"same_question": {"the same question", "同一个问题"}, "cooled_down": {"just answered", "刚刚回答过"}, "cover_lost": {"what covered it never ended", "合并的那条没有结果"},
	// agentworker
	"agent_choice": {"the agent's choice", "模型的选择"}, "deadline": {"no time left for a run", "超过时限"}, "nothing_to_say": {"nothing worth saying", "没有可说的"},
	"policy_failed": {"the policy did not answer", "模型没有应答"}, "no_release": {"the variant has no release", "没有可用版本"},
	"bad_request": {"the policy refused the request", "模型拒绝请求"}, "rounds_used": {"no reply within the rounds", "轮次用完"},
	"missing_prompt": {"the prompt could not be built", "提示词缺失"}, "small_talk": {"small talk", "闲聊"}, "greeting": {"a greeting", "打招呼"},
	"praise": {"praise", "夸奖"}, "low_information": {"says too little", "信息太少"}, "viewer_chat": {"viewers among themselves", "观众之间聊天"},
	"not_a_question": {"no question", "不是提问"}, "off_topic": {"off topic", "与直播无关"}, "already_answered": {"already answered", "已经回答过"},
	"injection": {"tries to give orders", "试图下指令"}, "complaint": {"a complaint", "投诉"}, "after_sales": {"after-sales", "售后"},
	"order": {"about an order", "订单问题"}, "refund": {"about a refund", "退款"}, "human_requested": {"asks for a person", "要求人工"},
	"safety": {"a matter of safety", "安全问题"}, "legal": {"a legal matter", "法律问题"},
	// dispatcher
	"spoken": {"aloud", "口播"}, "private_text": {"in private", "私信"}, "heard_other_variant": {"heard from the other variant", "另一组已经口播"},
	"late": {"too late to be spoken", "来不及说"}, "no_verdict": {"a required check is missing", "缺少必要检查"},
	"no_private_channel": {"no private channel", "没有私信通道"}, "interrupted": {"broke off", "中断"}, "outlet_failed": {"the outlet failed", "出声失败"},
	"ledger_unavailable": {"could not rule out a repeat", "无法确认是否重复"}, "voice_busy": {"the voice was busy", "正在说别的"},
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

// reason explains a reason; one that is not in the table, like a rule's name, is
// shown as it is.
func (t tongue) reason(reason string) string {
	if w, ok := reasonWords[reason]; ok {
		return t.of(w)
	}
	return strings.ReplaceAll(reason, "_", " ")
}
