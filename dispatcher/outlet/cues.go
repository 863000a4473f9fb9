package outlet

import (
	"context"

	"livehost/streams"
	"livehost/streams/event"
)

// Cues is a Sink that publishes speech-cue.v1 for an avatar driver: what is said when,
// for how long, and when to stop. It carries no audio.
type Cues struct{ publisher streams.Publisher }

var _ Sink = Cues{}

// NewCues publishes with p.
func NewCues(p streams.Publisher) Cues { return Cues{publisher: p} }

// Name is "cues".
func (Cues) Name() string { return "cues" }

// Emit returns when the log has the cue.
func (c Cues) Emit(ctx context.Context, cue event.SpeechCue, _ Clip) error {
	return c.publisher.Publish(ctx, cue)
}
