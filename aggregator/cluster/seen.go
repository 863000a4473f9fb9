package cluster

import (
	"slices"
	"strings"
)

// What is seen in a whole text, beside the words of words.go.

func asks(in []rune) bool {
	if n, _ := openers.Longest(in, 0); n > 0 || in[len(in)-1] == '好' && before(in, len(in), "那个好") && strings.ContainsAny(string(in), "和跟") || in[len(in)-1] == '不' || in[len(in)-1] == '没' && slices.Contains(in, '有') || either(in) {
		return true
	}
	for i := 0; i < len(in); i++ {
		if n, _ := notQuestions.Longest(in, i); n > 0 {
			i += n - 1
		} else if n, _ := questionWords.Longest(in, i); n > 0 {
			if !whatever(in[i:], n) {
				return true
			}
			i += n - 1
		}
	}
	return false
}

// called reports a number with what is to be done about it: 99上, 讲2526, show 41.
func called(in []rune) bool {
	start, end := 0, len(in)
	for end > 0 && strings.ContainsRune("吧呀啊!", in[end-1]) {
		end--
	}
	switch n := end; {
	case n < 2:
		return false
	case strings.ContainsRune(calls, in[n-1]):
		end--
	case strings.ContainsRune(calls, in[0]):
		start++
	case hasAt(in, 0, "show "):
		start += len("show ")
	default:
		return false
	}
	return start < end && !slices.ContainsFunc(in[start:end], func(r rune) bool { return !digit(r) })
}

const calls = "上讲试看"

// whatever reports that a question word is meant for all: 什么鸟都有.
func whatever(in []rune, n int) bool {
	const near = 3
	return strings.ContainsRune("什啥谁哪怎", in[0]) && slices.Contains(in[n:min(n+near, len(in))], '都') && !strings.ContainsRune("吗么嘛呢?", in[len(in)-1])
}

// whereabouts reports that a text ends by asking where: 天气丹在哪.
func whereabouts(in []rune) bool {
	n := len(in)
	for n > 0 && strings.ContainsRune("里儿呀啊呢?", in[n-1]) {
		n--
	}
	return before(in, n, "在哪")
}

// asksLink reports a question whether it is this link: 身上裤子是11号吗.
func asksLink(in []rune) bool {
	i := slices.Index(in, '是') + 1
	start := i
	for i > 0 && i < len(in) && digit(in[i]) {
		i++
	}
	return i > start && i < len(in) && in[i] == '号' && strings.ContainsRune("吗嘛么?", in[len(in)-1])
}

// either reports A不A: 刺多不多.
func either(in []rune) bool {
	for i := 1; i+1 < len(in); i++ {
		if in[i] == '不' && in[i-1] == in[i+1] && han(in[i-1]) {
			return true
		}
	}
	return false
}

// measured reports a viewer's weight, or height and weight: 115斤, 165/110, 167108;
// 180*200 measures a bed.
func measured(in []rune) bool {
	tall := func(n int) bool { return n >= 145 && n <= 195 }
	heavy := func(n int) bool { return n >= 80 && n <= 220 }
	last, until := 0, 0
	for i := 0; i < len(in); i++ {
		if !digit(in[i]) {
			continue
		}
		start, n := i, 0
		for ; i < len(in) && digit(in[i]) && n < 1e6; i++ {
			n = 10*n + int(in[i]-'0')
		}
		switch between := in[until:start]; {
		case heavy(n) && i < len(in) && in[i] == '斤',
			heavy(n) && tall(last) && len(between) <= 3 && !slices.ContainsFunc(between, func(r rune) bool { return strings.ContainsRune("*x×号和", r) }),
			tall(n/1000) && heavy(n%1000):
			return true
		}
		last, until = n, i
	}
	return false
}

