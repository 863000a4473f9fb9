package wording

import (
	"strings"

	"livehost/streams/event"
)

// Words is one notion in the two languages.
type Words struct{ EN, ZH string }

// State names a terminal state.
func State(s event.State) Words {
	if w, ok := states[s]; ok {
		return w
	}
	return Words{string(s), string(s)}
}

// Reason explains the reason of an outcome or delivery. One that is not listed,
// like the name of a rule, is shown as it is and gives false.
func Reason(reason string) (Words, bool) {
	w, ok := reasons[reason]
	if !ok {
		plain := strings.ReplaceAll(reason, "_", " ")
		w = Words{plain, plain}
	}
	return w, ok
}

var states = map[event.State]Words{
	event.Answered: {"answered", "已回答"}, event.Merged: {"covered", "一起回答了"}, event.Filtered: {"filtered", "过滤"},
	event.Shed: {"left out", "问得太多，放弃"}, event.Expired: {"too late", "过时"}, event.Silent: {"the agent stays silent", "模型选择不说"},
	event.HandedOver: {"handed over", "转人工"}, event.Suppressed: {"held back", "被护栏拦下"}, event.Retracted: {"withdrawn", "已撤回"},
	event.Failed: {"failed", "出错"},
}

// reasons explain the reasons of outcomes and deliveries. internal/demo's test
// compares them with the stages' lists.
var reasons = map[string]Words{
	// aggregator: filters
	"host": {"the host's own", "主播自己发的"}, "mirror": {"copied from another room", "别的直播间转来的"}, "test": {"test traffic", "测试消息"},
	"history": {"sent before the broadcast", "开播前的旧弹幕"}, "empty": {"nothing in it", "空弹幕"}, "emoji_only": {"only emoji", "只有表情"},
	"mention_only": {"talks to another viewer", "只是@别人"}, "url_only": {"only a link", "只有网址"}, "noise": {"no words", "没有内容"},
	"number_only": {"a bare number", "只有数字"}, "contact_bait": {"lures viewers away", "引流"}, "spam": {"advertising", "广告"},
	"sensitive": {"a banned word", "敏感词"}, "viewer_flood": {"too many from one viewer", "刷屏"},
	"viewer_repeat": {"the same words again and again", "重复刷同一句"}, "bot": {"a known bot", "机器账号"},
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
	"same_words": {"heard a moment ago in the same words", "刚刚已经口播过同一句"},
	"late":       {"too late to be spoken", "来不及说"}, "no_verdict": {"a required check is missing", "缺少必要检查"},
	"no_private_channel": {"no private channel", "没有私信通道"}, "interrupted": {"broke off", "中断"}, "outlet_failed": {"the outlet failed", "出声失败"},
	"ledger_unavailable": {"could not rule out a repeat", "无法确认是否重复"}, "voice_busy": {"the voice was busy", "正在说别的"},
	"handed_on": {"left to the room's next owner", "交给接管的进程"}, "voice_stopped": {"an operator stopped the voice", "口播已被运营停止"}, "shadow": {"a shadow release", "影子版本"}, "shortened": {"the beginning of a longer reply", "只说了开头"},
	"private_repeat": {"the same private text so soon again", "短时间内重复私信"}, "private_limit": {"too many private texts", "私信超出限额"},
}
