package outlet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// Clip is one sentence's audio.
type Clip struct {
	WAV    []byte        // empty when the sentence is only shown
	Length time.Duration // room time for which it occupies the voice
}

// Synthesiser makes audio. It is safe for concurrent use.
type Synthesiser interface {
	// Name is stable: the voice is known by it.
	Name() string
	Synthesise(ctx context.Context, s dispatcher.Sentence, language string) (Clip, error)
}

// Sink is one place where a room's voice is heard or seen. It is safe for concurrent
// use by different rooms; a room's cues come one after another.
type Sink interface {
	Name() string
	// Emit hands a cue on; clip is the audio of a sentence, else empty.
	Emit(ctx context.Context, cue event.SpeechCue, clip Clip) error
}

// Voice is a dispatcher.Outlet: it synthesises sentence by sentence, the next while one
// is played, and tells its sinks, all at the same time, what is heard when.
type Voice struct {
	clock *clock.Clock
	log   *slog.Logger
	synth Synthesiser
	sinks []Sink
	floor *Floor
}

var _ dispatcher.Outlet = (*Voice)(nil)

const (
	emitTimeout = 2 * time.Second        // wall time for a sink to take a cue
	stopTimeout = 200 * time.Millisecond // the same for falling silent
	longestWait = 10 * time.Second       // room time that speech waits for the floor to be given back
	renewEvery  = time.Second            // wall time after which the turn is renewed meanwhile; leases last some seconds
)

// NewVoice speaks with synth into the sinks. floor says who else is speaking; it may be
// nil.
func NewVoice(c *clock.Clock, log *slog.Logger, synth Synthesiser, floor *Floor, sinks ...Sink) *Voice {
	return &Voice{clock: c, log: log, synth: synth, sinks: sinks, floor: floor}
}

// With is the same voice heard in more places.
func (v *Voice) With(floor *Floor, sinks ...Sink) *Voice {
	more := *v
	more.sinks = append(append([]Sink(nil), v.sinks...), sinks...)
	if floor != nil {
		more.floor = floor
	}
	return &more
}

// Name is the synthesiser's.
func (v *Voice) Name() string { return v.synth.Name() }

// errNoAudio is a sentence that would be silence, and count as heard.
var errNoAudio = fault.Errorf(fault.Invalid, "outlet: no audio")

// errTooLong is audio that would outlast the time for which the voice is ours.
var errTooLong = fault.Errorf(fault.Invalid, "outlet: the audio is longer than the voice may speak")

// errFloorKept ends speech that was interrupted and got no floor again.
var errFloorKept = fault.Errorf(fault.Unavailable, "outlet: somebody else kept the floor")

// Speak implements dispatcher.Outlet. A sentence that somebody else cut off is begun
// anew when the floor is free again.
func (v *Voice) Speak(ctx context.Context, u dispatcher.Utterance) (spoken dispatcher.Spoken, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if len(u.Sentences) == 0 {
		u.Sentences = []dispatcher.Sentence{{Text: u.Text, Spoken: u.Spoken, Length: u.Length}}
	}
	next := v.synthesise(ctx, u, 0)
	for i := range u.Sentences {
		clip, err := v.ready(ctx, u, next, spoken.FirstAudioMs == 0)
		if err != nil {
			return v.fallSilent(ctx, u, i, spoken), err
		}
		if i+1 < len(u.Sentences) {
			next = v.synthesise(ctx, u, i+1)
		}
		if err := v.play(ctx, u, i, clip, &spoken); err != nil {
			return v.fallSilent(ctx, u, i, spoken), err
		}
		spoken.Sentences++
	}
	_ = v.emit(ctx, v.cue(u, len(u.Sentences)-1, event.CueEnd, Clip{}), Clip{}) // all was heard, whoever knows
	return spoken, nil
}

type synthesised struct {
	clip Clip
	err  error
}

// synthesise begins with a sentence; its result waits on the channel.
func (v *Voice) synthesise(ctx context.Context, u dispatcher.Utterance, i int) <-chan synthesised {
	done := make(chan synthesised, 1)
	go func() {
		clip, err := v.synth.Synthesise(ctx, u.Sentences[i], u.Language)
		done <- synthesised{clip, err}
	}()
	return done
}

// ready waits for the audio and the floor: for the first sentence no longer than it may
// begin.
func (v *Voice) ready(ctx context.Context, u dispatcher.Utterance, next <-chan synthesised, first bool) (Clip, error) {
	if err := ctx.Err(); err != nil {
		return Clip{}, err
	}
	limit := longestWait
	if first {
		if limit = time.Duration(u.SpeakByMs-v.clock.NowMs()) * time.Millisecond; limit < 0 {
			return Clip{}, dispatcher.ErrLate
		}
	}
	limited, cancel := v.clock.WithTimeout(ctx, limit+time.Millisecond)
	defer cancel()
	if first && u.Open != nil {
		defer context.AfterFunc(u.Open, cancel)()
	}
	over := func() error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case first:
			return dispatcher.ErrLate
		}
		return errFloorKept
	}
	var got synthesised
	select {
	case got = <-next:
	case <-limited.Done():
		return Clip{}, over()
	}
	switch {
	case got.err != nil:
		return Clip{}, got.err
	case got.clip.Length <= 0:
		return Clip{}, errNoAudio
	}
	if err := v.awaitFloor(limited, u); errors.Is(err, dispatcher.ErrFenced) {
		return Clip{}, err
	} else if err != nil {
		return Clip{}, over()
	}
	return got.clip, nil
}

