package cluster

import (
	"slices"
	"strings"

	"livehost/aggregator/lexicon"
	"livehost/streams/event"
)

// Intent is what a danmaku wants: the fixed list, one per reply skill.
type Intent string

// The intents.
const (
	Product    Intent = "product"
	Size       Intent = "size"
	Price      Intent = "price"
	Shipping   Intent = "shipping" // and after-sales
	Membership Intent = "membership"
	Purchase   Intent = "purchase"
	Greeting   Intent = "greeting"
	Praise     Intent = "praise"
	Complaint  Intent = "complaint"
	LowInfo    Intent = "low_info"
	Identity   Intent = "identity"
)

// Intents lists them in the order ties are decided.
func Intents() []Intent {
	return []Intent{Identity, Complaint, Price, Shipping, Size, Membership, Purchase, Product, Greeting, Praise, LowInfo}
}

// signs counts what was found in one text.
type signs struct {
	hits      tally[Intent] // runes covered, so that longer words weigh more
	question  bool
	buying    bool
	link      bool
	noun      bool
	exclaimed bool   // 太…了
	lead      Intent // what the first character asks for: 要黄水晶, 看裤子
}

// tally counts by kind; a text holds few of them, so a map would cost more. What is
// beyond its room is not counted.
type tally[K comparable] struct {
	counts [11]count[K]
	kinds  int
}

type count[K comparable] struct {
	of K
	n  int
}

func (t *tally[K]) all() []count[K] { return t.counts[:t.kinds] }

func (t *tally[K]) add(k K, n int) {
	for i := range t.all() {
		if t.counts[i].of == k {
			t.counts[i].n += n
			return
		}
	}
	if t.kinds < len(t.counts) {
		t.counts[t.kinds] = count[K]{k, n}
		t.kinds++
	}
}

func (t *tally[K]) of(k K) int {
	for _, c := range t.all() {
		if c.of == k {
			return c.n
		}
	}
	return 0
}

const maxSigns = 24 // words looked at; the rest of a long text adds nothing

func look(in []rune) (s signs) {
	n := 0
	intentWords.Each(in, func(start, end int, i Intent) bool {
		s.hits.add(i, end-start)
		n++
		return n < maxSigns
	})
	s.question, s.buying = asks(in), has(buyingWords, in)
	return s
}

func asks(in []rune) bool {
	for i := 0; i < len(in); i++ {
		if n, _ := notQuestions.Longest(in, i); n > 0 {
			i += n - 1
		} else if n, _ := questionWords.Longest(in, i); n > 0 {
			return true
		}
	}
	return false
}

// decide orders the evidence: who is asked and complaints first, then the most
// specific matter, then any question, then chat.
func (s *signs) decide() Intent {
	if s.hits.of(Identity) > 0 {
		return Identity
	}
	if s.hits.of(Complaint) > 0 {
		return Complaint
	}
	best, most := LowInfo, 0
	for _, i := range [...]Intent{Price, Shipping, Size, Membership, Purchase} {
		if n := s.hits.of(i); n > most {
			best, most = i, n
		}
	}
	switch {
	case best == Purchase && s.question && s.hits.of(Product) > most: // wants something from it: 想要美白用哪款
		return Product
	case most > 0:
		return best
	case s.hits.of(Product) > 0, s.link:
		return Product
	case s.question:
		return Product
	case s.lead != "":
		return s.lead
	case s.hits.of(Praise) > 0:
		return Praise
	case s.hits.of(Greeting) > 0:
		return Greeting
	case s.noun:
		return Product
	case s.exclaimed:
		return Praise
	default:
		return LowInfo
	}
}

// class orders the work: whoever is about to buy first.
func (s *signs) class(i Intent) event.Class {
	switch i {
	case Price, Size, Purchase:
		return event.ClassPurchase
	case Product, Shipping, Membership:
		if s.buying || s.link {
			return event.ClassPurchase
		}
		return event.ClassQuestion
	case Complaint, Identity:
		return event.ClassQuestion
	default:
		return event.ClassChat
	}
}

// noun reports a short text that ends like a product's name, or like what is
// pointed at: 洗面奶, 双耳碗, 清火的.
func noun(in []rune) bool {
	const longest = 9
	end := len(in)
	for end > 0 && (!letterOrDigit(in[end-1]) || strings.ContainsRune("呗啊呀哦", in[end-1])) {
		end--
	}
	if end < 2 || end > longest || slices.ContainsFunc(in[:end], aboutPeople) {
		return false
	}
	switch r, before := in[end-1], in[end-2]; {
	case r == '的':
		return end > 2 && !strings.ContainsRune("是真对好我你他她有行可", before) && !strings.ContainsRune("是我你他她说", in[0])
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

// aboutPeople is what a product's name does not hold: 我们有冰箱 tells, 喝点热水 cares.
func aboutPeople(r rune) bool { return strings.ContainsRune("我你他她们喝吃", r) }

// lead reads the first character of a short text as its verb. 看着 and 要…了 tell,
// they do not ask.
func lead(in []rune) Intent {
	const longest = 10
	if len(in) < 2 || len(in) > longest || strings.ContainsRune("着的来过出到见", in[1]) || in[0] == '上' && in[1] == '车' || in[0] == '要' && in[len(in)-1] == '了' {
		return ""
	}
	return leads[in[0]]
}

// exclaimed reports 太…了: praise, when it is nothing worse. 太长了 complains, if
// anything.
func exclaimed(in []rune) bool {
	at := slices.Index(in, '太')
	return at >= 0 && at+1 < len(in) && slices.Contains(in[at:], '了') && !strings.ContainsRune("多少长短慢快吵难粗小假远久晚早乱烂脏丑黑胖瘦紧松厚薄重累困", in[at+1])
}

var leads = map[rune]Intent{'要': Purchase, '买': Purchase, '拍': Purchase, '抢': Purchase, '上': Product, '看': Product, '求': Product}

func letterOrDigit(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x4e00 && r <= 0x9fff
}

func build[T comparable](cells map[T][]string) *lexicon.Set[T] {
	m := map[string]T{}
	for v, cs := range cells {
		for _, c := range cs {
			lexicon.Words(m, v, c)
		}
	}
	return lexicon.New(m)
}

func list(cells ...string) *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	for _, c := range cells {
		lexicon.Words(m, struct{}{}, c)
	}
	return lexicon.New(m)
}
