package outlet

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"livehost/dispatcher"
	"livehost/internal/clock"
)

// The kinds of voice.
const (
	KindAuto    = "auto"    // espeak-ng when it is installed, else the console
	KindConsole = "console" // printed, and the time accounted for
	KindEspeak  = "espeak"
)

// Config chooses the ways out.
type Config struct {
	Voice  string       `yaml:"voice"` // one of the kinds
	Espeak EspeakConfig `yaml:"espeak"`
}

// DefaultConfig speaks with what the machine has.
func DefaultConfig() Config { return Config{Voice: KindAuto, Espeak: DefaultEspeakConfig()} }

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	switch c.Voice {
	case KindAuto, KindConsole, KindEspeak:
	default:
		errs = append(errs, fmt.Errorf("voice: %q is not auto, console or espeak", c.Voice))
	}
	if err := c.Espeak.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("espeak: %w", err))
	}
	return errors.Join(errs...)
}

// New makes the configured outlets: the voice, and private text to the console. What
// is said and sent is printed to out. An automatic voice that is not installed is
// one line in the log, not an error.
func New(cfg Config, c *clock.Clock, out io.Writer, log *slog.Logger) (dispatcher.Outlets, error) {
	if err := cfg.Validate(); err != nil {
		return dispatcher.Outlets{}, fmt.Errorf("outlet: %w", err)
	}
	console := NewConsole(c, out)
	outlets := dispatcher.Outlets{Voice: console, Private: console}
	if cfg.Voice == KindConsole {
		return outlets, nil
	}
	espeak, err := NewEspeak(cfg.Espeak, c, console)
	switch {
	case err == nil:
		outlets.Voice = espeak
	case cfg.Voice == KindEspeak:
		return dispatcher.Outlets{}, err
	default:
		log.Info("no espeak-ng here, speech is printed and its time accounted for", "err", err)
	}
	return outlets, nil
}
