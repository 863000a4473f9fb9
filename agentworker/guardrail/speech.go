package guardrail

import (
	"regexp"
	"slices"
	"strings"
)

var (
	claimsHuman = regexp.MustCompile(`(?i)我(自己|本人|们)?(就|也|都|真的|确实)?是(一个|个|一名|名|货真价实的)?(真人|活人|人类|真实的人|大活人)|真人(主播|在播|直播|客服|哦|呢|的|啦|呀)|我(可|才)?不是(机器人|AI|人工智能|虚拟|数字人|程序)|不是(机器人|AI)(哦|啦|呢|呀|的)|(i am|i'm|im) (a |an )?(real|actual|genuine|live)? ?(human|person|man|woman|girl|guy)\b|(i am|i'm) real\b|not (a |an )?(robot|bot|ai|machine)\b|no (robots|bots|ai) here`)
	asksRobot   = regexp.MustCompile(`(?i)(是|不是|是不是|个).{0,4}(机器人|真人|AI|人工智能|数字人|虚拟(人|主播)|人工客服|录播)|(机器人|真人|AI)(吗|吧|么|嘛|？|\?)|(are|r) (you|u).{0,12}(robot|bot|ai|real|human|person|machine)|is (this|it|the host).{0,12}\b(robot|bot|ai|human|person)\b|real person|real human`)
	saysAI      = regexp.MustCompile(`(?i)AI|人工智能|虚拟(主播|人)|智能(主播|助手)|数字人|机器人|virtual (host|assistant)|artificial intelligence|\bbot\b`)
)

// Identity objects to a claim to be human, and to an answer that evades the
// question whether this is an AI.
func Identity(in *Input) (Finding, bool) {
	if at := claimsHuman.FindString(in.Text); at != "" {
		return found(at, "claims to be human")
	}
	for _, m := range in.Members {
		if asksRobot.MatchString(m.Question+" "+m.Text) && !saysAI.MatchString(in.Text) {
			return found("", "asked whether it is an AI, and does not say so")
		}
	}
	return fine, true
}

var leaks = regexp.MustCompile(`(?i)</?(tool_call|function|parameter|think|thinking|reasoning|block|danmaku|system|tool_response)\b|<\|[^|]*\||\{\s*"|"\s*:\s*["{\[]|\{\{|\{result|\{link|\{focus|<[a-z_/]+(\s[^>]*)?>|system prompt|系统提示词?|提示词|tool_calls?|function call|reasoning_content|\b(NOT_FOUND|BAD_ARGS|TIMEOUT|PERMISSION|MALFORMED|UPSTREAM)\b|(internal|server|upstream|fatal|runtime) error|exception|traceback|stack trace|http ?[45]\d\d|status code|undefined|null pointer|\b(room_status|product_facts|focus_link_id|link_id)\b|[a-z]+_[a-z]+_[a-z]+|mode: ?(single|multi)`)

// Leakage objects to internal text: markup, prompts, tool and block names,
// placeholders, JSON, errors, and the harness's own prose.
func Leakage(in *Input) (Finding, bool) {
	if at := leaks.FindString(in.Text); at != "" {
		return found(at, "internal text")
	}
	for _, name := range in.Internal {
		// a name that is an ordinary word (answer) may be spoken; one with a joiner is internal
		if strings.ContainsAny(name, "_-") && strings.Contains(in.Text, name) {
			return found(name, "internal name")
		}
	}
	if at := in.Prompts.In(in.Text); at != "" {
		return found(at, "text of the prompt")
	}
	return fine, true
}

var bait = regexp.MustCompile(`(?i)加(我|个|一下)?(微信|微|v信|vx|wx|qq|扣扣|薇|威)|微信(号|群)?|薇信|(^|[^a-z])(vx|wechat|whatsapp|telegram|line id|instagram)([^a-z]|$)|(q|扣)(q|扣)?群|qq|私聊我|私信我|进群|加群|粉丝群|dm me|text me|call me|add me|1[3-9]\d{9}|\d{3,4}-\d{7,8}|https?://|www\.|[a-z0-9._]+@[a-z0-9.]+\.[a-z]{2,}|t\.me/|扫码|二维码|淘口令|加企业|站外|线下交易|转账`)

// ContactBait objects to leading viewers off the platform.
func ContactBait(in *Input) (Finding, bool) {
	if at := bait.FindString(foldWidth(in.Text)); at != "" {
		return found(at, "leads off the platform")
	}
	return fine, true
}

// sensitiveWords are words our own replies never need. Word lists of a platform
// belong to the aggregator's filters; this is the last line for what is spoken.
var sensitiveWords = strings.Fields(`
	傻逼 煞笔 沙比 妈的 他妈 操你 草泥马 滚蛋 去死 弱智 脑残 贱人 婊子 妓女 嫖娼 卖淫 约炮 裸聊 色情 黄片 成人片 援交
	毒品 冰毒 海洛因 大麻 摇头丸 赌博 博彩 赌场 下注 六合彩 枪支 弹药 炸弹 爆炸物 恐怖袭击 邪教 传销 洗钱 假钞 代开发票 办证
	自杀 自残 法轮 台独 港独 藏独 疆独 习近平 共产党 国民党 六四 政变 种族灭绝`)

var sensitiveEN = regexp.MustCompile(`(?i)\b(fuck\w*|shit\w*|bitch\w*|asshole|cunt|nigg\w+|faggot|whore|slut|porn\w*|cocaine|heroin|meth|suicide|kill yourself|terrorist|casino|gambling)\b`)

// Sensitive objects to words that are never spoken.
func Sensitive(in *Input) (Finding, bool) {
	clean := strip(in.Text)
	for _, w := range sensitiveWords {
		if strings.Contains(clean, w) {
			return found(w, "sensitive word")
		}
	}
	if at := sensitiveEN.FindString(in.Text); at != "" {
		return found(at, "sensitive word")
	}
	return fine, true
}

// strip removes what is put between characters to hide a word.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		if slices.Contains([]rune(" *.·-_~\u200b\u200c\u200d\ufeff\u2060"), r) {
			return -1
		}
		return r
	}, s)
}

func foldWidth(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			return r - 0xFEE0
		case r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\ufeff':
			return -1
		}
		return r
	}, s)
}
