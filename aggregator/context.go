package aggregator

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"livehost/aggregator/text"
	"livehost/streams/event"
)

// The bounds of a room's memory and of a snapshot of it, which is at most about
// 2 kB.
const (
	maxFocus          = 32
	maxUtterances     = 3
	maxUtteranceRunes = 50
	maxSnapshotTurns  = 3
	maxTurnRunes      = 60
	maxPaid           = 500
	maxSnapshotPaid   = 8
	snapshotBytes     = 2048
)

// roomContext is what the agent is told about the room, by event time.
type roomContext struct {
	settings   event.RoomSettings
	settingsMs int64
	air        event.OnAir
	merchantID event.MerchantID

	focus      []focus // ascending time
	links      map[event.LinkID]event.ProductID
	utterances []utterance // ascending time
	turns      dialogue
	payers     []payer
}

type payer struct {
	hash   uint64
	viewer event.ViewerID
}

type focus struct {
	ms      int64
	link    event.LinkID
	product event.ProductID
}

type utterance struct {
	id   string
	ms   int64
	text string
}

func newRoomContext(s event.RoomSettings) roomContext {
	return roomContext{settings: s, links: map[event.LinkID]event.ProductID{}}
}

// apply takes a room event. It reports whether something worth keeping changed, and whether
// another broadcast has begun, in which nothing of the one before is left.
func (c *roomContext) apply(e event.RoomEvent) (changed, anew bool) {
	if e.Kind == event.RoomSettingsSet { // the room's, whatever the broadcast
		c.set(e)
		return true, false
	}
	past, anew := c.air.Take(&e)
	if past {
		return e.Kind == event.RoomClosed, false // what is over is worth keeping
	}
	if anew {
		c.begin(e.MerchantID)
	}
	switch e.Kind {
	case event.RoomOpened:
		c.merchant(e.MerchantID)
		c.set(e)
	case event.RoomClosed:
		c.merchant(e.MerchantID)
	case event.ProductListed:
		c.links[own(e.LinkID)] = own(e.ProductID)
	case event.ProductDelisted:
		delete(c.links, e.LinkID)
	case event.ProductInFocus:
		c.focusOn(focus{e.TimeMs, own(e.LinkID), own(e.ProductID)})
	case event.HostUtterance:
		c.hear(e)
	default:
		return anew, anew
	}
	return true, anew
}

// begin is for the next broadcast: what was said and shown in the one before is over.
func (c *roomContext) begin(m event.MerchantID) {
	fresh := newRoomContext(c.settings)
	fresh.settingsMs, fresh.air, fresh.merchantID = c.settingsMs, c.air, c.merchantID
	fresh.focus = slices.DeleteFunc(c.focus, func(f focus) bool { return f.ms < c.air.OpenedMs })
	fresh.utterances = slices.DeleteFunc(c.utterances, func(u utterance) bool { return u.ms < c.air.OpenedMs })
	*c = fresh
	c.merchant(m)
}

// named is the broadcast if it is the one that is on or one before, else "".
func (c *roomContext) named(b event.BroadcastID) event.BroadcastID {
	if b == c.air.ID {
		return c.air.ID
	}
	if at := slices.Index(c.air.Ended, b); at >= 0 {
		return c.air.Ended[at]
	}
	return ""
}

// concerned are the links of which answers may be wrong after the event, before it is
// applied: one product may have several, and a link may get another product.
func (c *roomContext) concerned(e event.RoomEvent) (links []event.LinkID) {
	switch e.Kind {
	case event.ProductListed:
		if product, listed := c.links[e.LinkID]; !listed || product != e.ProductID {
			links = append(links, e.LinkID)
		}
	case event.ProductChanged, event.ProductDelisted:
		if e.LinkID != "" {
			links = append(links, e.LinkID)
		}
		product := cmp.Or(e.ProductID, c.links[e.LinkID])
		for link, p := range c.links {
			if p == product && p != "" && link != e.LinkID {
				links = append(links, link)
			}
		}
	}
	return links
}

func (c *roomContext) set(e event.RoomEvent) {
	if e.Settings == nil || e.TimeMs < c.settingsMs {
		return
	}
	c.settings, c.settingsMs = *e.Settings, e.TimeMs
	if c.settings.Language != text.English {
		c.settings.Language = text.Chinese
	}
}

