package outlet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/internal/fault"
)

// EspeakConfig is the values of the espeak-ng voice.
type EspeakConfig struct {
	Path           string            `yaml:"path"`             // the program
	Voices         map[string]string `yaml:"voices"`           // by language
	WordsPerMinute map[string]int    `yaml:"words_per_minute"` // speaking rate, by language
	Timeout        time.Duration     `yaml:"timeout"`          // wall time for one synthesis
	Dir            string            `yaml:"dir"`              // where WAV files are kept; empty: nowhere
}

// DefaultEspeakConfig speaks Mandarin and English at the rates that pacing estimates
// with: 4.5 runes and 14 characters a second.
func DefaultEspeakConfig() EspeakConfig {
	return EspeakConfig{
		Path: "espeak-ng", Voices: map[string]string{"zh": "cmn", "en": "en-us"},
		WordsPerMinute: map[string]int{"zh": 290, "en": 165}, Timeout: 5 * time.Second,
	}
}

// Validate lists every problem.
func (c EspeakConfig) Validate() error {
	var errs []error
	if c.Path == "" {
		errs = append(errs, errors.New("path: empty"))
	}
	for _, language := range []string{"zh", "en"} {
		if c.Voices[language] == "" {
			errs = append(errs, fmt.Errorf("voices: none for %s", language))
		}
		if rate := c.WordsPerMinute[language]; rate < 80 || rate > 450 {
			errs = append(errs, fmt.Errorf("words_per_minute: %d for %s, want 80 to 450", rate, language))
		}
	}
	if c.Timeout <= 0 {
		errs = append(errs, errors.New("timeout: want more than 0"))
	}
	return errors.Join(errs...)
}

// Espeak is a Synthesiser with the espeak-ng program.
type Espeak struct {
	cfg     EspeakConfig
	program string
}

var _ Synthesiser = (*Espeak)(nil)

// NewEspeak finds the program; an error says that it is not installed.
func NewEspeak(cfg EspeakConfig) (*Espeak, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("espeak: %w", err)
	}
	program, err := exec.LookPath(cfg.Path)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "espeak: %s is not installed (install espeak-ng, or use the console outlet): %w", cfg.Path, err)
	}
	return &Espeak{cfg: cfg, program: program}, nil
}

// Name is "espeak".
func (e *Espeak) Name() string { return "espeak" }

// Synthesise implements Synthesiser.
func (e *Espeak) Synthesise(ctx context.Context, s dispatcher.Sentence, language string) (Clip, error) {
	limited, cancel := clock.WithWallTimeout(ctx, e.cfg.Timeout) // a program's run: wall time
	defer cancel()
	if e.cfg.Voices[language] == "" {
		language = "zh"
	}
	cmd := exec.CommandContext(limited, e.program, "-v", e.cfg.Voices[language],
		"-s", strconv.Itoa(e.cfg.WordsPerMinute[language]), "--stdin", "--stdout")
	cmd.Stdin = strings.NewReader(s.Spoken) // not an argument: text may begin with a dash
	var wav, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &wav, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return Clip{}, ctx.Err()
		}
		return Clip{}, fault.Errorf(fault.Unavailable, "espeak: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	length, err := wavLength(wav.Bytes())
	if err != nil {
		return Clip{}, fault.Errorf(fault.Unavailable, "espeak: %w", err)
	}
	return Clip{WAV: wav.Bytes(), Length: length}, nil
}
