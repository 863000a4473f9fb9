package guardrail

import (
	"regexp"
	"strings"
)

var (
	// never: superlatives and guarantees that advertising law forbids whatever the facts are.
	never = regexp.MustCompile(`(?i)最(便宜|低价|低|好|佳|优惠|划算|强|棒|高级|先进|新鲜|正宗|实惠|靠谱|安全|畅销|火爆|顶级|值得|大牌)|全网(最|第一|独家)|史上|历史(最低|新低)|第一(品牌|名|的|位)|(全国|世界|行业|销量)第一|独一无二|绝无仅有|国家级|世界级|顶级|极品|王牌|万能|百分百|绝对|肯定(不会|能|可以|有效)|保证|包(治|好|瘦|退|换|过|你)|保你|永久|永不|永远|根治|治愈|祖传|神器|零风险|无副作用|稳赚|升值|假一赔|无效退款|秒杀全网|\b(best|cheapest|lowest|finest|greatest) (price|deal|quality|product|choice|in|on|ever|of)\b|\bthe (best|cheapest|lowest|finest)\b|number one|\bno\. ?1\b|#1 |guarantee(d|s)?\b|\bpromise\b|100 ?% (safe|effective|satisf|money|genuine|guarantee)|forever|permanent(ly)?|risk[- ]free|miracle|\bcures?\b|no side effects|world'?s (best|first|leading)|never (fade|break|shrink|lose)`)
	// proven: promises that are fine when a result or a fact says so.
	proven = regexp.MustCompile(`(?i)100 ?%[\p{Han}a-z ]{0,6}|终身[\p{Han}]{0,2}|赠送[\p{Han}]{0,4}|加赠|买赠|送你|免费[\p{Han}]{0,4}|包邮|运费险|无理由|正品|质保|保修|假一罚|价保|保价|以旧换新|当天发货|今天发|马上发货|次日达|顺丰|free (shipping|gift|delivery|returns?)|lifetime|warranty|refunds?|money[- ]back|authentic|genuine|price match|same[- ]day|next[- ]day|best[- ]seller|waterproof|防水|防晒|抗菌|有机|医用|进口|纯棉|真皮|纯银|无糖|无添加|零脂|organic|hypoallergenic|medical grade|imported`)
	// denied before a phrase turns it round: cannot guarantee.
	denied = regexp.MustCompile(`(?i)(不|没|没有|无法|不能|不敢|并非|未|别|勿|cannot|can't|can not|not|no|never|without|don't|doesn't|isn't|won't)[^，,。.!！]{0,5}$`)
	// rival: talk about other shops.
	rival  = regexp.MustCompile(`(?i)(别家|其他(店|家|直播间|平台)|隔壁|别的(店|直播间|平台)|同行)[^，,。]{0,8}(贵|便宜|假|差|不好|坑|骗|没有)|(比|去)(淘宝|京东|拼多多|抖音|快手|天猫|亚马逊)|(淘宝|京东|拼多多|天猫)(贵|便宜|更)|cheaper than (amazon|temu|shein|walmart)|other (stores?|shops?|sellers?) (are|is|sell|charge|have)`)
	effect = regexp.MustCompile(`(?i)治疗|疗效|药效|消炎|杀菌率|降血(压|糖|脂)|抗癌|防癌|减肥|瘦身|燃脂|丰胸|壮阳|增高|生发|祛斑|美白|抗衰|除皱|排毒|养生|treats?\b|heals?\b|lose weight|weight loss|anti-aging|detox|cancer|diabetes|blood pressure`)
)

// UnsupportedClaims objects to superlatives and guarantees, talk about other
// shops, medical effects, and promises that no evidence holds.
func UnsupportedClaims(in *Input) (Finding, bool) {
	for _, rule := range []struct {
		words  *regexp.Regexp
		detail string
		proof  bool // fine when the evidence says the same
	}{
		{never, "superlative or guarantee", false},
		{rival, "about other shops", false},
		{effect, "medical or efficacy claim", true},
		{proven, "promise without evidence", true},
	} {
		for _, at := range rule.words.FindAllStringIndex(in.Text, -1) {
			phrase := in.Text[at[0]:at[1]]
			if denied.MatchString(in.Text[:at[0]]) || asked(in.Text[at[1]:]) {
				continue
			}
			if rule.proof && in.Evidence.says(core(phrase)) {
				continue
			}
			return found(phrase, rule.detail)
		}
	}
	return fine, true
}

// core is the part of a promise that evidence must hold: the words that the
// pattern lets follow are only there to be shown.
func core(phrase string) string {
	phrase = strings.TrimSpace(phrase)
	for _, stem := range []string{"赠送", "免费", "终身"} {
		if strings.HasPrefix(phrase, stem) {
			return stem
		}
	}
	if strings.HasPrefix(phrase, "100") {
		return strings.ReplaceAll(string([]rune(phrase)[:4]), " ", "")
	}
	if phrase == "送你" {
		return "送"
	}
	return phrase
}

// asked reports whether what follows makes the phrase a question.
func asked(rest string) bool {
	return strings.HasPrefix(rest, "吗") || strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "？")
}
