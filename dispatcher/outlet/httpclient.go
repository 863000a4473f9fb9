package outlet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"livehost/internal/fault"
)

// validURL reports what keeps s from being an http(s) address.
func validURL(s string) error {
	u, err := url.Parse(s)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is not an http(s) URL", s)
	}
	return nil
}

// withoutRedirects is the client for calls that are only meant for the address they are
// sent to: followed, a redirected POST becomes a GET that some page answers with success.
func withoutRedirects(client *http.Client) *http.Client {
	stay := *client
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &stay
}

// maxErrorBody is how much of a refusal is kept for the log.
const maxErrorBody = 512

// statusError classifies an answer other than success.
func statusError(what string, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	err := fmt.Errorf("%s: %s: %q", what, resp.Status, body)
	after := time.Duration(0)
	if seconds, perr := strconv.Atoi(resp.Header.Get("Retry-After")); perr == nil && seconds > 0 {
		after = time.Duration(seconds) * time.Second
	}
	switch {
	case resp.StatusCode == http.StatusConflict:
		return fault.Wrap(fault.Conflict, err)
	case resp.StatusCode == http.StatusTooManyRequests:
		return &fault.Error{Kind: fault.Exhausted, After: after, Err: err}
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusRequestTimeout:
		return &fault.Error{Kind: fault.Unavailable, After: after, Err: err}
	}
	return fault.Wrap(fault.Invalid, err)
}

// callError classifies a call that got no answer.
func callError(ctx context.Context, what string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.Wrap(fault.Canceled, ctx.Err())
	}
	return fault.Errorf(fault.Unavailable, "%s: %w", what, err)
}
