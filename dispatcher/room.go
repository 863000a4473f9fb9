package dispatcher

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"livehost/dispatcher/pacing"
	"livehost/streams/event"
)

// room is one room's speech. Its methods that end in a plan decide only; mu is
// held while they run.
type room struct {
	id event.RoomID
	d  *Dispatcher
	p  *partition

	mu       sync.Mutex
	settings event.RoomSettings
	air      event.OnAir
	sinceMs  int64             // when the log took the opening of what is on or, after it, its closing, by our clock
	changes  map[string]change // last product changes, by link and product id
	pending  map[event.DanmakuID]*owed
	queue    pacing.Queue[*item]
	now      *item // at the outlet, or on its way there
	freeAtMs int64 // when now is estimated to end
	running  bool  // the voice's goroutine exists
	heard    map[heardBy]*answerHeard

	writes []*written // private texts within the platform's limits' windows

	disclosedMs int64   // when the room last heard that the host is an AI; 0: never
	promotedMs  []int64 // when it heard promotional sentences, within the window

	hush    context.CancelCauseFunc // ends the present speech; nil when there is none
	lastEnd chan struct{}           // the voice's own: closed when the last sentence's end is in the log; nil before the first

	acquire sync.Mutex // guards fence; held across the ledger call, never together with mu
	fence   int64      // 0 before the first claim
}

// change is what room events said of a product last, and when each came into the log.
type change struct {
	priceFen, stock              int64
	priceMs, stockMs, delistedMs int64 // 0: never said
}

// observe applies a room event to what the room remembers, without consequences
// for waiting speech. loggedMs is when the log took it, in room time: what happened here is
// before or after that, and whether a run knew of a change is told by when it began; the
// platform's clock may be off. What came late is taken for newer than it is, and
// contradicts only what states another value.
func (rm *room) observe(e *event.RoomEvent, loggedMs int64) {
	past := rm.onAir(e, loggedMs)
	switch e.Kind {
	case event.RoomOpened, event.RoomSettingsSet:
		if e.Settings != nil && !past {
			rm.settings = *e.Settings
		}
	case event.DanmakuRetracted:
		rm.p.retract(danmakuKey{rm.id, e.DanmakuID}, loggedMs)
	case event.ProductChanged:
		rm.change(e, func(c *change) {
			if e.PriceFen != nil {
				c.priceFen, c.priceMs = *e.PriceFen, loggedMs
			}
			if e.Stock != nil {
				c.stock, c.stockMs = *e.Stock, loggedMs
			}
		})
	case event.ProductDelisted:
		rm.change(e, func(c *change) { c.delistedMs = loggedMs })
	case event.ProductListed:
		for _, key := range productKeys(e.LinkID, e.ProductID) {
			delete(rm.changes, key)
		}
	default: // the aggregator's
	}
}

// onAir applies what the event says of which broadcast is on, and reports whether it is of
// one before.
func (rm *room) onAir(e *event.RoomEvent, loggedMs int64) (past bool) {
	past, anew := rm.air.Take(e)
	if anew || e.Kind == event.RoomClosed && !past {
		rm.begin(loggedMs)
	}
	return past
}

// begin is for those who watch the broadcast after that: what was heard before it, they
// did not hear.
func (rm *room) begin(loggedMs int64) {
	rm.sinceMs = loggedMs
	rm.heard, rm.disclosedMs, rm.promotedMs = nil, 0, nil
}

// answered takes the broadcast that a reply is of, which the aggregator knew to be on.
func (rm *room) answered(reply *event.Reply) {
	if !rm.over(reply) {
		rm.air.Is(reply.BroadcastID) // after a closing, with which everything heard was forgotten
	}
}

// observeDelivery brings back what the room heard before this process.
func (rm *room) observeDelivery(dl *event.Delivery) {
	if dl.State == event.DeliverySent && rm.limited(dl.TimeMs) {
		rm.writes = append(rm.writes, &written{dl.TimeMs, dl.ViewerID, dl.Text})
	}
	if dl.State == event.DeliveryEnded && dl.Channel == event.Public && dl.FirstAudioMs >= rm.sinceMs {
		rm.worded(dl.Text, dl.EndMs)
		if said := rm.heardFrom(dl); !rm.outdated(&said.reply) { // the room's events were applied before
			rm.remember(dl.QuestionKey, heardBy{words: said.reply.Public.Text, goods: goods(dl.Facts)}, said)
		}
	}
}

