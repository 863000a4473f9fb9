package dispatcher

import (
	"errors"
	"fmt"
	"time"

	"livehost/streams/event"
)

// Config is the dispatcher's values. Durations are room time unless they say wall.
type Config struct {
	Group string `yaml:"group"` // consumer group
	Lanes int    `yaml:"lanes"` // rooms handled at once

	MaxQueuedSpeech time.Duration `yaml:"max_queued_speech"` // above it new answers go out as private text
	MaxSpeech       time.Duration `yaml:"max_speech"`        // one reply is not said for longer: what is beyond is only written
	PrivateReserve  time.Duration `yaml:"private_reserve"`   // kept back from speak_by for private text instead of speech
	VoiceStart      time.Duration `yaml:"voice_start"`       // what the voice may need from its turn to the first audio
	CoolDown        time.Duration `yaml:"cool_down"`         // one voice per question across variants for so long
	SameWords       time.Duration `yaml:"same_words"`        // the same words are not heard again for so long: they are written to whoever they answer
	Drain           time.Duration `yaml:"drain"`             // wall time for the present sentences at shutdown
	Horizon         time.Duration `yaml:"horizon"`           // how far apart a reply and its handing over again may be

	PublicVerdicts  []string `yaml:"public_verdicts"`  // rules that must have let a text pass before it is spoken
	PrivateVerdicts []string `yaml:"private_verdicts"` // the same for private text

	HandOverWithin time.Duration `yaml:"hand_over_within"` // how long a human is tried to be told

	LeaseSlack time.Duration `yaml:"lease_slack"` // wall time that the lease of the voice exceeds one and a half times the speech

	MaxPrivateSends int `yaml:"max_private_sends"` // at once, over all rooms

	Wording Wording `yaml:"wording"`

	Defaults event.RoomSettings `yaml:"-"` // of rooms whose settings were never announced
}

// DefaultConfig is the domain's numbers.
func DefaultConfig() Config {
	rules := []string{"grounding", "identity", "leakage"}
	return Config{
		Group: "dispatcher", Lanes: 64,
		MaxQueuedSpeech: 10 * time.Second, MaxSpeech: 30 * time.Second, PrivateReserve: 750 * time.Millisecond, VoiceStart: 750 * time.Millisecond, CoolDown: 60 * time.Second, SameWords: 20 * time.Second,
		Drain: 15 * time.Second, Horizon: 10 * time.Minute,
		PublicVerdicts: rules, PrivateVerdicts: rules,
		HandOverWithin: 5 * time.Minute, LeaseSlack: 3 * time.Second, MaxPrivateSends: 64,
		Wording:  DefaultWording(),
		Defaults: event.RoomSettings{Language: "zh"},
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.Group == "" {
		errs = append(errs, errors.New("group: empty"))
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"lanes", int64(c.Lanes)}, {"max_queued_speech", int64(c.MaxQueuedSpeech)}, {"max_speech", int64(c.MaxSpeech)}, {"cool_down", int64(c.CoolDown)}, {"same_words", int64(c.SameWords)},
		{"private_reserve", int64(c.PrivateReserve)}, {"voice_start", int64(c.VoiceStart)}, {"hand_over_within", int64(c.HandOverWithin)}, {"lease_slack", int64(c.LeaseSlack)},
		{"drain", int64(c.Drain)}, {"horizon", int64(c.Horizon)}, {"max_private_sends", int64(c.MaxPrivateSends)},
	} {
		if n.value <= 0 {
			errs = append(errs, fmt.Errorf("%s: want more than 0", n.name))
		}
	}
	if err := c.Wording.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("wording: %w", err))
	}
	return errors.Join(errs...)
}
