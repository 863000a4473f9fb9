package board

import (
	"cmp"
	"container/list"
	"errors"
	"slices"
	"strings"
	"sync"

	"livehost/streams/event"
)

// Config is how much a Board keeps.
type Config struct {
	Danmaku   int  `yaml:"danmaku"` // the newest so many, and twice as many windows
	Reasoning bool `yaml:"-"`       // keep the model's reasoning and outputs; set by whoever may see them
}

// DefaultConfig keeps 2,000 danmaku.
func DefaultConfig() Config { return Config{Danmaku: 2000} }

// Validate reports every problem.
func (c Config) Validate() error {
	if c.Danmaku < 1 {
		return errors.New("danmaku: must be at least 1")
	}
	return nil
}

// Board is the memory. Safe for concurrent use.
type Board struct {
	cfg Config

	mu      sync.Mutex
	rows    shelf[key, *row]
	windows shelf[event.WindowID, *window]
	rooms   map[event.RoomID]*Room
	recent  *list.List // of *row, least recently changed first
	places  map[key]*list.Element
	version uint64
	changed chan struct{} // closed at the next change
}

// key tells danmaku apart: platforms number them within a room.
type key string

func keyOf(room event.RoomID, id event.DanmakuID) key { return key(string(room) + "\x00" + string(id)) }

// windowsPerDanmaku leaves room for windows of events and for second asks, so that
// a danmaku is forgotten before its window.
const windowsPerDanmaku = 2

// New makes an empty board.
func New(cfg Config) (*Board, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Board{
		cfg:     cfg,
		rows:    newShelf(cfg.Danmaku, func(r *row) (int64, key) { return r.at, r.key() }),
		windows: newShelf(windowsPerDanmaku*cfg.Danmaku, func(w *window) (int64, event.WindowID) { return w.at, w.data.ID }),
		rooms:   map[event.RoomID]*Room{}, recent: list.New(), places: map[key]*list.Element{}, changed: make(chan struct{}),
	}, nil
}

// Changes are the rows that changed after version since, least recently changed
// first, the version they bring the reader to, and a channel that is closed when
// there is more.
func (b *Board) Changes(since uint64) ([]Row, uint64, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Row
	for e := b.recent.Back(); e != nil && e.Value.(*row).data.Version > since; e = e.Prev() {
		out = append(out, e.Value.(*row).copy())
	}
	slices.Reverse(out)
	return out, b.version, b.changed
}

// Latest are at most limit rows that match, newest first, and the version they show.
func (b *Board) Latest(f Filter, limit int) ([]Row, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Row
	for i := len(b.rows.order) - 1; i >= 0 && len(out) < limit; i-- {
		if r := b.rows.order[i].copy(); f.Match(r) {
			out = append(out, r)
		}
	}
	return out, b.version
}

// Row is one danmaku.
func (b *Board) Row(room event.RoomID, id event.DanmakuID) (Row, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r, ok := b.rows.byID[keyOf(room, id)]; ok {
		return r.copy(), true
	}
	return Row{}, false
}

// Named are the danmaku of all rooms that have the id, newest first.
func (b *Board) Named(id event.DanmakuID) []Row {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Row
	for _, r := range slices.Backward(b.rows.order) {
		if r.data.ID == id {
			out = append(out, r.copy())
		}
	}
	return out
}

// Window is one window; id may also be that of one of its runs.
func (b *Board) Window(id string) (Window, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, ok := b.windows.byID[event.WindowID(id)]
	if at := strings.LastIndexByte(id, '#'); !ok && at >= 0 {
		w, ok = b.windows.byID[event.WindowID(id[:at])]
	}
	if !ok {
		return Window{}, false
	}
	return w.copy(), true
}

// touch marks a row as changed.
func (b *Board) touch(r *row) {
	b.version++
	r.data.Version = b.version
	if e, ok := b.places[r.key()]; ok {
		b.recent.MoveToBack(e)
		return
	}
	b.places[r.key()] = b.recent.PushBack(r)
}

func (b *Board) touchWindow(w *window) {
	for k := range w.rows {
		if r, ok := b.rows.byID[k]; ok {
			b.touch(r)
		}
	}
}

// row finds or makes a row; nil: it is older than all that are kept.
func (b *Board) row(id event.DanmakuID, room event.RoomID, askedMs int64) *row {
	k := keyOf(room, id)
	if r, ok := b.rows.byID[k]; ok {
		return r
	}
	r := &row{at: askedMs, data: Row{ID: id, Room: room, AskedMs: askedMs}}
	out, ok := b.rows.put(k, r)
	if !ok {
		return nil
	}
	if out != nil {
		b.forget(*out)
	}
	return r
}

func (b *Board) forget(r *row) {
	k := r.key()
	if e, ok := b.places[k]; ok {
		b.recent.Remove(e)
		delete(b.places, k)
	}
	for _, w := range r.windows {
		delete(w.rows, k)
	}
}

func (b *Board) window(id event.WindowID, room event.RoomID, atMs int64) *window {
	if w, ok := b.windows.byID[id]; ok {
		return w
	}
	w := &window{at: atMs, data: Window{ID: id, Room: room, OpenedMs: atMs}, rows: map[key]bool{}, heard: map[event.DeliveryID]int{}}
	out, ok := b.windows.put(id, w)
	if !ok {
		return nil
	}
	if out != nil {
		b.forgetWindow(*out)
	}
	return w
}

func (b *Board) forgetWindow(w *window) {
	for k := range w.rows {
		if r, ok := b.rows.byID[k]; ok {
			r.windows = slices.DeleteFunc(r.windows, func(other *window) bool { return other == w })
		}
	}
}

// shelf keeps the newest of something, by time and id.
type shelf[K cmp.Ordered, V any] struct {
	max   int
	key   func(V) (int64, K)
	byID  map[K]V
	order []V // oldest first
}

func newShelf[K cmp.Ordered, V any](size int, key func(V) (int64, K)) shelf[K, V] {
	return shelf[K, V]{max: size, key: key, byID: map[K]V{}}
}

// put adds v under id and returns what had to go for it; ok false: v itself is
// older than everything on a full shelf, and was not taken.
func (s *shelf[K, V]) put(id K, v V) (out *V, ok bool) {
	at, _ := slices.BinarySearchFunc(s.order, v, func(a, b V) int {
		am, ai := s.key(a)
		bm, bi := s.key(b)
		return cmp.Or(cmp.Compare(am, bm), cmp.Compare(ai, bi))
	})
	if len(s.order) < s.max {
		s.order = slices.Insert(s.order, at, v)
		s.byID[id] = v
		return nil, true
	}
	if at == 0 {
		return nil, false
	}
	oldest := s.order[0]
	copy(s.order, s.order[1:at])
	s.order[at-1] = v
	_, key := s.key(oldest)
	delete(s.byID, key)
	s.byID[id] = v
	return &oldest, true
}