func (rm *room) change(e *event.RoomEvent, apply func(*change)) {
	if rm.changes == nil {
		rm.changes = map[string]change{}
	}
	for _, key := range productKeys(e.LinkID, e.ProductID) {
		c := rm.changes[key]
		apply(&c)
		rm.changes[key] = c
	}
	for by, h := range rm.heard {
		if rm.outdated(&h.reply) { // a heard answer that is no longer right covers nobody
			delete(rm.heard, by)
		}
	}
}

func productKeys(link event.LinkID, product event.ProductID) []string {
	var keys []string
	if link != "" {
		keys = append(keys, "l/"+string(link))
	}
	if product != "" {
		keys = append(keys, "p/"+string(product))
	}
	return keys
}

// stale reports whether a fact was changed by a room event at or after sinceMs,
// when the run that stated it began; what changed before, its tools knew.
func (rm *room) stale(facts []event.Fact, text string, sinceMs int64) bool {
	for _, f := range facts {
		for _, key := range productKeys(f.LinkID, f.ProductID) {
			if rm.changes[key].contradicts(f, text, sinceMs) {
				return true
			}
		}
	}
	return false
}

// contradicts compares by kind. Stock moves with every order, so a number counts
// only when the text states it; sold out or back in stock always does.
func (c change) contradicts(f event.Fact, text string, sinceMs int64) bool {
	said := func(ms int64) bool { return ms > 0 && ms >= sinceMs }
	if said(c.delistedMs) {
		return true
	}
	switch f.Kind {
	case "price":
		return said(c.priceMs) && f.Value != strconv.FormatInt(c.priceFen, 10)
	case "stock":
		was, err := strconv.ParseInt(f.Value, 10, 64)
		return said(c.stockMs) && (err != nil || (was > 0) != (c.stock > 0) || was != c.stock && strings.Contains(text, f.Value))
	}
	return false
}

// over reports whether the broadcast that the reply answers is. While nobody knows what it
// is called that was closed, a reply is of that one if its run began before.
func (rm *room) over(reply *event.Reply) bool {
	began := factsSince(reply)
	switch {
	case rm.air.Before(reply.BroadcastID):
		return true
	case !rm.air.Closed:
		return false
	case rm.air.Over(reply.BroadcastID):
		return began < rm.sinceMs+lastRunsMs
	default:
		return rm.air.ID == "" && began < rm.sinceMs
	}
}

// lastRunsMs is the room time after a closing in which no run begins any more: what is
// answered later was asked in a room that is open. The aggregator, which corrects the
// clocks of sources, knows of an opening that looks here as if it were of before.
const lastRunsMs = 60_000

// outdated reports whether a reply that was heard, or is being said, is no longer right and
// stands for no other. A number of stock that moved since does not make it so.
func (rm *room) outdated(reply *event.Reply) bool {
	return rm.stale(reply.Facts, "", factsSince(reply))
}

func (rm *room) staleReply(reply *event.Reply) bool {
	text := ""
	if reply.Public != nil {
		text = reply.Public.Text
	}
	return rm.stale(reply.Facts, text, factsSince(reply))
}

// factsSince is when the run began that stated the reply's facts.
func factsSince(reply *event.Reply) int64 { return reply.CreatedMs - reply.Timing.RunMs }

// speechQueuedMs is how long the voice is busy with what it has.
func (rm *room) speechQueuedMs(nowMs int64) int64 {
	waiting := rm.queue.Waiting().Milliseconds()
	if rm.now != nil {
		waiting += max(rm.freeAtMs-nowMs, 0)
	}
	return waiting
}

// event applies a room event and cancels what it makes wrong.
func (rm *room) event(e *event.RoomEvent, loggedMs, nowMs int64) (pl plan) {
	rm.observe(e, loggedMs)
	switch e.Kind {
	case event.DanmakuRetracted:
		for _, it := range rm.queue.Take(func(q queued) bool { return q.Value.retract(&pl, e.DanmakuID) }) {
			rm.cancel(&pl, it, reasonRetracted, nowMs)
		}
	case event.RoomClosed, event.RoomOpened:
		for _, it := range rm.queue.Take(func(q queued) bool { return rm.over(&q.Value.job.reply) }) {
			rm.closedOn(&pl, it, nowMs)
		}
	case event.ProductChanged, event.ProductDelisted:
		for _, it := range rm.queue.Take(func(q queued) bool { return rm.staleReply(&q.Value.job.reply) }) {
			rm.handBack(&pl, it, nowMs)
		}
		if rm.now != nil && rm.outdated(&rm.now.job.reply) {
			rm.routeFollowers(&pl, rm.now, nowMs)
		}
	default:
	}
	return pl
}

