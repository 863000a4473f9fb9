package outlet

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"livehost/internal/config"
	"livehost/streams/event"
)

// WebSocketConfig is where browsers hear rooms.
type WebSocketConfig struct {
	Addr    string        `yaml:"addr"`    // host:port to listen on; empty: none
	Token   config.Secret `yaml:"token"`   // that clients bring as ?token=; empty: anybody who reaches the address
	Origins []string      `yaml:"origins"` // host patterns of pages that may connect, beside the server's own
	Queue   int           `yaml:"queue"`   // cues that a slow client may be behind before it is let go
}

// DefaultWebSocketConfig listens nowhere.
func DefaultWebSocketConfig() WebSocketConfig { return WebSocketConfig{Queue: 64} }

// Validate lists every problem.
func (c WebSocketConfig) Validate() error {
	var errs []error
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		errs = append(errs, fmt.Errorf("addr: %w", err))
	} else if ip := net.ParseIP(host); c.Token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		errs = append(errs, errors.New("token: empty; needed when others than this machine reach the address"))
	}
	if c.Queue < 1 {
		errs = append(errs, errors.New("queue: want more than 0"))
	}
	return errors.Join(errs...)
}

// WebSocket is a Sink for browsers: GET /rooms/{room}/voice. A client receives each cue
// as a JSON text message; a sentence's WAV follows its cue as a binary message. It may
// send {"floor":"take"} to interrupt the voice, and {"floor":"give"}; its going gives the
// floor back.
type WebSocket struct {
	cfg   WebSocketConfig
	log   *slog.Logger
	floor *Floor
	ids   atomic.Int64

	mu      sync.Mutex
	clients map[event.RoomID]map[*client]struct{}
}

type client struct {
	out  chan frame
	drop context.CancelFunc
}

type frame struct {
	kind websocket.MessageType
	data []byte
}

var _ Sink = (*WebSocket)(nil)

// NewWebSocket gives the floor of rooms to clients that ask for it.
func NewWebSocket(cfg WebSocketConfig, log *slog.Logger, floor *Floor) (*WebSocket, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("websocket: %w", err)
	}
	return &WebSocket{cfg: cfg, log: log, floor: floor, clients: map[event.RoomID]map[*client]struct{}{}}, nil
}

// Name is "websocket".
func (w *WebSocket) Name() string { return "websocket" }

// Emit puts the cue before each of the room's clients. Who is too slow to take it is let
// go; a room without clients is no error.
func (w *WebSocket) Emit(_ context.Context, cue event.SpeechCue, clip Clip) error {
	text, err := json.Marshal(cue)
	if err != nil {
		return err
	}
	frames := []frame{{websocket.MessageText, text}}
	if len(clip.WAV) > 0 {
		frames = append(frames, frame{websocket.MessageBinary, clip.WAV})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.clients[cue.RoomID] {
		for _, f := range frames {
			select {
			case c.out <- f:
			default:
				c.drop()
			}
		}
	}
	return nil
}

// Run listens until ctx ends.
func (w *WebSocket) Run(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", w.cfg.Addr)
	if err != nil {
		return fmt.Errorf("websocket: %w", err)
	}
	w.log.Info("voices can be heard by browsers", "addr", l.Addr().String(), "path", "/rooms/{room}/voice")
	srv := &http.Server{Handler: w, ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stopped := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stopped()
	if err := srv.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("websocket: %w", err)
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (w *WebSocket) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rooms/{room}/voice", w.serve)
	mux.ServeHTTP(rw, r)
}

func (w *WebSocket) serve(rw http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(w.cfg.Token)) != 1 {
		http.Error(rw, "wrong or missing token", http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(rw, r, &websocket.AcceptOptions{OriginPatterns: w.cfg.Origins})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	ctx, cancel := context.WithCancel(r.Context())
	room, holder := event.RoomID(r.PathValue("room")), strconv.FormatInt(w.ids.Add(1), 10)
	c := &client{out: make(chan frame, w.cfg.Queue), drop: cancel}
	w.join(room, c)
	var listening sync.WaitGroup
	listening.Go(func() {
		defer cancel()
		w.listen(ctx, conn, room, holder)
	})
	defer func() { // the floor is given back after the last word about it
		cancel()
		w.leave(room, c)
		listening.Wait()
		w.floor.Give(room, holder)
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-c.out:
			if err := conn.Write(ctx, f.kind, f.data); err != nil {
				return
			}
		}
	}
}

func (w *WebSocket) join(room event.RoomID, c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clients[room] == nil {
		w.clients[room] = map[*client]struct{}{}
	}
	w.clients[room][c] = struct{}{}
}

func (w *WebSocket) leave(room event.RoomID, c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.clients[room], c); len(w.clients[room]) == 0 {
		delete(w.clients, room)
	}
}

// listen takes the client's words about the floor until it goes.
func (w *WebSocket) listen(ctx context.Context, conn *websocket.Conn, room event.RoomID, holder string) {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var said struct {
			Floor string `json:"floor"`
		}
		if json.Unmarshal(data, &said) != nil {
			continue
		}
		switch said.Floor {
		case "take":
			w.floor.Take(room, holder)
		case "give":
			w.floor.Give(room, holder)
		}
	}
}
