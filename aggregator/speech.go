package aggregator

// speech is how much is waiting to be spoken in the room, as the dispatcher said
// last; it is spoken as time passes.
type speech struct {
	queuedMs int64
	atMs     int64
}

func (s *speech) heard(d delivery) {
	if d.TimeMs >= s.atMs {
		s.queuedMs, s.atMs = d.SpeechQueuedMs, d.TimeMs
	}
}

func (s *speech) queuedAt(nowMs int64) int64 { return max(0, s.queuedMs-max(0, nowMs-s.atMs)) }

// holdUntil is when a window may open again in a room that can only speak: no
// sooner than the queue has become short.
func (r *room) holdUntil(nowMs int64) int64 {
	if r.context.settings.PrivateText {
		return 0
	}
	over := r.speech.queuedAt(nowMs) - r.cfg().HoldSpeech.Milliseconds()
	if over <= 0 {
		return 0
	}
	return nowMs + over
}
