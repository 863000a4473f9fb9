package roomscript

import (
	"time"

	"livehost/streams/event"
	"livehost/streams/source"
)

// Script is one parsed room script.
type Script struct {
	File     string
	Settings Settings
	Catalog  []byte // the catalog.json section, nil without one
	Rooms    []source.Room
	Actions  []Action // in the order written
	Expects  []Expect
}

// Settings are what the script proposes to the program that plays it; zero
// values leave the choice to it.
type Settings struct {
	Speed   float64 // room seconds per wall second
	Profile string  // latency profile of the scripted policy
}

// Action is one timed line.
type Action struct {
	Line int
	Room int // index in Script.Rooms
	At   time.Duration
	Kind string // the word of the language

	ID        string        // danmaku or order id as written, "" for one made from the line
	Sent      time.Duration // platform time of a danmaku; At unless `sent` was given
	Viewer    event.ViewerID
	Name      string
	ReplyTo   event.DanmakuID
	Mirror    bool
	Test      bool
	Texts     []string // one, or the variants of many
	Link      event.LinkID
	Product   event.ProductID
	Fen       int64
	Count     int64
	Gift      string
	Status    event.OrderStatus
	Target    string
	Over      time.Duration // duration of a flood, many or outage
	ChangesTo event.RoomSettings
}

// ExpectKind is what an expectation looks at.
type ExpectKind string

// The kinds of expectations.
const (
	ExpectReply     ExpectKind = "reply"
	ExpectContains  ExpectKind = "contains"
	ExpectLacks     ExpectKind = "lacks"
	ExpectPrice     ExpectKind = "price"
	ExpectStock     ExpectKind = "stock"
	ExpectNoReply   ExpectKind = "no reply"
	ExpectOutcome   ExpectKind = "outcome"
	ExpectHit       ExpectKind = "hit"
	ExpectPrivate   ExpectKind = "private"
	ExpectPublic    ExpectKind = "public"
	ExpectMode      ExpectKind = "mode"
	ExpectNotInRoom ExpectKind = "not_in_room"
)

// Expect is one expectation.
type Expect struct {
	Line   int
	Kind   ExpectKind
	ID     string // danmaku id, or a prefix ending in *: every danmaku it matches
	States []event.State
	Reason string
	Value  string // text, rule or mode
	Fen    int64  // price
	Source string // the line, canonically written
}

// Facts reports whether the expectation is of a fact of the catalogue: a price
// or a stock.
func (e Expect) Facts() bool { return e.Kind == ExpectPrice || e.Kind == ExpectStock }