func (c *roomContext) merchant(m event.MerchantID) {
	if m != "" && m != c.merchantID {
		c.merchantID = own(m)
	}
}

func (c *roomContext) focusOn(f focus) {
	if f.product == "" {
		f.product = c.links[f.link]
	}
	at, same := slices.BinarySearchFunc(c.focus, f, func(a, b focus) int { return int(a.ms - b.ms) })
	if same {
		c.focus[at] = f
	} else {
		c.focus = slices.Insert(c.focus, at, f)
	}
	if over := len(c.focus) - maxFocus; over > 0 {
		c.focus = slices.Delete(c.focus, 0, over)
	}
}

// focusAt is the product that was in focus at ms.
func (c *roomContext) focusAt(ms int64) (event.LinkID, event.ProductID) {
	for i := len(c.focus) - 1; i >= 0; i-- {
		if f := c.focus[i]; f.ms <= ms {
			return f.link, f.product
		}
	}
	return "", ""
}

func (c *roomContext) hear(e event.RoomEvent) {
	u := utterance{own(e.EventID), e.TimeMs, own(text.Truncate(e.Text, maxUtteranceRunes))}
	same := func(x utterance) bool { return x.id == u.id || x.id == "" && x.text == u.text } // a recalled one has no id
	if slices.ContainsFunc(c.utterances, same) {
		return
	}
	c.utterances = append(c.utterances, u)
	slices.SortStableFunc(c.utterances, func(a, b utterance) int { return int(a.ms - b.ms) })
	if over := len(c.utterances) - maxUtterances; over > 0 {
		c.utterances = slices.Delete(c.utterances, 0, over)
	}
}

func (c *roomContext) paid(v event.ViewerID) bool {
	h := hashOf(v)
	if v.Anonymous() || slices.ContainsFunc(c.payers, func(p payer) bool { return p.hash == h }) {
		return false
	}
	if c.payers = append(c.payers, payer{h, own(v)}); len(c.payers) > maxPaid {
		c.payers = slices.Delete(c.payers, 0, 1)
	}
	return true
}

// own is s without the longer text that it may be a part of, for what is kept long.
func own[S ~string](s S) S { return S(strings.Clone(string(s))) }

// ownAll is own of several strings, which share the memory.
func ownAll(strs ...*string) {
	n := 0
	for _, s := range strs {
		n += len(*s)
	}
	var b strings.Builder
	b.Grow(n)
	for _, s := range strs {
		b.WriteString(*s)
	}
	rest := b.String()
	for _, s := range strs {
		*s, rest = rest[:len(*s)], rest[len(*s):]
	}
}

// remember notes what a viewer asked and was told.
func (r *room) remember(d delivery) {
	switch d.State {
	case event.DeliveryStarted, event.DeliveryEnded, event.DeliverySent, event.DeliveryInterrupted:
	default:
		return
	}
	answer, delivery := "", hashOf(d.DeliveryID)
	for _, id := range d.DanmakuIDs {
		it := r.items[id]
		if it == nil || d.Channel == event.Private && d.ViewerID != it.member.ViewerID {
			continue
		}
		if answer == "" {
			answer = own(text.Truncate(d.Text, maxTurnRunes))
		}
		heard := event.Turn{Answer: answer, Private: d.Channel == event.Private, TimeMs: d.TimeMs}
		if !it.member.ViewerID.Anonymous() && !r.ofBefore(it) {
			r.context.turns.add(turnOf(it, delivery, heard))
		}
		if d.Channel == event.Public {
			it.delivery = delivery
			for _, j := range it.joined {
				r.noteMerged(j, delivery, heard)
			}
		}
	}
}

// snapshot is what the agent is told with a window of these danmaku, in memory that
// may have been one before.
func (r *room) snapshot(was event.ContextSnapshot, items []*item, nowMs int64) event.ContextSnapshot {
	c := &r.context
	at := nowMs
	if len(items) > 0 {
		at = items[0].member.PlatformMs
	}
	s := event.ContextSnapshot{
		Settings: c.settings, ListedLinks: len(c.links), SpeechQueuedMs: r.speech.queuedAt(nowMs), WaitingDanmaku: len(r.waiting),
	}
	s.FocusLink, s.FocusProduct = c.focusAt(at)
	s.HostUtterances = was.HostUtterances[:0]
	for _, u := range c.utterances {
		s.HostUtterances = append(s.HostUtterances, u.text)
	}
	var few [someItems]uint64
	viewers := few[:0]
	for _, it := range items {
		viewers = append(viewers, hashOf(it.member.ViewerID))
	}
	s.Dialogue = c.turns.of(was.Dialogue[:0], viewers, maxSnapshotTurns)
	for _, p := range c.payers {
		if len(s.PaidViewers) < maxSnapshotPaid && slices.Contains(viewers, p.hash) {
			s.PaidViewers = append(s.PaidViewers, p.viewer)
		}
	}
	return bounded(s)
}

