package outlet

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/internal/config"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// WebhookConfig is where and how to call out.
type WebhookConfig struct {
	URL      string        `yaml:"url"`    // empty: no webhook
	Secret   config.Secret `yaml:"secret"` // key of the signature
	Attempts int           `yaml:"attempts"`
	Backoff  time.Duration `yaml:"backoff"` // wall time before the second attempt; doubles
	Timeout  time.Duration `yaml:"timeout"` // wall time of one attempt
}

// DefaultWebhookConfig is everything but address and secret.
func DefaultWebhookConfig() WebhookConfig {
	return WebhookConfig{Attempts: 3, Backoff: 50 * time.Millisecond, Timeout: 2 * time.Second}
}

// Validate lists every problem.
func (c WebhookConfig) Validate() error {
	var errs []error
	if err := validURL(c.URL); err != nil {
		errs = append(errs, fmt.Errorf("url: %w", err))
	}
	if c.Secret == "" {
		errs = append(errs, errors.New("secret: empty; the receiver must be able to tell our calls from others"))
	}
	if c.Attempts < 1 || c.Timeout <= 0 || c.Backoff <= 0 {
		errs = append(errs, errors.New("attempts, backoff, timeout: want more than 0"))
	}
	return errors.Join(errs...)
}

// The headers of a call. The signature is "sha256=" and the hex HMAC-SHA256 of
// timestamp, a full stop and the body.
const (
	HeaderSignature   = "X-Livehost-Signature"
	HeaderTimestamp   = "X-Livehost-Timestamp" // Unix seconds
	HeaderIdempotency = "Idempotency-Key"
)

// Webhook posts cues, private text and hand-overs as JSON: a Sink, a
// dispatcher.PrivateOutlet and a dispatcher.HandOverOutlet. Each call is signed and
// carries an idempotency key; the same key may be seen again. A receiver that remembers
// the highest fence of each room answers 412 to a cue with a lower one, and the sender
// falls silent. Redirects are not followed: a signed call goes where it was configured.
type Webhook struct {
	cfg    WebhookConfig
	client *http.Client
}

var (
	_ Sink                      = (*Webhook)(nil)
	_ dispatcher.PrivateOutlet  = (*Webhook)(nil)
	_ dispatcher.HandOverOutlet = (*Webhook)(nil)
)

// NewWebhook uses the client's transport; its owner closes idle connections.
func NewWebhook(cfg WebhookConfig, client *http.Client) (*Webhook, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	return &Webhook{cfg: cfg, client: withoutRedirects(client)}, nil
}

// Name is "webhook".
func (w *Webhook) Name() string { return "webhook" }

// call is the body; exactly one part is set.
type call struct {
	Type     string                  `json:"type"` // "speech", "private" or "hand_over"
	Speech   *event.SpeechCue        `json:"speech,omitempty"`
	Private  *dispatcher.PrivateText `json:"private,omitempty"`
	HandOver *dispatcher.HandOver    `json:"hand_over,omitempty"`
}

// Emit posts a cue, without audio.
func (w *Webhook) Emit(ctx context.Context, cue event.SpeechCue, _ Clip) error {
	return w.post(ctx, cue.CueID, call{Type: "speech", Speech: &cue})
}

// Send posts private text.
func (w *Webhook) Send(ctx context.Context, t dispatcher.PrivateText) error {
	return w.post(ctx, string(t.DeliveryID), call{Type: "private", Private: &t})
}

// HandOver posts what a human is to take over.
func (w *Webhook) HandOver(ctx context.Context, h dispatcher.HandOver) error {
	return w.post(ctx, "hand_over/"+string(h.DanmakuID), call{Type: "hand_over", HandOver: &h})
}

// post tries again while the receiver is away. Conflict says that it has the key
// already, which is success.
func (w *Webhook) post(ctx context.Context, key string, c call) error {
	body, err := json.Marshal(c)
	if err != nil {
		return fault.Errorf(fault.Internal, "webhook: %w", err)
	}
	wait := w.cfg.Backoff
	for attempt := 1; ; attempt++ {
		err := w.attempt(ctx, key, body, c.Speech != nil)
		if err == nil || fault.KindOf(err) == fault.Conflict {
			return nil
		}
		kind := fault.KindOf(err)
		if attempt == w.cfg.Attempts || kind != fault.Unavailable && kind != fault.Exhausted {
			return err
		}
		t := time.NewTimer(max(wait, fault.RetryAfter(err)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return callError(ctx, "webhook", err)
		}
		wait *= 2
	}
}

// attempt makes one call; fenced ones have a fence to be refused by.
func (w *Webhook) attempt(ctx context.Context, key string, body []byte, fenced bool) error {
	limited, cancel := clock.WithWallTimeout(ctx, w.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, w.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return fault.Errorf(fault.Internal, "webhook: %w", err)
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(HeaderIdempotency, key)
	req.Header.Set(HeaderTimestamp, timestamp)
	req.Header.Set(HeaderSignature, Sign(string(w.cfg.Secret), timestamp, body))
	resp, err := w.client.Do(req)
	if err != nil {
		return callError(ctx, "webhook", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody)) // so that the connection is used again
		return nil
	}
	if fenced && resp.StatusCode == http.StatusPreconditionFailed {
		return fmt.Errorf("webhook: %w", dispatcher.ErrFenced)
	}
	return statusError("webhook", resp)
}

// Sign is the signature of a call, for receivers to compare with.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
