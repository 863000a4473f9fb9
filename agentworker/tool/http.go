package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"

	"livehost/harness"
)

// MaxAnswer bounds what is taken of a tool's answer, in bytes: reading, checking and
// shortening a longer one would cost every run of the process its time, and its step
// could not hold it.
const MaxAnswer = 256 << 10

var errNotAllowed = errors.New("the host is not on the allow-list")

// newHTTPClient follows no redirects: the allow-list holds for the address that
// is called, and a redirect may lead inward.
func newHTTPClient(rt http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     rt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// callHTTP calls an HTTP tool: arguments as query (GET) or JSON body (POST), the
// run's ids as headers.
func (ts *Toolset) callHTTP(ctx context.Context, run *Run, t *harness.Tool, asker Asker, mine, args map[string]any) (Output, error) {
	u, err := url.Parse(t.Binding.URL)
	if err != nil {
		return Output{}, err
	}
	if !ts.cfg.Allows(u) {
		return Output{}, fmt.Errorf("%s: %w", hostPort(u), errNotAllowed)
	}
	var body io.Reader
	if t.Binding.Method == http.MethodGet {
		q := u.Query()
		for k, v := range args {
			q.Set(k, scalar(v))
		}
		u.RawQuery = q.Encode()
	} else {
		b, err := json.Marshal(args)
		if err != nil {
			return Output{}, err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, t.Binding.Method, u.String(), body)
	if err != nil {
		return Output{}, err
	}
	if t.Write {
		req.GetBody = nil // or net/http would send it again by itself: it takes the idempotency key for leave
	}
	req.Header.Set("Content-Type", "application/json")
	m := meta(run, t, asker, mine)
	for key, header := range metaHeaders {
		if v := scalar(m[key]); v != "" {
			req.Header.Set(header, v)
		}
	}
	res, err := ts.http.Do(req)
	if err != nil {
		return Output{}, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer+1))
	if err != nil {
		return Output{}, err
	}
	return httpOutput(res.StatusCode, string(data))
}

// metaHeaders are the headers in which an HTTP tool gets what an MCP server gets
// in _meta.
var metaHeaders = map[string]string{
	"livehost/room_id":         "Livehost-Room-Id",
	"livehost/merchant_id":     "Livehost-Merchant-Id",
	"livehost/viewer_id":       "Livehost-Viewer-Id",
	"livehost/idempotency_key": "Idempotency-Key",
}

// httpOutput reads a status as a code, where the body does not give one.
func httpOutput(status int, body string) (Output, error) {
	if status >= 200 && status < 300 {
		return Output{Text: body}, nil
	}
	if data, err := decodeObject(body); err == nil && data["error"] != nil {
		return Output{Text: body, IsError: true}, nil
	}
	code := Upstream
	switch status {
	case http.StatusNotFound:
		code = NotFound
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		code = BadArgs
	case http.StatusUnauthorized, http.StatusForbidden:
		code = Permission
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		code = Timeout
	}
	return Output{Text: encode(map[string]any{"error": string(code), "message": http.StatusText(status)}), IsError: true}, nil
}

// Allows reports whether HTTP tools may call the address.
func (c Config) Allows(u *url.URL) bool { return slices.Contains(c.HTTPAllow, hostPort(u)) }

func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
