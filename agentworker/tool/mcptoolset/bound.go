package mcptoolset

import (
	"errors"
	"io"
	"net/http"
)

// maxAnswer bounds the answer to one request, in bytes: a server that sends without
// end would fill the memory until the call's time is over.
const maxAnswer = 4 << 20

var errEndless = errors.New("the answer is longer than any")

// bounded is client with answers of at most maxAnswer. The stream on which a server
// tells of changes has no end and is not bounded.
func bounded(client *http.Client) *http.Client {
	out := *client
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	out.Transport = transportFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err == nil && req.Method == http.MethodPost {
			resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxAnswer}
		}
		return resp, err
	})
	return &out
}

type transportFunc func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f transportFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errEndless
	}
	return n, err
}