// bounded drops the oldest dialogue and utterances until the snapshot is small.
func bounded(s event.ContextSnapshot) event.ContextSnapshot {
	for size(s) > snapshotBytes {
		switch {
		case len(s.Dialogue) > 1:
			s.Dialogue = s.Dialogue[1:]
		case len(s.HostUtterances) > 0:
			s.HostUtterances = s.HostUtterances[1:]
		case len(s.Dialogue) > 0:
			s.Dialogue = nil
		default:
			return s
		}
	}
	return s
}

// size estimates the snapshot's JSON.
func size(s event.ContextSnapshot) int {
	n := 320 + len(s.Settings.HostName) + len(s.Settings.CatalogID) + len(s.FocusLink) + len(s.FocusProduct)
	for _, u := range s.HostUtterances {
		n += len(u) + 3
	}
	for _, t := range s.Dialogue {
		n += 60 + len(t.ViewerID) + len(t.Question) + len(t.Answer)
	}
	for _, v := range s.PaidViewers {
		n += len(v) + 3
	}
	return n
}

// state is the room's record of room-state.v1, which is written while the room goes on.
func (r *room) state(readBack map[string]int64, nowMs int64) event.RoomState {
	c := &r.context
	s := r.snapshot(event.ContextSnapshot{}, nil, nowMs)
	s.SpeechQueuedMs, s.WaitingDanmaku = 0, 0
	for t := range c.turns.backward() { // the latest, as many as a snapshot holds
		if s.Dialogue = append(s.Dialogue, *t); size(s) > snapshotBytes {
			s.Dialogue = s.Dialogue[:len(s.Dialogue)-1]
			break
		}
	}
	slices.Reverse(s.Dialogue)
	for _, p := range c.payers {
		s.PaidViewers = append(s.PaidViewers, p.viewer)
	}
	air := c.air
	var openedOf *event.BroadcastID
	if air.Opened != air.ID {
		openedOf = &air.Opened
	}
	return event.RoomState{
		Schema: event.SchemaVersion, RoomID: r.id, BroadcastID: air.ID, MerchantID: c.merchantID, Context: s,
		Links: maps.Clone(c.links), ReadBack: readBack, OpenedMs: air.OpenedMs, Closed: air.Closed, TimeMs: nowMs,
		BroadcastsEnded: slices.Clone(air.Ended), BroadcastOpened: openedOf, ClosedMs: air.ClosedMs, ClocksSlowMs: r.offsets(),
	}
}

// recall starts the context from a record of room-state.v1.
func (c *roomContext) recall(s event.RoomState) {
	c.settings, c.merchantID = s.Context.Settings, s.MerchantID
	c.air = event.OnAir{ID: s.BroadcastID, Opened: s.BroadcastID, OpenedMs: s.OpenedMs, Closed: s.Closed, Ended: s.BroadcastsEnded}
	if s.BroadcastOpened != nil {
		c.air.Opened = *s.BroadcastOpened
	}
	if s.BroadcastBefore != "" { // an older release's
		c.air.Ended = []event.BroadcastID{s.BroadcastBefore}
	}
	if s.Closed {
		c.air.ClosedMs = cmp.Or(s.ClosedMs, s.TimeMs)
	}
	if s.Context.FocusLink != "" {
		c.focus = []focus{{0, s.Context.FocusLink, s.Context.FocusProduct}}
	}
	for link, product := range s.Links {
		c.links[link] = product
	}
	for _, u := range s.Context.HostUtterances {
		c.utterances = append(c.utterances, utterance{text: u})
	}
	for _, t := range s.Context.Dialogue {
		c.turns.add(turnKey{viewer: hashOf(t.ViewerID)}, t)
	}
	for _, v := range s.Context.PaidViewers {
		c.paid(v)
	}
}
