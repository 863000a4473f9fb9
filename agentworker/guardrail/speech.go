package guardrail

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	claimsHuman = regexp.MustCompile(`(?i)(我|咱|小播|主播|本人)(自己|本人|们)?(就|也|都|真的|确实|当然|可)?是(一个|个|一名|名|如假包换的|货真价实的|活生生的|有血有肉的)?(真人|活人|人类|大活人|真实的人|人工(客服|主播)?)|^(当然|对呀?|是的?|嗯|没错)?[，,]?(是|就是)?(真人|活人)(呀|啊|哦|啦|的|呢|！|，|。)|(真人|人工)(主播|在播|在线|直播|客服|出镜|回复|在回)|(如假包换|货真价实|有血有肉|活生生)的?(真?人|主播)|(才|可|真的?|当然|绝对)?不是(什么)?(机器人|AI|人工智能|虚拟人?|数字人|程序|机器|假人)(哦|啦|呢|呀|的|哈|，|,|。|！|!|$)|(我|主播)(可|才|真的?)?不是(机器人|AI|人工智能|虚拟|数字人|程序|机器)|(哪有|没有)(什么)?(机器人|AI)|(i am|i'm|im|we are|we're|it's|this is) (just )?(a |an |really |actually |totally |100% )*(real|actual|genuine|living|human|live (human|person|host|man|woman))( (live|human|person|man|woman|girl|guy|host|being|me))*\b|human here|flesh and blood|(i'm|i am|im|definitely|certainly) not (a |an )?(robot|bot|ai|machine|recording)\b|^\W*(nope?|nah)?\W*not (a |an )?(robot|bot|ai|machine)\b|no (robots?|bots?|ai) here|我(可|就)是本人|(我|主播)(哪里|怎么|看着|听着)?像(个|是)?(机器人|AI)(吗|么|嘛|\?)|怎么(会|可能)(是|成)个?(机器人|AI)|哪(有|来)的?(这么|这样)?[^，,。]{0,6}(机器人|AI)|AI(这么|会这么)|见过[^，,。]{0,8}(机器人|AI)(吗|么)|我是(AI|机器人)\?|\b(an? )?(ai|bot|robot)\? ?(no way|nope|never|come on)|do i (look|sound|seem) like (a |an )?(bot|robot|ai|machine)|\bai[- ]free\b|it's (really )?just me\b|just me and my`)
	// lived is what only somebody with a body and a life can say.
	lived = regexp.MustCompile(`(?i)(我|主播)(自己|本人|也|都|一直|天天|每天|平时|昨天|上次|之前|家里|家人|老公|老婆|妈妈?|爸爸?|家?(孩子|宝宝|闺女|儿子|女儿)|朋友|同事)+(都|也|就|在|有|一直|天天)*(用|吃|穿|喝|戴|试|囤|回购|入手|买)(着|过|了|的|这|它|完|上|起来|，|,|。|！|!|$)|我(自己|本人)[^，,。]{0,10}(用|吃|穿|喝|戴|试|囤|围|抹|涂|敷|盖|背|睡)|我(自己|本人)?(也|家里?也?)有(一|两|好几)?(条|件|个|双|瓶|支|台|盒)|\bi (have|own|'ve got) one (too|myself|at home)|我(用|吃|穿|喝|戴|试|囤|买)(着|过|了)(都|很|真|特别|觉得|感觉|以后|之后|好|两|三|一|半)?|亲测|亲身|本人实测|自用款|\b(i|my (husband|wife|mom|mum|kids?|son|daughter|family|skin)|we) ?('ve|have|has|had)?( (all|always|really|personally|just|also|myself|already|been))* (use|uses|used|using|wear|wears|wore|wearing|tried|try|tested|bought|own|eat|eats|ate|drink|drinks)\b( (it|this|these|them|one|mine|every|daily))|(i|my family) (love|loves) (using|wearing|eating) |works? (great |well |wonders )?(for|on) me\b|\bmy own (skin|hair|face|feet|size)|(^|[，,。！!]|我|主播)(刚|刚刚|刚才)才?(吃|喝|尝|试|睡)(完|了|过|饱|醒)|我(就|正|一直|现在)?(坐|站|躺)在|我[^，,。不没]{0,4}(有点|好|太|很)(冷|热|困|累|饿|渴|撑)|我(身上|脚上|手上|头上|脸上|嗓子)|我(妈妈?|爸爸?|老公|老婆|女儿|儿子|闺女|朋友|同事|家人|奶奶|婆婆|孩子|宝宝)[^，,。]{0,4}(爱|喜欢|用|吃|穿|喝|戴|买|囤)|我(已经|还没有?|没)?(结婚|离婚|单身|恋爱)|我(也)?有(个|一个|俩|两个)?(女儿|儿子|孩子|娃|老公|老婆|男朋友|女朋友)|我是\p{Han}{2,3}人($|[，,。！!呀哦啦呢])|我今年[0-9一二三四五六七八九十]+岁?|\bmy (mom|mum|dad|husband|wife|kids?|daughter|son|sister|brother|friends?|family|mother|father) (also |really |all )?(love|like|use|wear|ha|bought)\w*|\bi just (ate|tasted|tried|drank)|\bi('m| am) (\d+ years old|married|single)\b`)
	// unlived is the same, denied: 我自己没穿过.
	unlived   = regexp.MustCompile(`(没|不|未|无法)(有|能|会|法|曾|可以)?(试|亲自|真的?)?\p{Han}$`)
	asksRobot = regexp.MustCompile(`(?i)(是|不是|是不是|个).{0,4}(机器人|真人|AI|人工智能|数字人|虚拟(人|主播)|人工客服|录播)|(机器人|真人|AI)(吗|吧|么|嘛|？|\?)|(are|r) (you|u).{0,12}(robot|bot|ai|real|human|person|machine)|is (this|it|the host).{0,12}\b(robot|bot|ai|human|person)\b|real person|real human`)
	saysAI    = regexp.MustCompile(`(?i)AI|人工智能|虚拟(主播|人)|智能(主播|助手)|数字人|机器人|virtual (host|assistant)|artificial intelligence|\bbot\b`)
)

