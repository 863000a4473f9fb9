package main

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// manner is how a proxy treats requests.
type manner int32

const (
	pass   manner = iota
	slow          // pass after slowBy
	hang          // take the request and never answer
	refuse        // reset the connection at once
	cut           // reset the connection in the middle of the answer
)

const (
	slowBy   = 2 * time.Second
	cutAfter = 300 // bytes of the answer
)

// proxy stands before an HTTP server that a stage is a client of.
type proxy struct {
	addr   string
	server *http.Server
	manner atomic.Int32
	spoilt atomic.Int64 // requests that were treated badly

	mu     sync.Mutex
	flying int
	change chan struct{} // closed and replaced when flying changes
}

// newProxy listens on a free loopback port.
func newProxy(target string) (*proxy, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{addr: l.Addr().String(), change: make(chan struct{})}
	back := httputil.NewSingleHostReverseProxy(u)
	back.FlushInterval = -1
	back.ErrorLog = log.New(io.Discard, "", 0) // what it complains of is what we do
	back.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { reset(w) }
	p.server = &http.Server{Handler: p.handler(back), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }() // ends with close
	return p, nil
}

func (p *proxy) close() error { return p.server.Close() }

func (p *proxy) set(m manner) { p.manner.Store(int32(m)) }

func (p *proxy) handler(back http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			back.ServeHTTP(w, r)
			return
		}
		p.count(1)
		defer p.count(-1)
		m := manner(p.manner.Load())
		if m > slow {
			p.spoilt.Add(1)
		}
		switch m {
		case refuse:
			reset(w)
		case hang:
			<-r.Context().Done()
		case cut:
			back.ServeHTTP(&cutter{ResponseWriter: w, left: cutAfter}, r)
		case slow:
			select {
			case <-time.After(slowBy):
				back.ServeHTTP(w, r)
			case <-r.Context().Done():
			}
		default:
			back.ServeHTTP(w, r)
		}
	})
}

func (p *proxy) count(by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying += by
	close(p.change)
	p.change = make(chan struct{})
}

// busy returns when a request is under way.
func (p *proxy) busy(ctx context.Context) error {
	for {
		p.mu.Lock()
		flying, change := p.flying, p.change
		p.mu.Unlock()
		if flying > 0 {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reset closes the client's connection without an answer.
func reset(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
		_ = c.Close()
	}
}

// cutter passes the first bytes of an answer on, then aborts.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		panic(http.ErrAbortHandler) //nolint:forbidigo // how net/http is told to close the connection
	}
	n, err := c.ResponseWriter.Write(b)
	if err == nil {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
	}
	return n, err
}

// Unwrap lets the reverse proxy flush.
func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
