package aggregator

import (
	"sync"

	"livehost/streams/event"
)

// windows are used again once the publisher has returned: a window with its snapshot
// is most of what a danmaku would leave to the garbage collector.
type windows struct{ pool sync.Pool }

// take is a window of unknown content, and slices to be filled anew.
func (s *windows) take() *event.Window {
	if w, ok := s.pool.Get().(*event.Window); ok {
		return w
	}
	return &event.Window{}
}

// put takes the windows among what was published. They keep nothing alive.
func (s *windows) put(events []event.Event) {
	for _, e := range events {
		if w, ok := e.(*event.Window); ok {
			clear(w.Members)
			clear(w.Context.HostUtterances)
			clear(w.Context.Dialogue)
			*w = event.Window{Members: w.Members, Context: event.ContextSnapshot{HostUtterances: w.Context.HostUtterances, Dialogue: w.Context.Dialogue}}
			s.pool.Put(w)
		}
	}
}
