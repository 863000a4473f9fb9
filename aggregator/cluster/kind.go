package cluster

import (
	"maps"
	"slices"
	"strings"

	"livehost/aggregator/intent"
	"livehost/aggregator/lexicon"
)

// kind is what a piece of chat does, whoever it names: 强哥加油 and 支持主播 cheer
// alike, and one word of thanks answers both. Chat of one kind shares a key.
type kind string

// praised, greeted and noise are the words of each kind, our own, by the intent that a
// text of the kind has.
var (
	praised = map[kind][]string{
		"cheer": {"加油|支持|力挺|挺你|挺他|挺住|必胜|点赞|顶你|顶上|应援|keep it up|go girl|you got this"},
		"admire": {
			"厉害|历害|牛逼|牛掰|牛啊|牛哇|牛批|牛鼻|牛牛|太牛|真牛|最牛|好牛|优秀|棒棒|太棒|真棒|很棒|最棒|好棒|够棒|也棒|非常棒|超棒|棒的|给力|霸气|大气|豪爽|敞亮|格局|带劲|强啊|好强|真强|太强|最强|这么强|很强|伟大|了不起|能干|不简单|太秀|神奇|永远的神|yyds|" +
				"很好|真好|太好|挺好|非常好|超好|不错|无敌|卖的好|卖得好|看好你|感动|有情|专业|好样的|大方|有魅力|魅力|敬业|完美|nb",
			"great|amazing|awesome|nice|perfect|best|strong|good job|well done|slay*|iconic|so good|cool|sweetest",
		},
		"said":    {"说的好|说得好|说的太好|说得太好|说的真好|说得真好|讲的好|讲得好|讲的太好|讲得太好|讲得真好"},
		"glory":   {"光荣|勤劳|劳动"},
		"love":    {"爱你|爱了|爱死|最爱|爱爱|么么|比心", "love*|obsessed|adore*"},
		"like":    {"太喜欢|好喜欢|很喜欢|真喜欢|超喜欢|喜欢你|喜欢喜欢|稀罕"},
		"looks":   {"好看|这个好看|很好看|太好看|真好看|挺好看|漂亮|太美|真美|好美|绝美|美翻|美丽|美呆|美女|太帅|真帅|好帅|帅|可爱|颜值|女神|仙女|年轻|显瘦|气质|好仙|好靓|洋气|高级", "cute*|pretty|beautiful|gorgeous|adorable|stunning|handsome"},
		"taste":   {"好吃|这个好吃|很好吃|太好吃|真好吃|挺好吃|好喝|很好喝|真香|好香|太香|美味|甜", "yummy|delicious|tasty"},
		"works":   {"好用|这个好用|很好用|太好用|真好用|挺好用|非常好用|质量好|效果好|舒服|管用|有效果|水润|回购|很亲肤|超好用|不掉色|耐用", "works great|comfortable|comfy|so soft"},
		"deal":    {"划算|太便宜|真便宜|好便宜|很便宜|便宜便宜|这么便宜|实惠|超值|值了|太值|力度大|力度太大|性价比高|白菜价|捡漏", "good deal*|great deal*|best deal*|so cheap|good price|nice price"},
		"thanks":  {"谢谢|感谢|多谢|感恩|谢啦|谢了|辛苦", "thank*|tysm|appreciate*"},
		"congrat": {"恭喜|祝贺|羡慕", "congrats|congratulations"},
	}
	greeted = map[kind][]string{
		"hello": append(append(crossed("师傅|老师|老板|老板娘|姐姐|哥哥|各位|家人|朋友们|宝宝们|亲们|兄弟们|姐妹们", "好"), crossed("美女|大美女|帅哥|大帅哥|老师|老板|姐|哥|家人们", "晚上好|早上好|下午好|中午好|你好|们好")...),
			"早呀|早啊|晚好|主播好|大家好|晚上好|早上好|上午好|中午好|下午好|你好|您好|你们好|家人们好|早安|哈喽|哈罗|嗨|我来了|我来啦|又来了|来啦|来了来了|刚来|刚进来|新来的|第一次来|第一次关注|第一次看|第一次进|报到|签到|打卡|我是新人|关注了|已关注|欢迎",
			"morning|evening|goodmorning*|aloha|hi|hello*|helo*|hey*|good morning|good evening|good afternoon|gm|hii*|howdy|welcome*|hola|sup|wassup|what's up|whats up"),
		"bye":      {"先走了|走了啊|拜拜|再见|晚安|早点休息", "bye|byee*|goodbye|good bye|good night|goodnight|gn|see you later|see you soon|see you tomorrow|see ya"},
		"birthday": {"生日快乐", "happy birthday|hbd"},
		"wish":     {"新年好|过年好|节日快乐|快乐|愉快", "happy new year|merry christmas|happy holidays"},
	}
	noise = map[kind][]string{
		"agree": {"说的对|说得对|说的太对|说得太对|说的很对|说太对|说对了|说的是|讲的对|讲得对|讲的非常对|讲的太对|对对|没毛病|有道理|同意|赞同|太对了|我也觉得|言之有理", "agreed|agree|true|facts|exactly|so real"},
		"laugh": {"哈|哈哈|嘻嘻|呵呵|嘿嘿|笑死|笑了", "lol|lmao*|haha*|hehe*|lmfao"},
		"rush":  {"冲|冲冲|冲冲冲|冲鸭|冲啊|万单|上车|快上|抢抢", "let's go|lets go|lfg"},
		"calm":  {"别生气|不生气|不要生气|莫生气|消消气|别气|不气", "be nice*|be kind"},
		"ack":   {"好的|嗯嗯|收到|知道了|明白了|哦哦|好滴|好嘞|行的", "ok|okay|got it"},
		"yes":   {"yes|yess*|yeah|yep|yup|yas*"},
		"wow":   {"哇塞|哇噻|哇哦", "wow*|omg*|woohoo*"},
		"yay":   {"", "yay*"},
		"oh":    {"天呐|天啊|天哪|妈呀|我的天|我去|好家伙|啊啊", "oh my|oh no|omfg"},
	}
)

