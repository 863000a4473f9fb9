package cluster

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"livehost/aggregator/intent"
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
	Intent intent.Intent
	Class  event.Class
	Link   event.LinkID // the link it concerns, named or in focus; may be empty
	Worded bool         // it may concern any other as well: no number says which
	Key    string
}

// Asks reports whether the danmaku asks something: it is no chat.
func (r Reading) Asks() bool { return r.Class < event.ClassChat }

// Read understands one danmaku.
func Read(a Asked) Reading {
	var plain [96]rune
	in := Judged(plain[:0], a.Question)
	var figured [96]rune
	link, rest := splitLink(figures(figured[:0], in))
	var r Reading
	if i, ok := numberAlone(link, in, rest); ok {
		r.Intent = i
	} else {
		r.Intent = intent.Of(in)
	}
	r.Class = class(r.Intent, link != "", in)
	if aboutProduct(r.Intent) {
		if r.Link = link; link == "" {
			r.Link, r.Worded = a.Focus, worded(a, in)
		}
	}
	r.Key = key(a, r, link, core(rest, a.Language), in)
	return r
}

// Judged appends the runes of a normalised question as it is judged: in lower case,
// and once when the text only repeats itself.
func Judged(out []rune, question string) []rune { return once(lexicon.AppendLower(out, question)) }

// numberAlone is what a text wants that is a number and nothing else, by
// docs/intents.md and whatever the model makes of digits: a link, and with exactly four
// of them a price. Longer numbers, digits that only count along (666, 1) and a price
// asked back (79?) are the model's.
func numberAlone(link event.LinkID, in, rest []rune) (i intent.Intent, ok bool) {
	switch called := slices.ContainsFunc(in, func(r rune) bool { return letterOrDigit(r) && !digit(r) }); {
	case link == "" || slices.ContainsFunc(rest, letterOrDigit):
		return "", false
	case called: // 6号链接
		return intent.Product, true
	case len(link) >= 4:
		return intent.Price, true
	case slices.Contains(in, '?') || strings.Trim(string(link), string(link[:1])) == "":
		return "", false
	default:
		return intent.Product, true
	}
}

// class orders the work: whoever is about to buy first.
func class(i intent.Intent, named bool, in []rune) event.Class {
	switch i {
	case intent.Price, intent.Size, intent.Purchase:
		return event.ClassPurchase
	case intent.Product, intent.Shipping, intent.Membership:
		if named || has(buyingWords, in) {
			return event.ClassPurchase
		}
		return event.ClassQuestion
	case intent.Complaint, intent.Identity:
		return event.ClassQuestion
	default:
		return event.ClassChat
	}
}

func aboutProduct(i intent.Intent) bool {
	switch i {
	case intent.Product, intent.Size, intent.Price, intent.Purchase, intent.Shipping, intent.Membership:
		return true
	default:
		return false
	}
}

// key names the question; named is the link that the text names. What may not be
// merged gets the viewer or the danmaku into its key: "这个呢" says nothing that two
// viewers could share, nor do "开了吗" and "现在开", "80" does.
func key(a Asked, r Reading, named event.LinkID, core string, in []rune) string {
	parts := make([]string, 0, 5)
	if a.Language == "en" {
		parts = append(parts, "en")
	}
	asked := r.Class == event.ClassChat && has(questionWords, in)
	if r.Class == event.ClassChat && !asked {
		if k := kindOf(r.Intent, in); k != "" {
			return strings.Join(append(parts, "chat", string(k)), "|")
		}
	}
	parts = append(parts, string(r.Intent))
	switch {
	case r.Intent == intent.Identity:
		parts = append(parts, doubt(core, in))
	case r.Intent == intent.Complaint, private(r.Intent, in):
		parts = append(parts, string(r.Link), core, "viewer", owner(a))
	case aboutProduct(r.Intent):
		parts = append(parts, string(r.Link), core)
		if (core == "" || bare[core]) && named == "" {
			parts = append(parts, "danmaku", string(a.DanmakuID))
		}
	default:
		if core == "" {
			core = string(in)
		}
		if parts = append(parts, core); named != "" { // 杯子在12号 is not 杯子在14号
			parts = append(parts, string(named))
		}
		if asked {
			parts = append(parts, "?")
		}
		if r, n := utf8.DecodeRuneInString(core); n == len(core) && han(r) { // one character says too little
			parts = append(parts, "danmaku", string(a.DanmakuID))
		}
	}
	return bounded(strings.Join(parts, "|"))
}

// bare are cores that say too little to share: that something be done, or whether it
// was, and not to what; 那个呢 asks about what only its viewer points at.
var bare = map[string]bool{"上": true, "开": true, "讲": true, "看": true, "试": true, "来": true, "拍": true, "买": true, "那个": true}

// owner is who a private matter belongs to; an anonymous viewer is nobody twice.
func owner(a Asked) string {
	if a.ViewerID.Anonymous() {
		return "danmaku " + string(a.DanmakuID)
	}
	return string(a.ViewerID)
}

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
