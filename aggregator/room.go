package aggregator

import (
	"slices"
	"sync"
	"time"

	"livehost/aggregator/admission"
	"livehost/aggregator/cluster"
	"livehost/aggregator/filter"
	"livehost/streams"
	"livehost/streams/event"
)

// room is the state machine of one room.
type room struct {
	id event.RoomID
	p  *partition

	mu    sync.Mutex
	out   output
	timer *time.Timer
	dueMs int64 // what it is armed for

	momentMs int64 // see nowMs

	items   map[event.DanmakuID]*item // not ended
	waiting []*item                   // of items, in the order they came
	covers  map[question]*item        // whom the same question joins
	cooling map[question]*cooled      // publicly answered a short while ago
	sweptMs int64                     // when those that are over were last forgotten
	merged  int                       // of items, attached to a cover
	flights []*flight                 // few: looking through them is cheaper than a map
	known   *memory                   // ids that ended or were filtered
	gone    *memory                   // retracted before they were seen

	context roomContext
	sources []*source // one or a few
	limiter *filter.Limiter
	runs    *admission.RunTimes
	passed  map[event.Variant]int64 // since when chat has been passed over for questions
	speech  speech
	thanks  thanks
	pulse   pulse
	logged  *exposures
	changed bool  // since the last room-state.v1
	lastMs  int64 // when a record of it was handled last
	parked  bool  // no longer the partition's: records go to its successor

	offers   offers
	outdated outdated // while it is restored
}

// output is what is published and acknowledged together.
type output struct {
	events []event.Event
	acks   []streams.Ack
}

// question is what may be merged: never across variants. It is a hash.
type question uint64

// place is where an item is.
type place int

const (
	waiting  place = iota + 1 // for a window
	attached                  // to a cover that asks the same
	flying                    // in a window.v1
)

// item is one danmaku that has no outcome yet.
type item struct {
	member  event.Member
	reading cluster.Reading
	variant Assignment

	broadcast event.BroadcastID // it named, or was in a window of; "" when none is known

	ack streams.Ack // nil until the log hands the record over again

	place     place
	window    event.WindowID // the last one it was in
	windows   int            // how many it was in
	delivery  uint64         // hash of the last by which the room heard its answer
	returned  int            // times a reply did not cover it
	stale     bool           // what it asks for changed: its answer covers nobody new
	cover     *item
	joined    []*item
	doom      *verdict // its end is due: restored so, or its broadcast is over
	received  time.Time
	arrivedMs int64 // room time; 0 when restored
}

type verdict struct {
	state  event.State
	reason string
}

// cooled is a public answer, or the silence chat was met with, that still covers
// the same question.
type cooled struct {
	danmaku event.DanmakuID
	link    event.LinkID
	worded  bool     // see cluster.Reading
	silence string   // the reason it was met with silence
	viewers []uint64 // hashes of those who had joined and heard it
	replyMs int64
	untilMs int64

	delivery uint64 // hash, 0 when it is not known
}

// flight is one window of which a member has no outcome yet.
type flight struct {
	window     event.WindowID
	variant    event.Variant
	open       []event.DanmakuID // members without an outcome
	event      bool
	chat       bool // of chat
	replied    bool
	openedMs   int64
	earliestMs int64
}

func newRoom(p *partition, id event.RoomID) *room {
	cfg := p.a.cfg
	r := &room{
		id: id, p: p,
		items: map[event.DanmakuID]*item{}, covers: map[question]*item{}, cooling: map[question]*cooled{},
		known: newMemory(cfg.Memory.Milliseconds()), gone: newMemory(cfg.Memory.Milliseconds()),
		context: newRoomContext(cfg.Settings),
		limiter: filter.NewLimiter(cfg.Rate()),
		runs:    admission.NewRunTimes(p.a.prior),
		logged:  newExposures(cfg.Memory.Milliseconds()),
	}
	r.moment()
	return r
}

func (r *room) cfg() *Config { return &r.p.a.cfg }