// retract takes the danmaku out of the item and its followers; true when nobody
// waits for the item any more.
func (it *item) retract(pl *plan, id event.DanmakuID) bool {
	for _, o := range it.split(func(o *owed) bool { return o.member.DanmakuID == id }) {
		pl.end(o, event.Retracted, reasonRetracted)
	}
	for _, f := range it.followers {
		f.retract(pl, id)
	}
	return len(it.owed) == 0 && !it.event()
}

// cancel records that the item will not be heard, lets its followers try
// themselves, and lets go of an event window.
func (rm *room) cancel(pl *plan, it *item, reason string, nowMs int64) {
	pl.deliver(rm, spokenDelivery(it, rm.d.voice(), event.DeliveryCancelled, reason, nowMs))
	rm.leave(pl, it, nowMs)
}

// leave is for an item that is out of the queue and will not be heard.
func (rm *room) leave(pl *plan, it *item, nowMs int64) {
	if it.event() {
		pl.release = append(pl.release, it.job)
	}
	rm.routeFollowers(pl, it, nowMs)
}

// routeFollowers lets those who were to hear the item try themselves.
func (rm *room) routeFollowers(pl *plan, it *item, nowMs int64) {
	followers := it.followers
	it.followers = nil
	for _, f := range followers {
		rm.route(pl, f, nowMs)
	}
}

func (rm *room) closedOn(pl *plan, it *item, nowMs int64) {
	rm.cancel(pl, it, reasonRoomClosed, nowMs) // followers are routed to the same end
	for _, o := range it.owed {
		pl.end(o, event.Suppressed, reasonRoomClosed)
	}
	it.owed = nil
}

// handBack cancels an item whose facts changed, with one delivery for each reply it
// has danmaku of: the aggregator and a restart look them up by reply.
func (rm *room) handBack(pl *plan, it *item, nowMs int64) {
	var jobs []*job
	byJob := map[*job][]*owed{}
	for _, o := range it.owed {
		if byJob[o.job] == nil {
			jobs = append(jobs, o.job)
		}
		byJob[o.job] = append(byJob[o.job], o)
	}
	it.owed = nil
	for _, j := range jobs {
		dl := delivery(&j.reply, rm.d.voice(), event.DeliveryCancelled, reasonStaleFact, it.heard, nowMs)
		rm.returnOrExpire(pl, byJob[j], dl, nowMs)
	}
	if it.event() {
		pl.deliver(rm, delivery(&it.job.reply, rm.d.voice(), event.DeliveryCancelled, reasonStaleFact, it.heard, nowMs))
	}
	rm.leave(pl, it, nowMs)
}

// returnOrExpire names in the cancelled delivery the danmaku that may still be
// asked again: from then on they are the aggregator's. The others end here.
func (rm *room) returnOrExpire(pl *plan, list []*owed, dl event.Delivery, nowMs int64) {
	dl.DanmakuIDs, dl.StaleFact = nil, false
	for _, o := range list {
		if o.member.AnswerByMs < nowMs {
			pl.end(o, event.Expired, reasonStaleFact)
			continue
		}
		dl.DanmakuIDs, dl.StaleFact = append(dl.DanmakuIDs, o.member.DanmakuID), true
		delete(rm.pending, o.member.DanmakuID) // its next answer is not this one's to wait for
		pl.end(o, "", reasonStaleFact)
	}
	pl.deliver(rm, dl)
}

// privateDelivery is a state of the private text to the danmaku's asker.
func (rm *room) privateDelivery(o *owed, state event.DeliveryState, reason, text string, nowMs int64) event.Delivery {
	outlet := ChannelPrivate
	if p := rm.d.deps.Outlets.Private; p != nil {
		outlet = p.Name()
	}
	dl := delivery(&o.job.reply, outlet, state, reason, text, nowMs)
	dl.DeliveryID = deliveryID(&o.job.reply, outlet, o.member.DanmakuID)
	dl.Channel, dl.ViewerID, dl.SpeakByMs = event.Private, o.member.ViewerID, o.member.SpeakByMs
	dl.DanmakuIDs = []event.DanmakuID{o.member.DanmakuID}
	return dl
}
