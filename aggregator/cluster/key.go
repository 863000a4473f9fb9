package cluster

import (
	"hash/fnv"
	"strconv"
	"strings"

	"livehost/aggregator/lexicon"
	"livehost/streams/event"
)

// Asked is one danmaku to be understood.
type Asked struct {
	DanmakuID event.DanmakuID
	ViewerID  event.ViewerID
	Question  string // normalised
	Language  string
	Focus     event.LinkID // product in focus at the comment's time
}

// Reading is what a danmaku is about.
type Reading struct {
	Intent Intent
	Class  event.Class
	Link   event.LinkID // the link it concerns, named or in focus; may be empty
	Key    string
}

// Read understands one danmaku.
func Read(a Asked) Reading {
	var lower [96]rune
	in := once(lexicon.AppendLower(lower[:0], a.Question))
	link, rest := splitLink(in)
	s := look(in, link != "")
	r := Reading{Intent: s.decide()}
	r.Class = s.class(r.Intent, in)
	if aboutProduct(r.Intent) {
		if r.Link = link; link == "" {
			r.Link = a.Focus
		}
	}
	r.Key = key(a, r, &s, core(rest, a.Language), in)
	return r
}

func aboutProduct(i Intent) bool {
	switch i {
	case Product, Size, Price, Purchase, Shipping, Membership:
		return true
	default:
		return false
	}
}

// key names the question. What may not be merged gets the viewer or the danmaku
// into its key: "这个呢" says nothing that two viewers could share, "80" does.
func key(a Asked, r Reading, s *signs, core string, in []rune) string {
	parts := make([]string, 0, 5)
	if a.Language == "en" {
		parts = append(parts, "en")
	}
	if r.Class == event.ClassChat && r.Intent != Greeting && s.set&bits(question, attribute) == 0 {
		if k := kindOf(r.Intent, in); k != "" {
			return strings.Join(append(parts, "chat", string(k)), "|")
		}
	}
	parts = append(parts, string(r.Intent))
	switch {
	case r.Intent == Greeting && s.set&bits(wish, smalltalk, praise) == 0, r.Intent == Identity:
	case r.Intent == Complaint, has(privateWords, in):
		parts = append(parts, string(r.Link), core, "viewer", owner(a))
	case aboutProduct(r.Intent):
		parts = append(parts, string(r.Link), core)
		if core == "" && !s.has(link) {
			parts = append(parts, "danmaku", string(a.DanmakuID))
		}
	default:
		if core == "" {
			core = string(in)
		}
		parts = append(parts, core)
	}
	return bounded(strings.Join(parts, "|"))
}

// owner is who a private matter belongs to; an anonymous viewer is nobody twice.
func owner(a Asked) string {
	if a.ViewerID.Anonymous() {
		return "danmaku " + string(a.DanmakuID)
	}
	return string(a.ViewerID)
}

var privateWords = list(
	"我的订单|我的快递|我的货|我的单|我的包裹|我的地址|我的会员|我的积分|我拍的|我买的|我下的|我昨天|我前天|我上次|我上周|订单号|我的还没|我那单|我退|我要退|给我退|给我发|我的呢|我的券|我的优惠|我的尺码|"+
		"快递到哪|到哪了|发了没|发货了没|发货了吗|没收到|还没收到|没到",
	"my order*|my package|my parcel|my refund|my tracking|my delivery|i ordered|i bought|my address|my points|my size|my account|order number",
)

const longestKey = 96

func bounded(k string) string {
	if len(k) <= longestKey {
		return k
	}
	h := fnv.New64a()
	h.Write([]byte(k))
	cut := longestKey - 17
	for cut > 0 && k[cut]&0xc0 == 0x80 {
		cut--
	}
	return k[:cut] + "#" + strconv.FormatUint(h.Sum64(), 16)
}
