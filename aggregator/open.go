package aggregator

import (
	"iter"
	"slices"
	"strconv"
	"time"

	"livehost/aggregator/admission"
	"livehost/aggregator/intent"
	"livehost/aggregator/window"
	"livehost/streams/event"
)

// open does everything the moment allows: ends what is due, sheds what cannot be
// answered, opens windows where there is room.
func (r *room) open(nowMs int64) {
	r.endDue(nowMs)
	for len(r.waiting) > 0 && r.pass(nowMs) { // who joined one that was shed may be next
	}
	if len(r.waiting) == 0 {
		r.thank(nowMs)
	}
}

// pass goes over the waiting danmaku once and reports whether that changed them.
func (r *room) pass(nowMs int64) (changed bool) {
	mode := window.Mode(len(r.waiting))
	hold := r.holdUntil(nowMs)
	var few [2]event.Variant
	for _, v := range r.variantsWaiting(few[:0]) {
		lines := r.lines(v, nowMs)
		for _, chat := range []bool{false, true} {
			line := lines.of(chat)
			n := len(*line)
			if n == 0 {
				continue
			}
			once := int64(0)
			if chat {
				once = r.chatPlaceMs(v, &lines, max(hold, nowMs), nowMs)
			}
			*line = r.shed(*line, r.freeAt(v, chat, len(*lines.of(!chat)), max(hold, nowMs), nowMs), once, hold, nowMs)
			changed = changed || len(*line) < n
		}
		for hold <= nowMs && r.free(v, nowMs) > 0 {
			chat, ok := r.next(lines, v, nowMs)
			if !ok {
				break
			}
			if chat {
				delete(r.passed, v)
			}
			line := lines.of(chat)
			*line = r.openWindow(*line, mode, nowMs)
			changed = true
		}
	}
	return changed
}

// lines is the variant's waiting danmaku in admission order, chat (true) and
// questions (false) each in a line of its own.
type lines struct{ chat, questions []*item }

func (l *lines) of(chat bool) *[]*item {
	if chat {
		return &l.chat
	}
	return &l.questions
}

func (r *room) lines(v event.Variant, nowMs int64) (out lines) {
	items := r.ordered(v, nowMs)
	if len(items) == 1 { // nearly always
		*out.of(items[0].chat()) = items
		return out
	}
	for _, it := range items {
		l := out.of(it.chat())
		*l = append(*l, it)
	}
	return out
}

func (it *item) chat() bool { return !it.reading.Asks() }

// next says which line has the next window. Questions go first. While they all fit
// into one window and another of theirs is under way, the chat that is due gets
// the other place; else only when its turn has come.
func (r *room) next(l lines, v event.Variant, nowMs int64) (chat, ok bool) {
	chats, others := 0, 0 // in flight
	for _, f := range r.flights {
		switch {
		case f.variant != v || !r.inFlight(f, nowMs):
		case f.chat:
			chats++
		default:
			others++
		}
	}
	fill := window.Fill{Members: r.cfg().MaxMembers, WaitMs: r.cfg().ChatFill.Milliseconds()}
	pressed := len(l.questions)*4 > 3*r.cfg().MaxMembers // they nearly fill a window of their own
	var few [someItems]window.Candidate
	due := fill.Due(candidates(few[:0], l.chat), chats+others == 0, pressed, nowMs)
	switch questions := len(l.questions); {
	case questions == 0:
		return true, due
	case due && questions <= r.cfg().MaxMembers:
		return chats == 0 && others > 0, true
	case pressed && chats == 0:
		turn := r.chatTurnMs(v, l.chat, nowMs)
		return turn > 0 && turn <= nowMs, true
	default:
		return false, true
	}
}