// kindsOf are the kinds that a text of an intent may be.
var kindsOf = map[intent.Intent]map[kind][]string{intent.Praise: praised, intent.Greeting: greeted, intent.LowInfo: noise}

// kindWords finds them all.
var kindWords = func() *lexicon.Set[kind] {
	cells := maps.Clone(praised)
	maps.Copy(cells, noise)
	maps.Copy(cells, greeted)
	return build(cells)
}()

// ofItsOwn are words that turn what is said or add to it, and the news of a prize that
// thanks may go with: chat that holds one says more than its kind.
var ofItsOwn = list(
	"中奖|中了|我中|但|可是|不过|只是|可惜|就是贵|就是太|麻烦|如果|要是|假如|以为|听说|据说|假的|才怪|个屁|个鬼|是托",
	"i won|not|don't|dont|doesn't|doesnt|didn't|didnt|isn't|isnt|never|no|ain't|aint|aren't|can't|cant|won't|wasn't|wasnt|less|nothing|nobody|hardly|barely|almost|without|"+
		"but|though|although|except|if|wish|thought|used to|would be|could be|than",
)

// kindOf is the kind of a chat, "" when it says something of its own: a negation,
// a number, a prize, or more than the words of a kind and a name.
func kindOf(i intent.Intent, in []rune) kind {
	if len(in) > longestChat || slices.ContainsFunc(in, telling) || has(ofItsOwn, in) {
		return ""
	}
	var covered tally
	kindWords.Each(in, func(start, end int, k kind) bool {
		covered.add(k, end-start)
		return true
	})
	left, negated := own(in)
	if negated || left > names(in, i) {
		return ""
	}
	best, most, may := kind(""), 0, kindsOf[i]
	for _, c := range covered.all() {
		n := 2 * c.n
		if c.of == "admire" || c.of == "looks" { // the least special: 美女 is also whom one talks to
			n--
		}
		if may[c.of] != nil && (n > most || n == most && c.of < best) {
			best, most = c.of, n
		}
	}
	if (best == "wow" || best == "rush") && left > 0 { // what it is about counts
		return ""
	}
	return best
}

// tally counts by kind; a text holds few of them, so a map would cost more. What is
// beyond its room is not counted.
type tally struct {
	counts [11]count
	kinds  int
}

type count struct {
	of kind
	n  int
}

func (t *tally) all() []count { return t.counts[:t.kinds] }

func (t *tally) add(k kind, n int) {
	for i := range t.all() {
		if t.counts[i].of == k {
			t.counts[i].n += n
			return
		}
	}
	if t.kinds < len(t.counts) {
		t.counts[t.kinds] = count{k, n}
		t.kinds++
	}
}

const longestChat = 48 // runes

func telling(r rune) bool { return digit(r) || strings.ContainsRune("=?更比", r) }

// names is how much of its own a text may hold that only names somebody: runes of
// Chinese, or words.
func names(in []rune, i intent.Intent) int {
	switch chinese := slices.ContainsFunc(in, han); {
	case chinese && i == intent.LowInfo:
		return 3
	case chinese:
		return 5
	case i == intent.LowInfo:
		return 0
	default:
		return 2
	}
}

// own is how much a text holds beside the words of kinds, those that only stress and,
// in English, those that carry nothing; and whether a negation is in it.
func own(in []rune) (left int, negated bool) {
	chinese := slices.ContainsFunc(in, han)
	for at := 0; at < len(in); {
		if !letterOrDigit(in[at]) && !han(in[at]) {
			at++
			continue
		}
		if n := plain(in, at, chinese); n > 0 {
			at += n
			continue
		}
		left++
		negated = negated || negation(in[at])
		if at++; !chinese {
			for at < len(in) && letterOrDigit(in[at]) {
				at++
			}
		}
	}
	return left, negated
}

// plain is the length of a word at in[at] that adds nothing to a kind.
func plain(in []rune, at int, chinese bool) int {
	if n, _ := kindWords.Longest(in, at); n > 0 {
		for !chinese && at+n < len(in) && letterOrDigit(in[at+n]) { // a stem's rest
			n++
		}
		return n
	}
	if n, _ := stress.Longest(in, at); n > 0 {
		return n
	}
	set := synonyms
	if !chinese {
		set = englishSynonyms
	}
	if n, to := set.Longest(in, at); n > 0 && to == "" {
		return n
	}
	return 0
}

var stress = list(
	"很|太|真|最|好|超|超级|非常|特别|确实|还是|还得|必须|一定|永远|已经|我们|我|你|您|他|她|他们|大家|都|挺|够|又|得|更|全|也|给|对|自己|爸爸|妈妈|父母|爸妈|叔叔|阿姨|家人|全家|老板|老板娘|师傅|和|为|吧|呢|哇|卖|买|讲|说|做|来|播|"+
		"不嫌弃|没问题|不客气|忍不住|不愧|不得了|没得说|没的说|不可思议|不一样|差不多|不好意思|没想到|挡不住|少不了|不用|不介意",
	"so|very|super|really|too|much|my|all|be|with|lol|here|again|already|actually|literally|got",
)

func han(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

func negation(r rune) bool { return strings.ContainsRune("不没别未无莫", r) }