// awaitFloor returns when the floor is free, or with the error of ctx. The turn goes on
// meanwhile, and is whole again after that.
func (v *Voice) awaitFloor(ctx context.Context, u dispatcher.Utterance) error {
	for waited := false; ; waited = true {
		limited, cancel := clock.WithWallTimeout(ctx, renewEvery)
		err := v.floor.await(limited, u.RoomID)
		cancel()
		if err == nil && !waited || ctx.Err() != nil {
			return ctx.Err()
		}
		switch renewed := u.Turn.Renew(ctx); {
		case errors.Is(renewed, dispatcher.ErrFenced):
			return renewed
		case renewed != nil && ctx.Err() == nil:
			v.log.Warn("the turn was not renewed while somebody else has the floor", "room_id", u.RoomID, "err", renewed)
		}
		if err == nil {
			return ctx.Err()
		}
	}
}

// play emits a sentence and waits for its length.
func (v *Voice) play(ctx context.Context, u dispatcher.Utterance, i int, clip Clip, spoken *dispatcher.Spoken) error {
	for begun := 1; ; begun++ {
		cue := v.cue(u, i, event.CueSentence, clip)
		if spoken.FirstAudioMs == 0 && cue.AtMs > u.SpeakByMs { // the time that is recorded: nothing lies between
			return dispatcher.ErrLate
		}
		// A sentence that was begun plays to its end even if this process dies, and a process that
		// was stopped for a while may find its time over before its context says so.
		if u.Turn.Left() < v.clock.Wall(clip.Length) {
			return errTooLong
		}
		if begun > 1 {
			cue.CueID += fmt.Sprint("/", begun)
		}
		if err := v.emit(ctx, cue, clip); err != nil {
			return err
		}
		if spoken.FirstAudioMs == 0 {
			spoken.FirstAudioMs = cue.AtMs
		}
		cut, err := v.last(ctx, u.RoomID, clip.Length)
		spoken.EndMs = max(v.clock.NowMs(), cue.AtMs)
		if err != nil || !cut {
			return err
		}
		_ = v.emit(ctx, v.cue(u, i, event.CueStop, Clip{}), Clip{}) // logged; the floor's new holder is heard anyway
		limited, cancel := v.clock.WithTimeout(ctx, longestWait)
		err = v.awaitFloor(limited, u)
		cancel()
		switch {
		case errors.Is(err, dispatcher.ErrFenced):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return errFloorKept
		}
	}
}

// last waits for length; cut when somebody took the floor before.
func (v *Voice) last(ctx context.Context, room event.RoomID, length time.Duration) (cut bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer v.floor.whenTaken(room, func() { cancel(errFloorKept) })()
	if err := v.clock.Sleep(ctx, length); err != nil {
		if errors.Is(context.Cause(ctx), errFloorKept) {
			return true, nil
		}
		return false, err
	}
	return false, nil
}

// fallSilent tells the sinks when something was begun; the caller's context may have
// ended.
func (v *Voice) fallSilent(ctx context.Context, u dispatcher.Utterance, i int, spoken dispatcher.Spoken) dispatcher.Spoken {
	if spoken.FirstAudioMs == 0 {
		return spoken
	}
	ctx, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	_ = v.emit(ctx, v.cue(u, i, event.CueStop, Clip{}), Clip{}) // logged; there is nothing else to be done
	spoken.EndMs = max(v.clock.NowMs(), spoken.FirstAudioMs)
	return spoken
}

func (v *Voice) cue(u dispatcher.Utterance, i int, kind event.CueKind, clip Clip) event.SpeechCue {
	c := event.SpeechCue{
		Schema: event.SchemaVersion, CueID: fmt.Sprintf("%s/%d/%s", u.DeliveryID, i+1, kind), Kind: kind,
		DeliveryID: u.DeliveryID, RoomID: u.RoomID, Fence: u.Fence, Seq: i + 1, Of: len(u.Sentences), AtMs: v.clock.NowMs(),
	}
	if kind == event.CueSentence {
		s := u.Sentences[i]
		c.Text, c.Spoken, c.Language, c.LengthMs = s.Text, s.Spoken, u.Language, clip.Length.Milliseconds()
	}
	return c
}

// emit hands the cue to every sink at the same time. One place that does not hear does
// not silence the others, but one that knows a later owner of the room does.
func (v *Voice) emit(ctx context.Context, cue event.SpeechCue, clip Clip) error {
	ctx, cancel := clock.WithWallTimeout(ctx, emitTimeout)
	defer cancel()
	errs := make([]error, len(v.sinks))
	var all sync.WaitGroup
	for i, s := range v.sinks {
		all.Go(func() { errs[i] = s.Emit(ctx, cue, clip) })
	}
	all.Wait()
	taken := false
	for i, err := range errs {
		if err == nil {
			taken = true
		} else if !errors.Is(err, context.Canceled) {
			v.log.Warn("a sink did not take a cue", "sink", v.sinks[i].Name(), "kind", string(cue.Kind), "room_id", cue.RoomID, "err", err)
		}
	}
	switch err := errors.Join(errs...); {
	case errors.Is(err, dispatcher.ErrFenced):
		return fmt.Errorf("outlet: %w", dispatcher.ErrFenced)
	case !taken:
		return fault.Errorf(fault.Unavailable, "outlet: no sink took a cue: %w", err)
	}
	return nil
}