// endDue ends what ran out of time.
func (r *room) endDue(nowMs int64) {
	var few [someItems]*item
	for _, it := range append(few[:0], r.waiting...) { // ending one changes the list
		switch {
		case it.place != waiting: // ended with another of them
		case it.doom != nil:
			r.end(it, it.doom.state, it.doom.reason, nowMs)
		case nowMs > it.member.AnswerByMs:
			r.end(it, event.Expired, reasonWaited, nowMs)
		case r.context.air.Closed:
			r.end(it, event.Shed, reasonClosed, nowMs)
		}
	}
	r.endMerged(nowMs)
	r.flights = slices.DeleteFunc(r.flights, func(f *flight) bool { return f.event && !r.inFlight(f, nowMs) })
}

// endMerged ends who joined a cover that never came to an end.
func (r *room) endMerged(nowMs int64) {
	var lost []*item
	for c := range r.flyingCovers() {
		if nowMs > c.joined[0].member.AnswerByMs+coverGraceMs {
			lost = append(lost, c)
		}
	}
	for _, c := range lost {
		for len(c.joined) > 0 && nowMs > c.joined[0].member.AnswerByMs+coverGraceMs {
			r.end(c.joined[0], event.Expired, reasonCoverLost, nowMs)
		}
	}
}

// flyingCovers are the danmaku in windows that others have joined, also those that
// nobody may join any more.
func (r *room) flyingCovers() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		if r.merged == 0 {
			return
		}
		for _, f := range r.flights {
			for _, id := range f.open {
				if c := r.items[id]; c != nil && len(c.joined) > 0 && !yield(c) {
					return
				}
			}
		}
	}
}

// coverGraceMs is how long after its own answer_by a merged danmaku waits for its
// cover's outcome: the answer may be in time and still be spoken.
const coverGraceMs = 20_000

