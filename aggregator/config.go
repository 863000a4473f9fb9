package aggregator

import (
	"errors"
	"fmt"
	"time"

	"livehost/aggregator/filter"
	"livehost/aggregator/window"
	"livehost/streams/event"
)

// Config is the aggregator's values. Durations are room time unless they say wall.
type Config struct {
	AnswerBy time.Duration `yaml:"answer_by"` // from the platform's time until reply.v1
	SpeakBy  time.Duration `yaml:"speak_by"`  // from the platform's time until first audio
	CoolDown time.Duration `yaml:"cool_down"` // how long a public answer covers the same question

	ChatCoolDown time.Duration `yaml:"chat_cool_down"` // the same for chat

	MaxMembers    int           `yaml:"max_members"`     // danmaku in one window
	MaxPerVariant int           `yaml:"max_per_variant"` // windows in flight of one room and variant
	MaxPerRoom    int           `yaml:"max_per_room"`    // windows in flight of one room
	MaxInFlight   time.Duration `yaml:"max_in_flight"`   // from a window's earliest platform time; then its place is free

	FirstRun   time.Duration `yaml:"first_run"`   // assumed run time until one is learned
	ChatFill   time.Duration `yaml:"chat_fill"`   // how long chat waits for its window to fill up, from its platform time
	Starve     time.Duration `yaml:"starve"`      // waiting this long is worth one class
	PerViewer  int           `yaml:"per_viewer"`  // each so many more of one viewer's waiting danmaku go down one more class
	HoldSpeech time.Duration `yaml:"hold_speech"` // speech queued above which a room without private text waits

	FloodBurst  int           `yaml:"flood_burst"`  // danmaku of one viewer at once
	FloodRefill time.Duration `yaml:"flood_refill"` // until one more is allowed

	Repeats   int           `yaml:"repeats"`    // times one viewer may say the same words ...
	RepeatsIn time.Duration `yaml:"repeats_in"` // ... in this time

	Words     string        `yaml:"words"`      // file of more words to filter, see filter.ParseLists; read again when it changes; "": none
	WordsPoll time.Duration `yaml:"words_poll"` // wall time between two looks at it

	Memory     time.Duration `yaml:"memory"`     // how long an id is known after it was seen
	MaxSkew    time.Duration `yaml:"max_skew"`   // clock offset of a source beyond which append times are taken
	Checkpoint time.Duration `yaml:"checkpoint"` // between two room-state.v1 of a changed room
	ThankEvery time.Duration `yaml:"thank_every"`
	QuietAfter time.Duration `yaml:"quiet_after"` // without danmaku, after which a talkative room counts as quiet, whose feed may be dead

	Settings event.RoomSettings `yaml:"-"`     // of a room that did not say
	Lanes    int                `yaml:"lanes"` // rooms handled at once
}

// DefaultConfig is the numbers of the domain.
func DefaultConfig() Config {
	return Config{
		AnswerBy: 15 * time.Second, SpeakBy: 20 * time.Second, CoolDown: 20 * time.Second, ChatCoolDown: time.Minute,
		MaxMembers: 8, MaxPerVariant: 2, MaxPerRoom: 4, MaxInFlight: 25 * time.Second,
		FirstRun: 3500 * time.Millisecond, ChatFill: 3 * time.Second, Starve: 5 * time.Second, PerViewer: 3, HoldSpeech: 10 * time.Second,
		FloodBurst: 8, FloodRefill: 2500 * time.Millisecond, Repeats: 3, RepeatsIn: time.Minute, WordsPoll: 2 * time.Second,
		Memory: 15 * time.Minute, MaxSkew: 5 * time.Second, Checkpoint: 5 * time.Second, ThankEvery: 20 * time.Second, QuietAfter: 5 * time.Minute,
		Settings: event.RoomSettings{Language: "zh"}, Lanes: 64,
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"answer_by", c.AnswerBy}, {"max_in_flight", c.MaxInFlight}, {"first_run", c.FirstRun}, {"starve", c.Starve},
		{"hold_speech", c.HoldSpeech}, {"flood_refill", c.FloodRefill}, {"memory", c.Memory}, {"max_skew", c.MaxSkew},
		{"checkpoint", c.Checkpoint}, {"thank_every", c.ThankEvery}, {"quiet_after", c.QuietAfter}, {"repeats_in", c.RepeatsIn}, {"words_poll", c.WordsPoll},
	} {
		if d.d < time.Millisecond { // they are reckoned in milliseconds
			errs = append(errs, fmt.Errorf("%s: %v, want at least 1ms", d.name, d.d))
		}
	}
	for _, n := range []struct {
		name string
		n    int
	}{
		{"max_members", c.MaxMembers}, {"max_per_variant", c.MaxPerVariant}, {"max_per_room", c.MaxPerRoom}, {"per_viewer", c.PerViewer},
		{"flood_burst", c.FloodBurst}, {"repeats", c.Repeats}, {"lanes", c.Lanes},
	} {
		if n.n < 1 {
			errs = append(errs, fmt.Errorf("%s: %d, want at least 1", n.name, n.n))
		}
	}
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"cool_down", c.CoolDown}, {"chat_cool_down", c.ChatCoolDown}, {"chat_fill", c.ChatFill}} {
		if d.d < 0 {
			errs = append(errs, fmt.Errorf("%s: %v, want 0 or more", d.name, d.d))
		}
	}
	if c.SpeakBy < c.AnswerBy {
		errs = append(errs, fmt.Errorf("speak_by: %v is before answer_by %v", c.SpeakBy, c.AnswerBy))
	}
	return errors.Join(errs...)
}

// Rate is how much one viewer may write.
func (c Config) Rate() filter.Rate {
	return filter.Rate{Burst: c.FloodBurst, RefillMs: c.FloodRefill.Milliseconds(), Same: c.Repeats, SameMs: c.RepeatsIn.Milliseconds()}
}

// settled is how long after its window opened a danmaku that has ended may still
// matter: its answer covers the same question until it has cooled down.
func (c Config) settled() time.Duration {
	return c.MaxInFlight + c.SpeakBy + max(c.CoolDown, c.ChatCoolDown)
}

func (c Config) limits() window.Limits {
	return window.Limits{Members: c.MaxMembers, PerVariant: c.MaxPerVariant, PerRoom: c.MaxPerRoom}
}
