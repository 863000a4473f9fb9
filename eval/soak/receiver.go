package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/streams/event"
)

// receiver plays what dispatchers say, and remembers it. It refuses the cues of an owner
// that is not the room's last.
type receiver struct {
	addr   string
	server *http.Server

	mu      sync.Mutex
	rooms   map[event.RoomID]*stage
	keys    map[string]bool                       // of calls that were taken
	begun   map[event.DeliveryID]time.Time        // speech that was heard
	sent    map[event.DeliveryID]bool             // private text that arrived
	whole   map[event.DeliveryID]bool             // speech whose last sentence was begun, and not stopped
	said    map[sentence]bool                     // sentences that were heard
	voices  map[event.RoomID][]time.Time          // when speech began
	counted struct{ twice, overlaps, fenced int } // sentences heard again, begun while another spoke, refused
	what    []string                              // of those
}

type sentence struct {
	delivery event.DeliveryID
	seq      int
}

// stage is what a room hears.
type stage struct {
	fence    int64
	delivery event.DeliveryID
	until    time.Time // the present sentence is heard
}

func newReceiver() (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{
		addr: l.Addr().String(), rooms: map[event.RoomID]*stage{}, keys: map[string]bool{}, begun: map[event.DeliveryID]time.Time{},
		sent: map[event.DeliveryID]bool{}, said: map[sentence]bool{}, whole: map[event.DeliveryID]bool{}, voices: map[event.RoomID][]time.Time{},
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Second}
	go func() { _ = r.server.Serve(l) }() // it ends when closed
	return r, nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var call struct {
		Speech  *event.SpeechCue
		Private *dispatcher.PrivateText
	}
	if err := json.NewDecoder(req.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := call.Speech; c != nil {
		w.WriteHeader(r.cue(*c, time.Now()))
		return
	}
	if t := call.Private; t != nil {
		key := req.Header.Get(outlet.HeaderIdempotency)
		if r.keys[key] {
			w.WriteHeader(http.StatusConflict)
			return
		}
		r.keys[key], r.sent[t.DeliveryID] = true, true
	}
}

// cue plays a cue that came at now, and says how it was taken: by fence first, then by
// key.
func (r *receiver) cue(c event.SpeechCue, now time.Time) (status int) {
	s := r.rooms[c.RoomID]
	if s == nil {
		s = &stage{}
		r.rooms[c.RoomID] = s
	}
	if c.Fence < s.fence {
		r.counted.fenced++
		return http.StatusPreconditionFailed
	}
	s.fence = c.Fence
	key := fmt.Sprint(c.CueID, "#", c.Fence) // another owner that says the same says it again
	if r.keys[key] {
		return http.StatusConflict // it plays already
	}
	r.keys[key] = true
	if c.Kind != event.CueSentence {
		if s.delivery == c.DeliveryID && now.Before(s.until) {
			s.until = now
			delete(r.whole, c.DeliveryID)
		}
		return http.StatusOK
	}
	if s.delivery != c.DeliveryID && now.Before(s.until) {
		r.counted.overlaps++
		r.what = append(r.what, "overlap: "+string(c.DeliveryID)+" began "+s.until.Sub(now).String()+" before "+string(s.delivery)+" ended")
	}
	if at := (sentence{c.DeliveryID, c.Seq}); r.said[at] {
		r.counted.twice++
		r.what = append(r.what, "heard again: "+c.CueID)
	} else {
		r.said[at] = true
	}
	if _, again := r.begun[c.DeliveryID]; !again {
		r.begun[c.DeliveryID] = now
		r.voices[c.RoomID] = append(r.voices[c.RoomID], now)
	}
	if c.Seq == c.Of {
		r.whole[c.DeliveryID] = true // it plays on, whatever becomes of who said it
	}
	s.delivery, s.until = c.DeliveryID, now.Add(time.Duration(c.LengthMs)*time.Millisecond)
	return http.StatusOK
}