// variantsWaiting adds the variants in the order of their longest waiting danmaku.
func (r *room) variantsWaiting(out []event.Variant) []event.Variant {
	for _, it := range r.waiting {
		if v := it.variant.Variant; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// ordered is the variant's waiting danmaku in admission order.
func (r *room) ordered(v event.Variant, nowMs int64) []*item {
	items := make([]*item, 0, len(r.waiting))
	for _, it := range r.waiting {
		if it.variant.Variant == v {
			items = append(items, it)
		}
	}
	if len(items) == 1 {
		return items
	}
	order := admission.Order{StarveMs: r.cfg().Starve.Milliseconds(), PerViewer: r.cfg().PerViewer}
	out := make([]*item, len(items))
	for i, at := range order.Sort(candidates(nil, items), nowMs) {
		out[i] = items[at]
	}
	return out
}

// someItems is how many of a room's items are looked at without memory from the heap:
// few wait at a time.
const someItems = 8

// candidates adds the items, as admission looks at them, to out.
func candidates(out []window.Candidate, items []*item) []window.Candidate {
	out = slices.Grow(out, len(items))
	for _, it := range items {
		out = append(out, window.Candidate{
			Viewer: it.member.ViewerID, Key: it.member.Key, Class: it.reading.Class,
			PlatformMs: it.member.PlatformMs, AnswerByMs: it.member.AnswerByMs, Last: it.reading.Intent == intent.LowInfo,
		})
	}
	return out
}

// shed ends what no window can answer in time and returns the rest of a line.
func (r *room) shed(line []*item, freeAtMs []int64, onceMs, holdMs, nowMs int64) []*item {
	capacity := admission.Capacity{FreeAtMs: freeAtMs, OnceMs: onceMs, Members: r.cfg().MaxMembers, RunMs: r.runs.MedianMs(), SafeMs: r.runs.SafeMs()}
	var few [someItems]window.Candidate
	beyond := admission.Beyond(candidates(few[:0], line), capacity, nowMs)
	if len(beyond) == 0 {
		return line
	}
	kept := make([]*item, 0, len(line))
	for i, it := range line {
		if len(beyond) > 0 && beyond[0] == i {
			beyond = beyond[1:]
			r.end(it, event.Shed, r.shedReason(it, holdMs > nowMs), nowMs)
			continue
		}
		kept = append(kept, it)
	}
	return kept
}

func (r *room) shedReason(it *item, held bool) string {
	switch {
	case it.returned > 0:
		return reasonNotCovered
	case held:
		return reasonSpeech
	case it.chat():
		return reasonLowClass
	default:
		return reasonCapacity
	}
}

// freeAt is when the places that a line of the variant may use are expected to be
// free, when others wait in the other line: chat comes after questions that need
// more than a window, and has one place else.
func (r *room) freeAt(v event.Variant, chat bool, others int, fromMs, nowMs int64) []int64 {
	runMs, places := r.runs.MedianMs(), r.cfg().MaxPerVariant
	var few [someItems]int64
	own, rest := make([]int64, 0, places+len(r.flights)), few[:0] // those of its own windows first
	for _, f := range r.flights {
		if f.variant != v || !r.inFlight(f, nowMs) {
			continue
		}
		if at := max(fromMs, f.openedMs+runMs); f.chat == chat {
			own = append(own, at)
		} else {
			rest = append(rest, at)
		}
	}
	for len(own)+len(rest) < places {
		own = append(own, fromMs)
	}
	all := append(own, rest...)[:places]
	switch {
	case others == 0, places == 1, !chat && others > 0 && r.crowded(v):
		return all
	case !chat:
		return all[:places-1]
	case r.crowded(v):
		for i := range all {
			all[i] += runMs * int64(others) / int64(places*r.cfg().MaxMembers)
		}
		return all
	default:
		return all[:1]
	}
}

// crowded reports that the variant's waiting questions need more than a window.
func (r *room) crowded(v event.Variant) bool {
	n := 0
	for _, it := range r.waiting {
		if it.variant.Variant == v && !it.chat() {
			n++
		}
	}
	return n > r.cfg().MaxMembers
}

// inFlight reports whether a window takes a place: until its reply, all of its
// outcomes, or MaxInFlight after its earliest platform time.
func (r *room) inFlight(f *flight, nowMs int64) bool {
	return !f.replied && (len(f.open) > 0 || f.event) && nowMs < f.earliestMs+r.cfg().MaxInFlight.Milliseconds()
}

func (r *room) free(v event.Variant, nowMs int64) int {
	ofVariant, ofRoom := 0, 0
	for _, f := range r.flights {
		if r.inFlight(f, nowMs) {
			ofRoom++
			if f.variant == v {
				ofVariant++
			}
		}
	}
	return r.cfg().limits().Free(ofVariant, ofRoom)
}

// openWindow publishes one window of the first of ordered and returns the rest.
func (r *room) openWindow(ordered []*item, mode event.Mode, nowMs int64) []*item {
	if len(ordered) == 1 {
		r.fly(ordered, mode, nowMs)
		return nil
	}
	members := 1
	if mode == event.Multi {
		members = r.cfg().MaxMembers
	}
	picked := window.Pick(candidates(nil, ordered), members)
	taken := make([]*item, len(picked))
	for i, at := range picked {
		taken[i] = ordered[at]
	}
	rest := make([]*item, 0, len(ordered)-len(picked))
	for i, it := range ordered {
		if !slices.Contains(picked, i) {
			rest = append(rest, it)
		}
	}
	r.fly(taken, mode, nowMs)
	return rest
}

func (r *room) fly(taken []*item, mode event.Mode, nowMs int64) {
	head := taken[0]
	w := r.p.a.spare.take()
	members, was := w.Members, w.Context
	*w = event.Window{
		Schema: event.SchemaVersion, WindowID: r.windowID(head), RoomID: r.id, BroadcastID: r.context.air.ID, MerchantID: r.context.merchantID,
		Kind: event.DanmakuWindow, Mode: mode, Experiment: head.variant.Experiment, ExperimentVersion: head.variant.Version,
		Variant: head.variant.Variant, QuestionKey: head.member.Key, Intent: head.member.Intent, Class: head.reading.Class,
		Language: head.member.Language, OpenedMs: nowMs,
	}
	f := &flight{window: w.WindowID, variant: w.Variant, chat: head.chat(), open: make([]event.DanmakuID, 0, len(taken)), openedMs: nowMs}
	w.EarliestMs = head.member.PlatformMs
	w.Members = slices.Grow(members[:0], len(taken))
	for _, it := range taken {
		r.unlist(it)
		it.place, it.window, it.broadcast = flying, w.WindowID, w.BroadcastID
		it.windows++
		if it.member.Key != w.QuestionKey {
			w.QuestionKey = ""
		}
		if it.reading.Class < w.Class {
			w.Class = it.reading.Class
		}
		w.EarliestMs = min(w.EarliestMs, it.member.PlatformMs)
		f.open = append(f.open, it.member.DanmakuID)
		w.Members = append(w.Members, it.member)
	}
	w.AnswerByMs = w.EarliestMs + r.cfg().AnswerBy.Milliseconds()
	w.SpeakByMs = w.EarliestMs + r.cfg().SpeakBy.Milliseconds()
	w.Context = r.snapshot(was, taken, nowMs)
	f.earliestMs = w.EarliestMs
	r.launch(f)
	r.emit(w)
	r.p.a.stats.windows.Add(1)
}

// windowID names the window by its first member and how often that one was in a
// window: the same step of a room makes the same id again.
func (r *room) windowID(head *item) event.WindowID {
	return event.WindowID(string(r.id) + "." + string(head.member.DanmakuID) + "." + strconv.Itoa(head.windows+1))
}

// stamp measures the wait up to the publish.
func (r *room) stamp(events []event.Event) {
	for _, e := range events {
		w, ok := e.(*event.Window)
		if !ok {
			continue
		}
		for m := range w.Members {
			if it := r.items[w.Members[m].DanmakuID]; it != nil && !it.received.IsZero() {
				w.Members[m].WaitWallUs = time.Since(it.received).Microseconds()
			}
		}
	}
}

// schedule arms the room's timer for the next moment at which time alone changes
// something. One that is armed for an earlier one stays: it wakes the room for
// nothing, which costs less than to set it anew with every record.
func (r *room) schedule(nowMs int64) {
	next := r.nextMs(nowMs)
	if next == 0 || r.dueMs > nowMs && r.dueMs <= next {
		return
	}
	r.arm(next, nowMs)
}

// arm sets the timer, at ms of room time.
func (r *room) arm(ms, nowMs int64) {
	clk := r.p.a.deps.Clock
	r.dueMs = ms
	wait := time.Duration(ms-nowMs) * time.Millisecond
	if r.timer == nil {
		r.timer = clk.AfterFunc(wait, func() { r.p.wake(r) })
		return
	}
	r.timer.Reset(clk.Wall(wait))
}

// nextMs is that moment, 0 when there is none.
func (r *room) nextMs(nowMs int64) int64 {
	next := int64(0)
	at := func(ms int64) {
		if ms > nowMs && (next == 0 || ms < next) {
			next = ms
		}
	}
	runMs := r.runs.MedianMs()
	for _, it := range r.waiting {
		at(it.member.AnswerByMs - runMs + 1)
		at(it.member.AnswerByMs + 1)
		if it.doom != nil {
			at(nowMs + 1)
		}
		if it.chat() {
			at(it.member.PlatformMs + r.cfg().ChatFill.Milliseconds())
		}
	}
	for _, f := range r.flights {
		if r.inFlight(f, nowMs) && len(r.waiting) > 0 {
			at(f.earliestMs + r.cfg().MaxInFlight.Milliseconds())
		}
	}
	for c := range r.flyingCovers() {
		at(c.joined[0].member.AnswerByMs + coverGraceMs + 1)
	}
	if len(r.waiting) > 0 {
		at(r.holdUntil(nowMs))
	} else {
		at(r.thanks.dueMs(r.cfg()))
	}
	return next
}
