package dispatcher

import (
	"slices"

	"livehost/streams/event"
)

// Platforms limit private text: the same text to the same viewer is refused for a while,
// and so is more than so many texts in a minute. A room keeps within its settings' limits
// by itself: what the platform refuses is lost, and asking too often costs more than a text.

const minuteMs = 60_000

// written is one private text that was sent, or has a time at which it will be.
type written struct {
	atMs   int64
	viewer event.ViewerID
	text   string
}

// write finds the first moment from nowMs on at which the platform takes the text, and
// keeps it. A reason says why there is none by byMs. What is written again to a newcomer goes
// at once or not at all, and leaves half of the room's minute to those who have no other
// answer.
func (rm *room) write(viewer event.ViewerID, text string, again bool, nowMs, byMs int64) (slot *written, reason string) {
	slot = &written{nowMs, viewer, text}
	if !rm.limited(nowMs) {
		return slot, ""
	}
	limits := &rm.settings
	toViewer := func(w *written) bool { return w.viewer == viewer }
	if slices.ContainsFunc(rm.writes, func(w *written) bool {
		return toViewer(w) && w.text == text && nowMs-w.atMs < limits.PrivateRepeatS*1000
	}) {
		return nil, reasonRepeat
	}
	perMinute := limits.PrivatePerMinute
	if again {
		if perMinute == 1 {
			return nil, reasonLimit
		}
		perMinute, byMs = perMinute/2, nowMs
	}
	slot.atMs = max(nowMs,
		rm.free(perMinute, func(*written) bool { return true }), rm.free(limits.PrivatePerViewerMinute, toViewer))
	if slot.atMs > byMs {
		return nil, reasonLimit
	}
	at, _ := slices.BinarySearchFunc(rm.writes, slot, func(a, b *written) int { return int(a.atMs - b.atMs) })
	rm.writes = slices.Insert(rm.writes, at, slot)
	return slot, ""
}

// limited reports whether the room has limits, and forgets what is past them.
func (rm *room) limited(nowMs int64) bool {
	limits := &rm.settings
	if limits.PrivateRepeatS == 0 && limits.PrivatePerMinute == 0 && limits.PrivatePerViewerMinute == 0 {
		rm.writes = nil
		return false
	}
	keepMs := max(limits.PrivateRepeatS*1000, minuteMs)
	rm.writes = slices.DeleteFunc(rm.writes, func(w *written) bool { return nowMs-w.atMs >= keepMs })
	return true
}

// free is when those of the texts that count leave room for one more within a minute.
func (rm *room) free(perMinute int64, counts func(*written) bool) int64 {
	if perMinute == 0 {
		return 0
	}
	for _, w := range slices.Backward(rm.writes) {
		if !counts(w) {
			continue
		}
		if perMinute--; perMinute == 0 {
			return w.atMs + minuteMs
		}
	}
	return 0
}

// unwrite forgets a text that was not sent.
func (rm *room) unwrite(slot *written) {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	rm.writes = slices.DeleteFunc(rm.writes, func(w *written) bool { return w == slot })
}
