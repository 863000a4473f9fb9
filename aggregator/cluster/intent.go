package cluster

import (
	"slices"
	"strings"

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

// sign is what a word says of its text. Several make one intent.
type sign uint8

// The signs, first those that weigh against each other by what they cover.
const (
	price sign = iota
	shipping
	size
	membership
	stock  // what is left, and whether more comes
	still  // of something: 还有
	others // bidding each other, and advertisements
	had    // once bought, used, eaten
	links  // a link, not which
	order  // paying, the shop and the room
	bought
	wants
	identity
	complaint
	attribute // of goods
	show      // asks to see, hear, try, bring
	thing     // what is sold
	gives     // 送, when asked
	smalltalk // to the host
	hello
	wish
	praise
	chatter // among viewers, about people
	wordSigns

	// What is seen in the whole text.
	question  sign = iota - 1
	link           // a number is named
	named          // ends like a product's name
	leading        // the first character is its verb
	exclaimed      // 太…了
	faulted        // 太小了
	people         // asks about you, him, her
	story          // speaks of me, you, them, or of what has happened
	matter         // something of price … wants
)

// signs is what was found in one text.
type signs struct {
	set   uint32
	runes [wordSigns]int // covered, so that longer words weigh more
	lead  Intent         // what the first character asks for: 要黄水晶, 看裤子
}

func bits(of ...sign) (set uint32) {
	for _, s := range of {
		set |= 1 << s
	}
	return set
}

func (s *signs) mark(when bool, as sign) {
	if when {
		s.set |= 1 << as
	}
}

func (s *signs) has(of sign) bool { return s.set&(1<<of) != 0 }

const (
	maxSigns  = 24 // words looked at; the rest of a long text adds nothing
	longName  = 16 // runes of a text that may only name a product
	longNames = 40 // the same in English
)

var (
	ofMatter  = bits(price, shipping, size, membership, stock, order, bought, wants)
	ofGoods   = bits(thing, attribute, show, link, gives, matter)
	elsewhere = bits(price, shipping, size, membership, stock, order, wants, identity, complaint, attribute, show, thing, link) // no matter who is asked about
	decided   = bits(identity, complaint, matter, attribute, show, link)
)

func look(in []rune, number bool) (s signs) {
	if len(in) == 0 {
		return s
	}
	s.words(in)
	s.sums(in)
	if asked := addressed(in); wanted(asked) || s.set&bits(thing, attribute) != 0 && asked[0] == '要' && lead(asked) == Purchase { // 要淡斑的
		s.add(wants, 1)
	}
	if s.has(had) && in[0] == '买' && len(in) <= 3 || s.has(thing) && hasAt(in, 0, "got ") { // 买了 alone is of now
		s.add(bought, 3)
	}
	if s.has(thing) && whereabouts(in) || number && asksLink(in) {
		s.add(order, 2)
	}
	if hasAt(in, 0, "还得") && len(in) <= 6 && s.set&bits(chatter, thing, wants, order, bought) == 0 { // 还得是他
		s.add(praise, 2)
	}
	s.mark(s.set == 0 && called(in), show)
	s.mark(s.set&ofMatter != 0, matter)
	s.mark(number || pair(in), link)
	s.mark(asks(in) || chooses(in) || half(in) && s.set&ofGoods != 0, question)
	chinese := slices.ContainsFunc(in, han)
	s.mark(tells(in) || !chinese && has(englishPeople, in), story)
	s.mark(s.has(question) && s.set&elsewhere == 0 && (asksAbout(in) || !chinese && has(englishThird, in)), people)
	if s.set&decided == 0 { // else neither would be looked at
		s.name(addressed(in))
		if s.set&bits(question, praise) == 0 {
			worse, well := exclaims(in)
			s.mark(worse, faulted)
			s.mark(well, exclaimed)
		}
	}
	s.mark((s.has(thing) || in[0] == '这') && s.set&bits(question, hello) == 0 && endsWell(in), praise)
	if s.has(link) && !s.has(question) && points(in) {
		s.set = s.set&^bits(link, thing, links) | bits(chatter)
	}
	if s.has(praise) && s.set&bits(hello, wish) != 0 && s.runes[praise] == 2 && has(addresses, in) { // 美女生日快乐
		s.set &^= bits(praise)
	}
	if in[0] == '祝' && s.has(wish) || hasAt(in, 0, "欢迎") && s.has(hello) {
		s.set &^= bits(praise, thing, attribute)
	}
	if len(in) > longNames || chinese && len(in) > longName || !chinese && !s.has(question) && remarks(in) {
		s.set &^= bits(thing) // tells a story that holds one
	}
	return s
}

// add counts a sign that covers n runes.
func (s *signs) add(of sign, n int) {
	s.runes[of] += n
	s.set |= 1 << of
}

// words marks what the words of a text say.
func (s *signs) words(in []rune) {
	n := 0
	intentWords.Each(in, func(start, end int, of sign) bool {
		switch {
		case of == links && start > 0 && in[start-1] == '号': // 二号链接 names one
			s.mark(true, link)
		case of == hello && in[end-1] == '好' && end < len(in) && strings.ContainsRune("美帅白香甜瘦嫩靓漂可厉大牛棒强有会年聪温善", in[end]): // 姐姐好美
			s.add(praise, end-start)
		case of == praise && start > 0 && in[start-1] == '不' && (start == 1 || in[start-2] != in[start]): // 不好看, not 好不好看
			s.add(chatter, end-start)
		case of == praise && in[end-1] == '好' && end < len(in) && strings.ContainsRune("难累慢烦吵丑假坑怕少困热冷懒无晚乱奇久笑疼痛痒", in[end]): // 真好笑
		default:
			s.add(of, end-start)
		}
		n++
		return n < maxSigns
	})
}

// sums marks measures of a body and of money. They weigh less than words: 100斤多少钱.
func (s *signs) sums(in []rune) {
	if !slices.ContainsFunc(in, digit) {
		return
	}
	if measured(in) {
		s.add(size, 2)
	}
	if money(in) {
		s.add(price, 1)
	}
}

// name marks what a text only names, or asks for by its first character.
func (s *signs) name(in []rune) {
	s.mark(noun(in), named)
	if s.lead = lead(in); s.lead == Praise && s.has(named) { // 牛子裤
		s.lead = ""
	}
	s.mark(s.lead != "", leading)
}

// A rule decides for an intent when all of a text's signs and none of the others are
// there; an empty intent leaves it to what weighs most.
type rule struct {
	all, none uint32
	intent    Intent
}

// rules order the evidence: who is asked and complaints first, then the most specific
// matter, then any question, then chat. The first that holds decides.
var rules = []rule{
	{bits(identity), 0, Identity},
	{bits(complaint), 0, Complaint},
	{bits(others), bits(question, praise, stock), LowInfo},
	{bits(gives, question), bits(price, shipping), Membership},
	{bits(wants, question, attribute), bits(price, shipping, size, membership, stock, order), Product},  // 想要美白用哪款
	{bits(bought, question, attribute), bits(price, shipping, size, membership, stock, order), Product}, // 拍了怎么用
	{bits(bought, question, thing), bits(price, shipping, size, membership, stock, order, wants), Product},
	{bits(wants, show), bits(price, shipping, size, membership, stock, order), Product},                                             // 我要看
	{bits(praise, bought), bits(question, price, shipping, size, membership, wants), Praise},                                        // a happy buyer
	{bits(bought, question, people), bits(price, shipping, size, membership, stock, order, wants, attribute, thing, link), LowInfo}, // who got one?
	{bits(shipping, bought), bits(price, size, membership, stock), Shipping},                                                        // 拍了加急
	{bits(still, question), bits(membership, shipping), Price},
	{bits(matter), 0, ""},
	{bits(links), bits(link, attribute), Purchase},
	{bits(link, question), 0, Product},
	{bits(attribute, question), 0, Product},
	{bits(wish), bits(thing, attribute, show, link, praise), Greeting},
	{bits(smalltalk, question), bits(thing, attribute, show, link), Greeting},
	{bits(chatter), bits(thing, attribute, show, link, praise, hello), LowInfo},
	{bits(chatter, question), bits(thing, attribute, show, link), LowInfo},
	{bits(praise), bits(question, show), Praise},
	{bits(had), bits(question, show, link), LowInfo},
	{bits(hello), bits(question, link, show, thing, attribute, bought), Greeting},
	{bits(smalltalk), bits(thing, attribute, show, link, hello), LowInfo},
	{bits(chatter, attribute), bits(question, show, link, praise), LowInfo}, // 孕妇可以用的
	{bits(attribute), 0, Product},
	{bits(show), 0, Product},
	{bits(link), 0, Product},
	{bits(question, people), bits(thing, named), LowInfo},
	{bits(question), 0, Product},
	{bits(praise), 0, Praise},
	{bits(hello), 0, Greeting},
	{bits(leading), 0, ""},
	{bits(thing), bits(story, chatter), Product},
	{bits(gives), bits(story, chatter), Product}, // 礼盒
	{bits(named), bits(chatter), Product},
	{bits(exclaimed), 0, Praise},
	{bits(faulted), 0, Product},
}

func (s *signs) decide() Intent {
	for _, r := range rules {
		if s.set&r.all == r.all && s.set&r.none == 0 {
			if r.intent == "" {
				return s.heaviest()
			}
			return r.intent
		}
	}
	return LowInfo
}

// heaviest is the matter that covers most of the text, else what its first character
// asks for.
func (s *signs) heaviest() Intent {
	best, most := s.lead, 0
	for _, m := range matters {
		n := 0
		for _, of := range m.signs {
			n += s.runes[of]
		}
		if n > most {
			best, most = m.intent, n
		}
	}
	return best
}

var matters = [...]struct {
	signs  []sign
	intent Intent
}{
	{[]sign{membership}, Membership}, {[]sign{shipping}, Shipping}, {[]sign{price, stock}, Price}, {[]sign{order, bought, wants}, Purchase}, {[]sign{size}, Size},
}

// class orders the work: whoever is about to buy first.
func (s *signs) class(i Intent, in []rune) event.Class {
	switch i {
	case Price, Size, Purchase:
		return event.ClassPurchase
	case Product, Shipping, Membership:
		if s.has(link) || has(buyingWords, in) {
			return event.ClassPurchase
		}
		return event.ClassQuestion
	case Complaint, Identity:
		return event.ClassQuestion
	default:
		return event.ClassChat
	}
}
