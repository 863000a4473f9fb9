package outlet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// Espeak synthesises with espeak-ng and occupies the voice for the length of the
// audio. What is said is printed through its console, too.
type Espeak struct {
	cfg     EspeakConfig
	clock   *clock.Clock
	console *Console
	program string
}

var _ dispatcher.Outlet = (*Espeak)(nil)

// NewEspeak finds the program; an error says that it is not installed.
func NewEspeak(cfg EspeakConfig, c *clock.Clock, console *Console) (*Espeak, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("espeak: %w", err)
	}
	program, err := exec.LookPath(cfg.Path)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "espeak: %s is not installed (install espeak-ng, or use the console outlet): %w", cfg.Path, err)
	}
	return &Espeak{cfg: cfg, clock: c, console: console, program: program}, nil
}

// Name is "espeak".
func (e *Espeak) Name() string { return "espeak" }

// Speak synthesises first; an utterance whose audio is not ready in time is late.
func (e *Espeak) Speak(ctx context.Context, u dispatcher.Utterance) (dispatcher.Spoken, error) {
	if e.clock.NowMs() > u.SpeakByMs {
		return dispatcher.Spoken{}, dispatcher.ErrLate
	}
	wav, length, err := e.synthesise(ctx, u)
	if err != nil {
		return dispatcher.Spoken{}, err
	}
	if e.cfg.Dir != "" {
		if err := os.WriteFile(filepath.Join(e.cfg.Dir, fileName(string(u.DeliveryID))), wav, 0o600); err != nil {
			return dispatcher.Spoken{}, fault.Errorf(fault.Unavailable, "espeak: keep audio: %w", err)
		}
	}
	return occupy(ctx, e.clock, u, length, func() { e.console.print("[%s] host: %s\n", u.RoomID, u.Text) })
}

// Length is how long the utterance's audio is.
func (e *Espeak) Length(ctx context.Context, u dispatcher.Utterance) (time.Duration, error) {
	_, length, err := e.synthesise(ctx, u)
	return length, err
}

func (e *Espeak) synthesise(ctx context.Context, u dispatcher.Utterance) ([]byte, time.Duration, error) {
	limited, cancel := clock.WithWallTimeout(ctx, e.cfg.Timeout) // a program's run: wall time
	defer cancel()
	language := u.Language
	if e.cfg.Voices[language] == "" {
		language = "zh"
	}
	cmd := exec.CommandContext(limited, e.program, "-v", e.cfg.Voices[language],
		"-s", strconv.Itoa(e.cfg.WordsPerMinute[language]), "--stdin", "--stdout")
	cmd.Stdin = strings.NewReader(u.Spoken) // not an argument: text may begin with a dash
	var wav, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &wav, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		return nil, 0, fault.Errorf(fault.Unavailable, "espeak: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	length, err := wavLength(wav.Bytes())
	if err != nil {
		return nil, 0, fault.Errorf(fault.Unavailable, "espeak: %w", err)
	}
	return wav.Bytes(), length, nil
}

// fileName makes a delivery id a file's name.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:#`, r) {
			return '_'
		}
		return r
	}, id) + ".wav"
}

// wavLength is the duration of PCM audio. A stream's header does not know the length
// of its data: then the data that is there counts.
func wavLength(wav []byte) (time.Duration, error) {
	if len(wav) < 12 || string(wav[:4]) != "RIFF" || string(wav[8:12]) != "WAVE" {
		return 0, errors.New("not a WAV file")
	}
	var bytesPerSecond uint32
	for rest := wav[12:]; len(rest) >= 8; {
		id, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:8]))
		rest = rest[8:]
		size = min(size, int64(len(rest)))
		switch {
		case id == "fmt " && size >= 12:
			bytesPerSecond = binary.LittleEndian.Uint32(rest[8:12])
		case id == "data" && bytesPerSecond > 0:
			return time.Duration(float64(size) / float64(bytesPerSecond) * float64(time.Second)), nil
		}
		rest = rest[min(size+size%2, int64(len(rest))):]
	}
	return 0, errors.New("WAV file without audio data")
}