// money reports a sum: 15元, $20, 不是35吗.
func money(in []rune) bool {
	for i := 0; i < len(in); i++ {
		if !digit(in[i]) {
			continue
		}
		start := i
		for i < len(in) && (digit(in[i]) || in[i] == '.') {
			i++
		}
		if i < len(in) && (strings.ContainsRune("元$", in[i]) || in[i] == '块' && (i-start > 1 || hasAt(in, i, "块钱"))) || start > 0 && strings.ContainsRune("$¥£€", in[start-1]) {
			return true
		}
		if i-start == len(in) && slices.Contains(in, '.') || large(in, start, i) { // 39.9, 1030?
			return true
		}
		if ends := i == len(in) || strings.ContainsRune("吗么吧嘛啊呀?", in[i]); ends && i-start >= 2 && start > 1 && (in[start-1] == '卖' || in[start-1] == '是' && strings.ContainsRune("不都才还就", in[start-2])) {
			return true
		}
	}
	return false
}

// large reports that in[start:end] is all that is said, or what is asked about, and
// too large for a link: 1030??, 是1288吗.
func large(in []rune, start, end int) bool {
	const longest = 5
	if n := end - start; n < 3 || n > longest || in[start] == '0' || n == 3 && (start == 0 || in[start-1] != '是') {
		return false
	}
	return (start == 0 || in[start-1] == '是') && !slices.ContainsFunc(in[end:], func(r rune) bool { return !strings.ContainsRune("?!吗么吧嘛啊呀 ", r) }) && (end-start > 3 || end < len(in))
}

// addressed is what is said after a name or a cheer: 小雨,要面膜.
func addressed(in []rune) []rune {
	const longest = 4
	if i := slices.IndexFunc(in, func(r rune) bool { return r == ',' || r == ' ' || r == ':' }); i > 0 && i <= longest && i+2 < len(in) && han(in[0]) && leads[in[0]] == "" {
		return in[i+1:]
	}
	return in
}

// addresses are words of praise by which a host is called.
var addresses = list("美女|帅哥|大美女")

// half reports what asks only about goods: 裙子呢, but not 发火呢.
func half(in []rune) bool { return in[len(in)-1] == '呢' && !has(goingOn, in) }

// goingOn are words that 呢 ends a statement after: 面膜还没用呢, 正看着裙子呢.
var goingOn = list("正|还没|还在|还得|才|可|都|着|一个多|小时|分钟")

// chooses reports a choice of two: 厚的还是薄的, 是甜口还是咸口, but not 还是你好.
func chooses(in []rune) bool {
	for i := 1; i+2 < len(in); i++ {
		if in[i] == '还' && in[i+1] == '是' {
			last := in[i-1]
			return digit(last) || letter(last) || strings.ContainsRune("的吃用买喝前后大小好煮蒸泡烤炖冷热", last) || slices.ContainsFunc(in[:i], func(r rune) bool { return strings.ContainsRune("是选买用", r) })
		}
	}
	return false
}

// noun reports a short text that ends like a product's name, or like what is
// pointed at: 洗面奶, 双耳碗, 清火的.
func noun(in []rune) bool {
	const longest = 9
	end := wholeName(in)
	if end < 2 || end > longest || slices.ContainsFunc(in[:end], aboutPeople) || has(notGoods, in) || slices.Contains(in, '炒') || strings.ContainsRune("别不没又再还就都很太去快", in[0]) || cooks(in) || measures(in[:end]) {
		return false
	}
	switch r, before := in[end-1], in[end-2]; {
	case end > 3 && strings.ContainsRune("这那", before) && strings.ContainsRune("个款件条双种", r) && in[end-3] != '是': // 建议买那个
		return true
	case r == '的':
		return end == 2 && strings.ContainsRune("金银铜铁钢木竹棉麻丝皮毛玉", before) || end > 2 && before != in[end-3] && !has(telltale, in) && !strings.ContainsRune("是真对好我你他她有行可年岁哥姐总巴边里家州城县省市", before) && !strings.ContainsAny(string(in[:end]), "是来又不人在说爱播给让去会")
	case r == before: // 蛋蛋 is a name
		return false
	case r == '品':
		return before == '产'
	case r == '子':
		return strings.ContainsRune("裙裤鞋帽靴袜杯被垫筷瓶箱扇镜椅桌梳", before)
	default:
		return productEndings[r]
	}
}