// Identity objects to a claim to be human, and to an answer that evades the
// question whether this is an AI.
func Identity(in *Input) (Finding, bool) {
	plainText := squeezed(in.Text)
	for _, at := range claimsHuman.FindAllStringIndex(plainText, -1) {
		if !away.MatchString(plainText[at[1]:]) || !saysAI.MatchString(plainText[:at[0]]+plainText[at[1]:]) {
			return found(plainText[at[0]:at[1]], "claims to be human")
		}
	}
	for _, at := range lived.FindAllString(plainText, -1) {
		if !unlived.MatchString(at) {
			return found(at, "claims to have used or lived something")
		}
	}
	for _, m := range in.Members {
		if asksRobot.MatchString(m.Question+" "+m.Text) && !saysAI.MatchString(in.Text) {
			return found("", "asked whether it is an AI, and does not say so")
		}
	}
	return fine, true
}

// away says that a human host is not here now: 我是AI，真人主播晚点上播.
var away = regexp.MustCompile(`^[^，,。]{0,6}(晚点|稍后|待会|一会|不在|下播|休息|明天|再来|上播|回来)`)

var leaks = regexp.MustCompile(`(?i)我的(规则|指令|设定|提示|要求)(是|里|写|说|要求|不)|我(收到|接到|得到)的(要求|指令|规则|设定)|(系统|平台|后台|程序)(要求|让|规定|设定)我|我被(要求|设定|告知|规定|训练)|\bi was (told|instructed|asked|programmed|configured) to\b|\bmy (rules|instructions|guidelines|system|prompt)\b|用户(在|想|问|说|询问|需要|可能|是|的问题)|我(应该|需要)先?(调用|使用|回答|给出|检查|看看?(工具|规则|技能))|我应该先?查|\bthe user\b|\bi (should|need to|must) (first )?(call|use|check the|answer|respond|reply|look up)|</?(tool_call|function|parameter|think|thinking|reasoning|block|danmaku|system|tool_response)\b|<\|[^|]*\||\{\s*"|"\s*:\s*["{\[]|\{\{|\{result|\{link|\{focus|<[a-z_/]+(\s[^>]*)?>|system prompt|系统提示词?|提示词|tool_calls?|function call|reasoning_content|\b(NOT_FOUND|BAD_ARGS|TIMEOUT|PERMISSION|MALFORMED|UPSTREAM)\b|(internal|server|upstream|fatal|runtime) error|exception|traceback|stack trace|http ?[45]\d\d|status code|undefined|null pointer|\b(room_status|product_facts|focus_link_id|link_id)\b|[a-z]+_[a-z]+_[a-z]+|mode: ?(single|multi)|(这位|该|此)用户|按照?(我的)?(规则|指令|设定)[，,]我|(需要|得|要)先(查|用|调用)(一下|询)?工具|系统返回|我?的?系统(设定|规则|指令)|\bxx+(元|块|号)|步骤[0-9一二]|this is an? \w+ question|\bi should (mention|say|tell|give)|语言模型|大模型|language model|\b(gpt|chatgpt|claude|deepseek|qwen|llama|openai|anthropic|gemini)\b|通义千问|文心一言|知识库|数据库|(查询|调用|工具|后台|商品)接口|接口(超时|报错|返回|异常|没有返回)|工具(返回|结果|调用|查到|显示)|调用(了)?工具|(我的|加载|读取)技能|^\W*(回复|回答|输出|思考|分析|reply|answer|response|final answer|assistant|observation|action|thought)\s*[:：]|\{[a-z_.\p{Han}]+\}|[\[【](link|price|name|product|stock|xx+|链接|价格|商品|数字|库存|名称|昵称|金额)[^\]】]{0,4}[\]】]|\b[a-z_]+\([a-z_]+\s*[=:]`)

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