// nowMs is the moment that is being handled: one for a record and all that follows.
func (r *room) nowMs() int64 { return r.momentMs }

func (r *room) moment() int64 {
	r.momentMs = r.p.a.deps.Clock.NowMs()
	return r.momentMs
}

func (r *room) emit(events ...event.Event) { r.out.events = append(r.out.events, events...) }

// ackAfter acknowledges when everything emitted so far is in the log.
func (r *room) ackAfter(ack streams.Ack) {
	if ack != nil {
		r.out.acks = append(r.out.acks, ack)
	}
}

func (it *item) question() question {
	return question(hashOf(it.member.Key) + 31*hashOf(it.variant.Variant))
}

// end writes the danmaku's outcome.
func (r *room) end(it *item, state event.State, reason string, nowMs int64) {
	o := r.outcome(it, state, reason, nowMs)
	r.emit(o)
	r.forget(it, o, nowMs)
}

func (r *room) outcome(it *item, state event.State, reason string, nowMs int64) event.Outcome {
	return event.Outcome{
		Schema: event.SchemaVersion, DanmakuID: it.member.DanmakuID, RoomID: r.id, ViewerID: it.member.ViewerID,
		State: state, Reason: reason, By: stageName, Eligible: state != event.Retracted, Admitted: it.windows > 0, WindowID: it.window,
		Variant: it.variant.Variant, Intent: it.member.Intent, PlatformMs: it.member.PlatformMs, TimeMs: nowMs,
	}
}

// forget takes an ended danmaku out of the room; o is its outcome, from anyone.
func (r *room) forget(it *item, o event.Outcome, nowMs int64) {
	id := it.member.DanmakuID
	delete(r.items, id)
	r.known.add(string(id), nowMs)
	r.ackAfter(it.ack)
	it.ack = nil
	r.unlist(it)
	r.uncover(it)
	r.detach(it)
	if f := r.flight(it.window); f != nil {
		r.leave(f, id)
	}
	r.settleJoined(it, o, nowMs)
}

// uncover lets nobody join the danmaku any more.
func (r *room) uncover(it *item) {
	if q := it.question(); r.covers[q] == it {
		delete(r.covers, q)
	}
}

// detach takes a danmaku from the one it has joined.
func (r *room) detach(it *item) {
	if c := it.cover; c != nil {
		c.joined = remove(c.joined, it)
		it.cover = nil
		r.merged--
	}
}

// flight is the window under way, nil when it is over.
func (r *room) flight(w event.WindowID) *flight {
	for _, f := range r.flights {
		if f.window == w {
			return f
		}
	}
	return nil
}

// launch is a window that goes out, or is in the log once more.
func (r *room) launch(f *flight) { r.flights = append(remove(r.flights, r.flight(f.window)), f) }

// leave takes a member out of what the window waits for.
func (r *room) leave(f *flight, id event.DanmakuID) {
	if at := slices.Index(f.open, id); at >= 0 {
		f.open = slices.Delete(f.open, at, at+1)
	}
	r.land(f)
}

// land drops a window that nothing is expected of any more.
func (r *room) land(f *flight) {
	if len(f.open) == 0 && (!f.event || f.replied) {
		r.flights = remove(r.flights, f)
	}
}

// unlist takes the item out of the waiting ones.
func (r *room) unlist(it *item) {
	if it.place == waiting {
		r.waiting = remove(r.waiting, it)
	}
}

func remove[E comparable](list []E, one E) []E {
	if at := slices.Index(list, one); at >= 0 {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// release lets go of every record when the partition ends.
func (r *room) release(err error) {
	if r.timer != nil {
		r.timer.Stop()
	}
	for _, it := range r.items {
		if it.ack != nil {
			it.ack(err)
			it.ack = nil
		}
	}
}

// oldestMs is when the oldest unfinished danmaku came.
func (r *room) oldestMs(nowMs int64) int64 {
	oldest := nowMs
	for _, it := range r.items {
		oldest = min(oldest, it.arrivedMs)
	}
	return oldest
}
