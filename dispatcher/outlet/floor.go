package outlet

import (
	"context"
	"sync"

	"livehost/streams/event"
)

// Floor knows who else is speaking in rooms: a human host, a running script. It is safe
// for concurrent use; a nil Floor is always free.
type Floor struct {
	mu    sync.Mutex
	rooms map[event.RoomID]*roomFloor
}

type roomFloor struct {
	holders map[string]struct{}
	waiting []chan struct{} // closed when the floor is free
	taken   map[*func()]struct{}
}

// NewFloor is free everywhere.
func NewFloor() *Floor { return &Floor{rooms: map[event.RoomID]*roomFloor{}} }

func (f *Floor) room(id event.RoomID) *roomFloor {
	r := f.rooms[id]
	if r == nil {
		r = &roomFloor{holders: map[string]struct{}{}, taken: map[*func()]struct{}{}}
		f.rooms[id] = r
	}
	return r
}

// forget keeps idle rooms from piling up.
func (f *Floor) forget(id event.RoomID, r *roomFloor) {
	if len(r.holders)+len(r.waiting)+len(r.taken) == 0 {
		delete(f.rooms, id)
	}
}

// Take interrupts the room's voice until holder gives the floor back.
func (f *Floor) Take(id event.RoomID, holder string) {
	f.mu.Lock()
	r := f.room(id)
	r.holders[holder] = struct{}{}
	var tell []func()
	for fn := range r.taken {
		tell = append(tell, *fn)
	}
	f.mu.Unlock()
	for _, fn := range tell {
		fn()
	}
}

// Give is the end of Take.
func (f *Floor) Give(id event.RoomID, holder string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.room(id)
	delete(r.holders, holder)
	if len(r.holders) == 0 {
		for _, w := range r.waiting {
			close(w)
		}
		r.waiting = nil
	}
	f.forget(id, r)
}

// await returns when the floor is free, or with ctx's error.
func (f *Floor) await(ctx context.Context, id event.RoomID) error {
	for f != nil {
		f.mu.Lock()
		r := f.room(id)
		if len(r.holders) == 0 {
			f.forget(id, r)
			f.mu.Unlock()
			break
		}
		free := make(chan struct{})
		r.waiting = append(r.waiting, free)
		f.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// whenTaken calls fn when somebody takes the floor, at once when somebody has it, until
// stop.
func (f *Floor) whenTaken(id event.RoomID, fn func()) (stop func()) {
	if f == nil {
		return func() {}
	}
	f.mu.Lock()
	r := f.room(id)
	r.taken[&fn] = struct{}{}
	held := len(r.holders) > 0
	f.mu.Unlock()
	if held {
		fn()
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(r.taken, &fn)
		f.forget(id, r)
	}
}
