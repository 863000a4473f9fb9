package openaimodel

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"livehost/agentworker/model"
	"livehost/internal/clock"
	"livehost/internal/fault"
)

// limits ends a request whose tokens do not come. Keep-alives are no tokens.
type limits struct {
	m      *Model
	cancel context.CancelCauseFunc
	timer  *time.Timer // nil: no limit now
	first  time.Time   // wall, of the first token
}

func (m *Model) limit(ctx context.Context) (context.Context, *limits) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &limits{m: m, cancel: cancel}
	l.within(m.cfg.FirstToken, "no first token")
	return ctx, l
}

// within allows d until the next token.
func (l *limits) within(d time.Duration, what string) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = nil
	if d > 0 {
		l.timer = l.m.deps.Clock.AfterFunc(d, func() {
			l.cancel(&model.Error{Class: model.Stalled, Err: fault.Errorf(fault.Unavailable, "%s within %v", what, d)})
		})
	}
}

func (l *limits) token() {
	if l.first.IsZero() {
		l.first = time.Now()
	}
	l.within(l.m.cfg.Idle, "no token after the last")
}

// stop ends the watch, and whatever of the request is still under way.
func (l *limits) stop() {
	l.within(0, "")
	l.cancel(nil)
}

// abortTimeout bounds the call to /abort_request, wall time.
const abortTimeout = 2 * time.Second

// abort tells the replica to stop generating: engines notice a closed connection
// late, or not while a request waits in their queue. Nobody waits for it and a
// failure is no news: the connection is closed as well.
func (m *Model) abort(ctx context.Context, id string) {
	if !m.cfg.Abort || id == "" {
		return
	}
	body, err := json.Marshal(map[string]string{"rid": id})
	if err != nil {
		return
	}
	go func() {
		ctx, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), abortTimeout)
		defer cancel()
		base := strings.TrimSuffix(strings.TrimRight(m.cfg.BaseURL, "/"), "/v1")
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/abort_request", bytes.NewReader(body))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/json")
		if m.cfg.APIKey != "" {
			req.Header.Set("Authorization", "Bearer "+m.cfg.APIKey)
		}
		resp, err := m.deps.Transport.RoundTrip(req)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10))
		_ = resp.Body.Close()
	}()
}
