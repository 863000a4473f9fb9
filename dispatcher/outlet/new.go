package outlet

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"livehost/dispatcher"
	"livehost/internal/clock"
)

// The kinds of voice.
const (
	KindAuto    = "auto"    // espeak-ng when it is installed, else the console
	KindConsole = "console" // printed, and the time accounted for
	KindEspeak  = "espeak"
	KindOpenAI  = "openai" // an OpenAI-compatible speech server
)

// Config chooses the ways out. What is said goes to every one of them that is
// configured, and to the console always.
type Config struct {
	Voice     string          `yaml:"voice"` // one of the kinds
	Espeak    EspeakConfig    `yaml:"espeak"`
	OpenAI    OpenAIConfig    `yaml:"openai"`
	Webhook   WebhookConfig   `yaml:"webhook"`   // speech, private text and hand-overs; private text goes here alone
	WebSocket WebSocketConfig `yaml:"websocket"` // for browsers
	Cues      bool            `yaml:"cues"`      // speech-cue.v1, for an avatar driver
}

// DefaultConfig speaks with what the machine has.
func DefaultConfig() Config {
	return Config{Voice: KindAuto, Espeak: DefaultEspeakConfig(), OpenAI: DefaultOpenAIConfig(), Webhook: DefaultWebhookConfig(), WebSocket: DefaultWebSocketConfig()}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	at := func(branch string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", branch, err))
		}
	}
	switch c.Voice {
	case KindAuto, KindConsole, KindEspeak:
	case KindOpenAI:
		at("openai", c.OpenAI.Validate())
	default:
		errs = append(errs, fmt.Errorf("voice: %q is not auto, console, espeak or openai", c.Voice))
	}
	at("espeak", c.Espeak.Validate())
	if c.Webhook.URL != "" {
		at("webhook", c.Webhook.Validate())
	}
	if c.WebSocket.Addr != "" {
		at("websocket", c.WebSocket.Validate())
	}
	return errors.Join(errs...)
}

// New makes the configured outlets. What is said and sent is printed to out. An
// automatic voice that is not installed is one line in the log, not an error. Sinks that
// need more than this package has (cues, websocket) are added with Voice.With.
func New(cfg Config, c *clock.Clock, out io.Writer, log *slog.Logger) (dispatcher.Outlets, error) {
	if err := cfg.Validate(); err != nil {
		return dispatcher.Outlets{}, fmt.Errorf("outlet: %w", err)
	}
	synth, err := newSynthesiser(cfg, log)
	if err != nil {
		return dispatcher.Outlets{}, err
	}
	console := NewConsole(out)
	outlets := dispatcher.Outlets{Private: console, HandOver: console}
	sinks := []Sink{console}
	if cfg.Espeak.Dir != "" {
		sinks = append(sinks, NewFiles(cfg.Espeak.Dir))
	}
	if cfg.Webhook.URL != "" {
		w, err := NewWebhook(cfg.Webhook, http.DefaultClient)
		if err != nil {
			return dispatcher.Outlets{}, err
		}
		outlets.Private, outlets.HandOver, sinks = w, w, append(sinks, w)
	}
	outlets.Voice = NewVoice(c, log, synth, nil, sinks...)
	return outlets, nil
}

func newSynthesiser(cfg Config, log *slog.Logger) (Synthesiser, error) {
	switch cfg.Voice {
	case KindConsole:
		return Silent{}, nil
	case KindOpenAI:
		return NewOpenAISpeech(cfg.OpenAI, http.DefaultClient)
	}
	espeak, err := NewEspeak(cfg.Espeak)
	if err != nil && cfg.Voice == KindAuto {
		log.Info("no espeak-ng here, speech is printed and its time accounted for", "err", err)
		return Silent{}, nil
	}
	if err != nil {
		return nil, err
	}
	return espeak, nil
}
