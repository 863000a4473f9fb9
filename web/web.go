package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"livehost/internal/clock"
	"livehost/streams"
	"livehost/web/board"
)

// Deps is what the console reads from. Those of the analytics store are nil in
// a process that has none.
type Deps struct {
	Log         *slog.Logger
	Clock       RoomClock
	Live        LiveSource
	Minutes     Minutes
	Incidents   Incidents
	Traces      Traces
	Experiments Experiments
}

// Server is the console.
type Server struct {
	cfg       Config
	deps      Deps
	board     *board.Board
	pages     *pages
	streams   chan struct{} // one token per open live page
	life      string        // tells the versions of this process from those of another
	following atomic.Bool   // whether the log is being read
	listener  net.Listener
}

// New makes a console; nothing listens yet.
func New(cfg Config, deps Deps) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	b, err := board.New(cfg.board())
	if err != nil {
		return nil, err
	}
	p, err := parsePages()
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	return &Server{
		cfg: cfg, deps: deps, board: b, pages: p,
		streams: make(chan struct{}, cfg.Streams), life: strconv.FormatInt(time.Now().UnixMicro(), 36),
	}, nil
}

// Listen binds the address, so that URL is known before Run.
func (s *Server) Listen(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.Addr)
	if err != nil {
		return fmt.Errorf("console: %w; choose another port, or 0 for a free one", err)
	}
	s.listener = l
	return nil
}

// Close gives the address back when Run was never called.
func (s *Server) Close() error {
	if s.listener == nil {
		return nil
	}
	if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// URL is where the console answers; empty before Listen.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String() + "/"
}

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	closeTimeout  = 3 * time.Second
	retryEvery    = 2 * time.Second
)

// Run serves and follows the log until ctx ends. A log that cannot be read is
// tried again: the pages say so meanwhile.
func (s *Server) Run(ctx context.Context) error {
	if s.listener == nil {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	srv := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog:    slog.NewLogLogger(s.deps.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends the open streams with us
	}
	g.Go(func() error {
		if err := srv.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("console: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		stop, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if srv.Shutdown(stop) == nil {
			return nil
		}
		return srv.Close() // browsers hold connections on which they never asked anything
	})
	g.Go(func() error { s.follow(ctx); return nil })
	return g.Wait()
}

// follow feeds the board for as long as ctx lasts.
func (s *Server) follow(ctx context.Context) {
	for ctx.Err() == nil {
		s.following.Store(true)
		err := s.deps.Live.Follow(ctx, board.Topics(), !s.cfg.FromStart, s.take)
		if ctx.Err() != nil {
			return
		}
		s.following.Store(false)
		s.deps.Log.Warn("the console cannot read the log; trying again", "err", err)
		t := time.NewTimer(retryEvery)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
}

func (s *Server) take(r streams.Record) {
	if err := s.board.Take(r); err != nil {
		s.deps.Log.Debug("record left out", "topic", r.Topic, "partition", r.Partition, "offset", r.Offset, "err", err)
	}
}