// wholeName is where a text ends without particles and the wish that the goods be
// put on sale: 烧烤炉,上吧.
func wholeName(in []rune) int {
	end := len(in)
	for end > 0 && (!letterOrDigit(in[end-1]) || strings.ContainsRune("呗啊呀哦呢吧啦上", in[end-1]) || in[end-1] == '车' && end > 1 && in[end-2] == '上') {
		end--
	}
	return end
}

// cooks reports that a text begins with what is done in a kitchen: 蒸蛋羹, but not 煮锅.
func cooks(in []rune) bool {
	return strings.ContainsRune("蒸煮炖拌泡煎炸炒熬焖烙腌涮", in[0]) && !strings.ContainsRune("锅箱器机桶盘盆壶炉面菜粉蛋豆", in[len(in)-1])
}

// measures reports that a text ends in a number of pieces: 10袋, 在家两盒.
func measures(in []rune) bool {
	n := len(in)
	return strings.ContainsRune("袋盒瓶包件箱罐条块片盆桶杯", in[n-1]) && (digit(in[n-2]) || strings.ContainsRune("一二两三四五六七八九十几半", in[n-2]))
}

// aboutPeople is what a product's name does not hold: 我们有冰箱 tells, 喝点热水 cares.
func aboutPeople(r rune) bool {
	switch r {
	case '我', '你', '他', '她', '们', '喝', '吃':
		return true
	}
	return false
}

// tells reports that a text speaks of people, of cooking, or of what has happened.
func tells(in []rune) bool {
	return slices.ContainsFunc(in, func(r rune) bool { return aboutPeople(r) || r == '炒' }) ||
		strings.ContainsRune("了咯喽", in[len(in)-1]) && !slices.Contains(in, '没')
}

// points reports that one viewer tells another where it is: 杯子在8号链接哦.
func points(in []rune) bool {
	return slices.Contains(in, '在') && strings.ContainsRune("哦哈噢了", in[len(in)-1])
}

// wanted reports 需要 where it says all: 需要, 我70了需要.
func wanted(in []rune) bool {
	return hasAt(in, 0, "需要") || len(in) > 2 && hasAt(in, len(in)-2, "需要")
}

// asksAbout reports that somebody is spoken of who is not the shop: 你买什么了 and
// 他是谁, but not 你家有吗.
func asksAbout(in []rune) bool {
	if has(reasons, in) {
		return true
	}
	for i, r := range in {
		switch {
		case r == '他' || r == '她':
			return true
		case r == '你' && (i+1 == len(in) || !strings.ContainsRune("家们穿戴吃喝用身手试拿好这那", in[i+1])):
			return true
		}
	}
	return false
}

// reasons are asked for of what happens, which goods have none.
var reasons = list("为什么|为啥|咋不|怎么不|谁|何必|何苦|怎么又|咋又|干嘛", "why|whyy*|who|everyone|everybody|nobody|yall|y'all|you all")

var englishThird = list("she|he|her|his|him|she's|he's")

var englishPeople = list("i|i'm|im|i've|my|me|mine|she|he|her|his|him|they|them|their|your|we|our|us")

// notGoods end like goods.
var notGoods = list("冲鸭|老板|调皮|顽皮|脸皮厚|屁精|人精|妖精|戏精|臭蛋|混蛋|坏蛋|笨蛋|完蛋|滚蛋|麻蛋|巴蛋|破鞋|口水|有水|拿水|面子|脸皮|加油|没戏|心肝|血液|上线|下线|在线|热线")

