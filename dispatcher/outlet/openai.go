package outlet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/internal/config"
	"livehost/internal/fault"
)

// OpenAIConfig is the values of speech from an OpenAI-compatible server.
type OpenAIConfig struct {
	BaseURL string            `yaml:"base_url"` // up to and including /v1
	APIKey  config.Secret     `yaml:"api_key"`  // empty when it wants none
	Model   string            `yaml:"model"`
	Voices  map[string]string `yaml:"voices"` // by language
	Speed   float64           `yaml:"speed"`  // 1: as the model speaks
	Timeout time.Duration     `yaml:"timeout"`
}

// DefaultOpenAIConfig is everything but the server and the model.
func DefaultOpenAIConfig() OpenAIConfig {
	return OpenAIConfig{Voices: map[string]string{"zh": "alloy", "en": "alloy"}, Speed: 1, Timeout: 5 * time.Second}
}

// Validate lists every problem.
func (c OpenAIConfig) Validate() error {
	var errs []error
	if err := validURL(c.BaseURL); err != nil {
		errs = append(errs, fmt.Errorf("base_url: %w", err))
	}
	if c.Model == "" {
		errs = append(errs, errors.New("model: empty"))
	}
	for _, language := range []string{"zh", "en"} {
		if c.Voices[language] == "" {
			errs = append(errs, fmt.Errorf("voices: none for %s", language))
		}
	}
	if c.Speed < 0.25 || c.Speed > 4 {
		errs = append(errs, fmt.Errorf("speed: %v, want 0.25 to 4", c.Speed))
	}
	if c.Timeout <= 0 {
		errs = append(errs, errors.New("timeout: want more than 0"))
	}
	return errors.Join(errs...)
}

// OpenAISpeech is a Synthesiser behind POST /v1/audio/speech, which many speech servers
// speak.
type OpenAISpeech struct {
	cfg    OpenAIConfig
	client *http.Client
}

var _ Synthesiser = (*OpenAISpeech)(nil)

// NewOpenAISpeech uses the client's transport; its owner closes idle connections.
func NewOpenAISpeech(cfg OpenAIConfig, client *http.Client) (*OpenAISpeech, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("openai speech: %w", err)
	}
	return &OpenAISpeech{cfg: cfg, client: withoutRedirects(client)}, nil
}

// Name is "openai".
func (o *OpenAISpeech) Name() string { return "openai" }

type speechRequest struct {
	Model          string  `json:"model"`
	Input          string  `json:"input"`
	Voice          string  `json:"voice"`
	ResponseFormat string  `json:"response_format"`
	Speed          float64 `json:"speed"`
}

// maxAudio bounds one sentence's audio: more than a minute of it at 48 kHz.
const maxAudio = 8 << 20

// Synthesise implements Synthesiser.
func (o *OpenAISpeech) Synthesise(ctx context.Context, s dispatcher.Sentence, language string) (Clip, error) {
	voice := o.cfg.Voices[language]
	if voice == "" {
		voice = o.cfg.Voices["zh"]
	}
	body, err := json.Marshal(speechRequest{Model: o.cfg.Model, Input: s.Spoken, Voice: voice, ResponseFormat: "wav", Speed: o.cfg.Speed})
	if err != nil {
		return Clip{}, fault.Errorf(fault.Internal, "openai speech: %w", err)
	}
	limited, cancel := clock.WithWallTimeout(ctx, o.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, strings.TrimRight(o.cfg.BaseURL, "/")+"/audio/speech", bytes.NewReader(body))
	if err != nil {
		return Clip{}, fault.Errorf(fault.Internal, "openai speech: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if o.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+string(o.cfg.APIKey))
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return Clip{}, callError(ctx, "openai speech", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Clip{}, statusError("openai speech", resp)
	}
	wav, err := io.ReadAll(io.LimitReader(resp.Body, maxAudio+1))
	if err != nil {
		return Clip{}, callError(ctx, "openai speech", err)
	}
	if len(wav) > maxAudio {
		return Clip{}, fault.Errorf(fault.Invalid, "openai speech: more than %d bytes of audio", maxAudio)
	}
	length, err := wavLength(wav)
	if err != nil {
		return Clip{}, fault.Errorf(fault.Invalid, "openai speech: %w", err)
	}
	return Clip{WAV: wav, Length: length}, nil
}