var bait = regexp.MustCompile(`(?i)加\s?v\s?(聊|我|信|$)|加v[^a-z]|[微薇威]\s?[❤♥💗信xX]|[微薇]❤?号|私我|私一下|滴我|联系方式|某(音|宝|书|手|东)|主页有|搜(我|一下我)|[零〇一二三四五六七八九幺]{7,}|加(我|个|一下)?(微信|微|v信|vx|wx|qq|扣扣|薇|威)|微信(号|群)?|薇信|(^|[^a-z])(vx|wechat|whatsapp|telegram|line id|instagram)([^a-z]|$)|(q|扣)(q|扣)?群|qq|私聊我|私信我|进群|加群|粉丝群|dm me|text me|call me|add me|1[3-9]\d{9}|\d{3,4}-\d{7,8}|https?://|www\.|[a-z0-9._]+@[a-z0-9.]+\.[a-z]{2,}|t\.me/|扫码|二维码|淘口令|加企业|站外|线下交易|转账|扫(一?下)?(屏幕|上面|左边|右边|下面)[^，,。]{0,3}码|企微|(^|[^稍略])微我|绿泡泡|朋友圈|给我(发|留)?(个)?私信|发私信给我|私信(主播|聊|联系)|另(外)?一个(账)?号|我的?(小号|另一个)|\binsta\b|\big (is|:)|\b(gmail|hotmail|outlook)\b|dot com|(message|email|reach|find|follow) (me|us) (on|at)\b|email me`)

// ContactBait objects to leading viewers off the platform.
func ContactBait(in *Input) (Finding, bool) {
	text := squeezed(in.Text)
	for _, at := range bait.FindAllStringIndex(text, -1) {
		if !declined.MatchString(text[:at[0]]) {
			return found(text[at[0]:at[1]], "leads off the platform")
		}
	}
	return fine, true
}

// declined stands right before what a reply will not do: 不能加微信.
var declined = regexp.MustCompile(`(?i)(不能|不可以|没法|不方便|不支持|无法|不让|没有|不用|不|(不能|不可以|不方便|不会|没法)(留|给|发|提供|要)|can't|cannot|can not|don't|do not|no)( ?(随便|私下|在这|give out|share|do|use|have))?\s*$`)

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

// squeezed is a text as its words are looked for: half-width, without invisible
// characters, without spaces and marks between Han characters, the usual traditional
// characters as simplified ones.
func squeezed(s string) string {
	const between = " *.·-_~|/"
	runes := []rune(traditional.Replace(foldWidth(s)))
	out := runes[:0]
	for i := 0; i < len(runes); i++ {
		if len(out) > 0 && isHan(out[len(out)-1]) {
			next := i
			for next < len(runes) && strings.ContainsRune(between, runes[next]) {
				next++
			}
			if next < len(runes) && isHan(runes[next]) {
				i = next
			}
		}
		out = append(out, runes[i])
	}
	return string(out)
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

var traditional = strings.NewReplacer("機", "机", "們", "们", "個", "个", "這", "这", "說", "说", "證", "证", "級", "级", "國", "国", "網", "网", "價", "价", "優", "优", "賠", "赔", "絕", "绝", "對", "对", "療", "疗", "壓", "压", "減", "减", "癒", "愈", "實", "实", "淘寶", "淘宝", "東", "东", "薦", "荐", "醫", "医", "藥", "药", "溫", "温", "質", "质", "頂", "顶", "貨", "货", "買", "买", "賣", "卖", "請", "请", "號", "号", "錢", "钱", "無", "无", "與", "与", "後", "后", "還", "还", "會", "会", "為", "为", "從", "从", "開", "开", "關", "关", "幾", "几", "時", "时", "發", "发", "體", "体", "過", "过", "誠", "诚", "類", "类", "學", "学", "線", "线", "數", "数", "動", "动", "復", "复", "騙", "骗", "絡", "络", "聯", "联", "係", "系", "掃", "扫", "碼", "码", "師", "师")

func foldWidth(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			return r - 0xFEE0
		case r == '➕':
			return '加'
		case r == 0x3000:
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, s)
}