// telltale are words of a text that tells although it ends in 的.
var telltale = list("一直|都是|赶紧|玩笑|肯定|必须|妥妥|应该|可以的|会的|说的|有抢|好好的|慢慢|真的|好的|是的|行的|够的|有的是|挺|怪|总|老是|似的|拍的|过的|好样|故意|看过|忘|期待|更多|做|卖", regions)

// lead reads the first character of a short text as its verb. 看着 and 要…了 tell,
// they do not ask.
func lead(in []rune) Intent {
	const longest = 10
	as := leads[in[0]]
	if as == "" {
		return ""
	}
	if len(in) > 1 && len(in) <= longest && in[0] == '谢' && in[1] != '绝' {
		return Praise
	}
	if len(in) < 2 || len(in) > longest || strings.ContainsRune("着的来过出到见你我他她是不求做炒煮蒸去走煎关", in[1]) || in[0] == '上' && strings.ContainsRune("车班课当火学", in[1]) || in[0] == '要' && in[len(in)-1] == '了' || in[0] == '祝' && in[1] == '哥' {
		return ""
	}
	if strings.ContainsRune("爱牛", in[0]) {
		if n, _ := intentWords.Longest(in, 0); n > 0 || strings.ContainsRune("呢吗", in[len(in)-1]) { // 爱敬 is sold
			return ""
		}
	}
	return as
}

// endsWell reports a good word at the end: 苦瓜好啊, but not 主播好.
func endsWell(in []rune) bool {
	n := len(in)
	for n > 0 && strings.ContainsRune("啊呀哇哦!", in[n-1]) {
		n--
	}
	return n > 2 && in[n-1] == '好' && !slices.Contains(in, '选') && !strings.ContainsRune("不你您最还刚只正别求", in[n-2])
}

// remarks reports an English statement: more words than a name has, and no request.
func remarks(in []rune) bool {
	const longest = 4
	spaces := 0
	for _, r := range in {
		if r == ' ' {
			spaces++
		}
	}
	return spaces > longest && !has(englishRequests, in)
}

var englishRequests = list("", "please|pls|plz|want|need|see|show|do|bring|love")

// exclaims reports 太…了: praise, when it is nothing worse. 太长了 finds fault with
// what is shown.
func exclaims(in []rune) (worse, well bool) {
	if n := len(in); n > 1 && in[n-1] == '牛' && !strings.ContainsRune("蜗水黄奶小肥吹", in[n-2]) {
		return false, true
	}
	if at := slices.Index(in, '有'); at >= 0 && at+2 < len(in) && (in[at+1] == '点' || in[at+1] == '些') && strings.ContainsRune(faults, in[at+2]) { // 有点厚
		return true, false
	}
	at := slices.Index(in, '太')
	if at < 0 || at+1 == len(in) || !slices.Contains(in[at:], '了') {
		return false, false
	}
	worse = strings.ContainsRune(faults, in[at+1])
	return worse, !worse && !strings.ContainsRune("多少慢快吵难假久晚早乱烂脏黑胖瘦累困闹轻菜阳卷忙坏惨烦不", in[at+1])
}

// faults are what is too much in what is shown.
const faults = "大小长短厚薄紧松粗细硬重深浅宽窄肥丑远透硬滑"

// pair reports a text of link numbers only: 25和26.
func pair(in []rune) bool {
	return digit(in[0]) && digit(in[len(in)-1]) && slices.ContainsFunc(in, han) &&
		!slices.ContainsFunc(in, func(r rune) bool { return !digit(r) && !strings.ContainsRune("和跟与还有号、, ", r) })
}

var leads = map[rune]Intent{'要': Purchase, '买': Purchase, '拍': Purchase, '抢': Purchase, '上': Product, '看': Product, '求': Product, '蹲': Product, '牛': Praise, '祝': Greeting, '谢': Praise, '爱': Praise, '抽': Membership}

func letterOrDigit(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x4e00 && r <= 0x9fff
}
