package aggregator

import (
	"slices"

	"livehost/aggregator/intent"
	"livehost/streams/event"
)

// chatPassedMs is how long a variant's chat may be passed over while more questions wait
// than one window holds. Then it has one window, which is one of some thirty: half of the
// time would cost the busiest recorded minute a fortieth of what is served in it.
func (c *Config) chatPassedMs() int64 { return 4 * c.AnswerBy.Milliseconds() }

// chatTurnMs is when that is, 0 when no chat waits that says something: when it has been
// passed over for so long, and as late as the oldest can wait and be answered: others
// join it until then.
func (r *room) chatTurnMs(v event.Variant, chat []*item, nowMs int64) int64 {
	oldest := int64(0)
	for _, it := range chat {
		if at := it.member.PlatformMs; it.reading.Intent != intent.LowInfo && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	if oldest == 0 {
		return 0
	}
	if r.passed == nil {
		r.passed = map[event.Variant]int64{}
	}
	if r.passed[v] == 0 {
		r.passed[own(v)] = nowMs
	}
	cfg := r.cfg()
	wait := min(2*cfg.Starve.Milliseconds(), cfg.AnswerBy.Milliseconds()-2*r.runs.SafeMs())
	return max(r.passed[v]+cfg.chatPassedMs(), oldest+max(wait, cfg.ChatFill.Milliseconds()))
}

// chatPlaceMs is when a place is expected to be free for that window, 0 when there is
// none to wait for.
func (r *room) chatPlaceMs(v event.Variant, l *lines, fromMs, nowMs int64) int64 {
	if !r.crowded(v) {
		return 0
	}
	turn := r.chatTurnMs(v, l.chat, nowMs)
	if turn == 0 {
		return 0
	}
	return max(turn, slices.Min(r.freeAt(v, false, len(l.chat), fromMs, nowMs)))
}
