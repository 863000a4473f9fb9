package web_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"livehost/streams"
	"livehost/streams/event"
	"livehost/web"
)

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// message is one message of the stream.
type message struct {
	ID    string `json:"-"`
	Reset bool   `json:"reset"`
	Rows  []struct{ ID, HTML string }
	Drop  []string
	Panel string
}

// reader is an open stream.
type reader struct {
	*bufio.Scanner
	close func()
}

func (r *rig) open(t testing.TB, path, lastID string) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %s, %s", path, resp.Status, resp.Header.Get("Content-Type"))
	}
	s := bufio.NewScanner(resp.Body)
	s.Buffer(nil, 4<<20)
	out := &reader{s, func() { cancel(); resp.Body.Close() }}
	t.Cleanup(out.close)
	return out
}

// next is the next message.
func (s *reader) next(t testing.TB) message {
	t.Helper()
	var m message
	for s.Scan() {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, "id: "):
			m.ID = line[4:]
		case strings.HasPrefix(line, "data: "):
			if err := json.Unmarshal([]byte(line[6:]), &m); err != nil {
				t.Fatalf("message: %v in %s", err, line)
			}
		case line == "" && m.ID != "":
			return m
		}
	}
	t.Fatalf("the stream ended: %v", s.Err())
	return m
}

func (r *rig) messages(t testing.TB, path string, n int) (out []message) {
	t.Helper()
	s := r.open(t, path, "")
	defer s.close()
	for range n {
		out = append(out, s.next(t))
	}
	return out
}

func (m message) row(id string) string {
	for _, r := range m.Rows {
		if r.ID == id {
			return r.HTML
		}
	}
	return ""
}

// A row fills in as things happen, and a page that comes back gets what it missed.
func TestStream(t *testing.T) {
	t.Parallel()
	r := start(t)
	s := r.open(t, "/live/stream", "")
	first := s.next(t)
	if !first.Reset || len(first.Rows) != 0 {
		t.Fatalf("first message %+v", first)
	}
	way := answered()
	r.publish(t, way[:2]...)
	m := s.next(t)
	for m.row("room-1/d1") == "" {
		m = s.next(t)
	}
	if row := m.row("room-1/d1"); !strings.Contains(row, "多少钱") || !strings.Contains(row, "none yet") || m.Reset {
		t.Errorf("asked: %s", row)
	}
	away := m.ID
	r.publish(t, way[2:]...)
	for !strings.Contains(m.row("room-1/d1"), "spoken") {
		m = s.next(t)
	}
	s.close()

	back := r.open(t, "/live/stream", away).next(t)
	if row := back.row("room-1/d1"); back.Reset || !strings.Contains(row, "3号今天59元") {
		t.Errorf("came back: reset %v, %s", back.Reset, row)
	}
	if m := r.open(t, "/live/stream", "another-process.7").next(t); !m.Reset || m.row("room-1/d1") == "" {
		t.Errorf("of another process: reset %v, %d rows; want everything anew", m.Reset, len(m.Rows))
	}
}

// A row that stops matching the filter is taken away.
func TestStreamFilters(t *testing.T) {
	t.Parallel()
	r := start(t)
	s := r.open(t, "/live/stream?outcome=pending&room=room-1", "")
	elsewhere := danmaku("d0", "elsewhere", evening)
	elsewhere.RoomID = "room-2"
	r.publish(t, elsewhere, danmaku("d1", "多少钱", evening))
	m := s.next(t)
	for m.row("room-1/d1") == "" {
		m = s.next(t)
	}
	if m.row("room-1/d0") != "" {
		t.Error("another room's row came")
	}
	r.publish(t, outcome("d1", event.Filtered, "noise"))
	for len(m.Drop) == 0 || m.Drop[len(m.Drop)-1] != "room-1/d1" {
		m = s.next(t)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *web.Config, _ *web.Deps) { c.Streams = 2 })
	a, b := r.open(t, "/live/stream", ""), r.open(t, "/live/stream", "")
	a.next(t)
	b.next(t)
	if code, _, _ := r.get(t, "/live/stream"); code != http.StatusServiceUnavailable {
		t.Errorf("third stream: %d, want 503", code)
	}
	a.close()
	var c *reader
	eventually(t, func() bool {
		resp, err := http.Get(r.url + "/live/stream")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}, func() string { return "a stream that was closed was never given back" })
	_ = c
}

// Clients that vanish, and a stop with streams open, leave nothing behind: goleak
// looks in TestMain.
func TestClientsThatVanish(t *testing.T) {
	t.Parallel()
	r := start(t)
	for i := range 20 {
		s := r.open(t, "/live/stream", "")
		s.next(t)
		r.publish(t, danmaku(fmt.Sprint("d", i), "hello", evening+int64(i)))
		if i%2 == 0 {
			s.close()
		}
	}
	r.end()
}

// broken fails for a while, then follows.
type broken struct {
	streams.Reader
	failed atomic.Bool
}

func (b *broken) Follow(ctx context.Context, topics []string, fromEnd bool, fn func(streams.Record)) error {
	if b.failed.CompareAndSwap(false, true) {
		return errors.New("no broker")
	}
	return b.Reader.Follow(ctx, topics, fromEnd, fn)
}

func TestLogThatComesBack(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *web.Config, d *web.Deps) { d.Live = &broken{Reader: d.Live.(streams.Reader)} })
	r.publish(t, answered()...)
	r.shows(t, "/", "The log cannot be read")
	r.shows(t, "/", "3号今天59元")
}
