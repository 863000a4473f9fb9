package roomscript

import (
	"strings"

	"livehost/streams/event"
)

// actionSpec is one word of the language: how it is written, whether a text
// follows after a colon, and how its arguments are read.
type actionSpec struct {
	usage string
	text  bool
	parse func(*args, *Action)
}

// maxCrowd bounds one flood or many line.
const maxCrowd = 10_000

// actions is the language's table of timed lines.
var actions = map[string]actionSpec{
	"viewer": {`at TIME viewer ID ["NAME"] [id ID] [sent TIME] [reply-to ID] [mirror] [test]: TEXT`, true, func(a *args, x *Action) {
		x.Viewer = event.ViewerID(a.word("viewer id"))
		danmakuOptions(a, x)
	}},
	"anonymous": {`at TIME anonymous ["NAME"] [id ID] [sent TIME] [mirror] [test]: TEXT`, true, func(a *args, x *Action) {
		x.Viewer = "0"
		danmakuOptions(a, x)
	}},
	"host": {`at TIME host ["NAME"] [id ID] [reply-to ID]: TEXT`, true, danmakuOptions},
	"say":  {`at TIME say: TEXT`, true, func(*args, *Action) {}},
	"repeat": {`at TIME repeat DANMAKU_ID`, false, func(a *args, x *Action) {
		x.ID = a.word("danmaku id")
	}},
	"retract": {`at TIME retract DANMAKU_ID`, false, func(a *args, x *Action) {
		x.ID = a.word("danmaku id")
	}},
	"focus": {`at TIME focus LINK or focus none`, false, func(a *args, x *Action) {
		if !a.eat("none") {
			x.Link = a.link()
		}
	}},
	"list": {`at TIME list LINK [product ID]`, false, func(a *args, x *Action) {
		x.Link = a.link()
		if a.eat("product") {
			x.Product = event.ProductID(a.word("product id"))
		}
	}},
	"delist": {`at TIME delist LINK`, false, func(a *args, x *Action) { x.Link = a.link() }},
	"price":  {`at TIME price LINK AMOUNT`, false, func(a *args, x *Action) { x.Link, x.Fen = a.link(), a.money("price") }},
	"stock": {`at TIME stock LINK UNITS`, false, func(a *args, x *Action) {
		x.Link, x.Count = a.link(), a.number("stock", 1_000_000_000)
	}},
	"gift": {`at TIME gift VIEWER ["NAME"] GIFT [xCOUNT] [AMOUNT]`, false, func(a *args, x *Action) {
		who(a, x)
		x.Gift, x.Count = a.word("gift name"), a.times()
		if !a.done() {
			x.Fen = a.money("amount")
		}
	}},
	"like":   {`at TIME like VIEWER ["NAME"] [xCOUNT]`, false, func(a *args, x *Action) { who(a, x); x.Count = a.times() }},
	"enter":  {`at TIME enter VIEWER ["NAME"]`, false, who},
	"follow": {`at TIME follow VIEWER ["NAME"]`, false, who},
	"cart":   {`at TIME cart VIEWER ["NAME"] LINK`, false, func(a *args, x *Action) { who(a, x); x.Link = a.link() }},
	"order": {`at TIME order ORDER_ID VIEWER link LINK [xQUANTITY] AMOUNT created|paid|confirmed|refunded`, false, func(a *args, x *Action) {
		x.ID, x.Viewer = a.word("order id"), event.ViewerID(a.word("viewer id"))
		if !a.eat("link") {
			a.fail("the word link is missing")
		}
		x.Link, x.Count, x.Fen = a.link(), a.times(), a.money("amount")
		x.Status = event.OrderStatus(a.oneOf("status", "created", "paid", "confirmed", "refunded"))
	}},
	"outage": {`at TIME outage TARGET TIME`, false, func(a *args, x *Action) {
		x.Target, x.Over = a.word("target"), a.duration("length")
	}},
	"flood": {`at TIME flood VIEWER ["NAME"] COUNT in TIME [id PREFIX]: TEXT`, true, func(a *args, x *Action) {
		who(a, x)
		crowd(a, x)
	}},
	"many": {`at TIME many COUNT viewers in TIME [id PREFIX]: TEXT | TEXT | ...`, true, func(a *args, x *Action) {
		crowd(a, x)
	}},
	"settings": {`at TIME settings [lang zh|en] [private yes|no] [handover yes|no] [thanks yes|no] [name NAME]`, false, func(a *args, x *Action) {
		for !a.done() {
			if !settingsOption(a, &x.ChangesTo) {
				a.fail("%q is not a setting", a.word("setting"))
			}
		}
	}},
	"close": {`at TIME close`, false, func(*args, *Action) {}},
}

func who(a *args, x *Action) {
	x.Viewer = event.ViewerID(a.word("viewer id"))
	x.Name = a.name()
}

func danmakuOptions(a *args, x *Action) {
	x.Name = a.name()
	for !a.done() {
		switch {
		case a.eat("id"):
			x.ID = a.word("danmaku id")
		case a.eat("sent"):
			x.Sent = a.duration("sent time")
		case a.eat("reply-to"):
			x.ReplyTo = event.DanmakuID(a.word("danmaku id"))
		case a.eat("mirror"):
			x.Mirror = true
		case a.eat("test"):
			x.Test = true
		default:
			return
		}
	}
}

func crowd(a *args, x *Action) {
	x.Count = a.number("count", maxCrowd)
	if x.Kind == "many" && !a.eat("viewers") {
		a.fail("the word viewers is missing")
	}
	if !a.eat("in") {
		a.fail("the word in is missing")
	}
	x.Over = a.duration("length")
	if a.eat("id") {
		x.ID = a.word("id prefix")
	}
}

// texts splits what follows the colon; only many has several.
func texts(kind, text string) []string {
	if kind != "many" {
		return []string{unquote(text)}
	}
	var out []string
	for _, t := range strings.Split(text, "|") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, unquote(t))
		}
	}
	return out
}

// settingsOption reads one option of the room or settings line.
func settingsOption(a *args, s *event.RoomSettings) bool {
	switch {
	case a.eat("lang"):
		s.Language = a.oneOf("language", "zh", "en")
	case a.eat("private"):
		s.PrivateText = a.yes("private")
	case a.eat("handover"):
		s.HandOver = a.yes("handover")
	case a.eat("thanks"):
		s.EventReply = a.yes("thanks")
	case a.eat("name"):
		s.HostName = a.word("host name")
	case a.eat("catalog"):
		s.CatalogID = a.word("catalogue id")
	default:
		return false
	}
	return true
}
