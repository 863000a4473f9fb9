package event

import (
	"slices"
	"strings"
)

// OnAir is which broadcast of a room is on, as far as is known: openings and closings come
// late, are played again after a reconnect, get lost, and need not name their broadcast.
// All stages have to agree on it: each of them keeps one and gives it what it sees. The
// zero value knows nothing: the room may be in the middle of a broadcast.
type OnAir struct {
	ID       BroadcastID // that was named last: it is on, or was until it was closed; "": none was
	Opened   BroadcastID // that OpenedMs is of; "": that opening had no name
	OpenedMs int64       // when it began; 0: not known
	Closed   bool
	ClosedMs int64         // when it was closed
	Ended    []BroadcastID // the latest that are over, oldest first
}

// maxEnded are remembered: who still has the page of one before them is a stranger.
const maxEnded = 8

// Take applies an event. past reports one of a broadcast before, that is to be ignored; of
// what is shown and said it is not clear without a name, a feed may begin with it. anew
// reports that a broadcast has begun after another one, of which nothing is to be left: it
// is not so of the first opening, which comes in the middle of what it is of.
func (o *OnAir) Take(e *RoomEvent) (past, anew bool) {
	switch e.Kind {
	case RoomOpened:
		return o.open(e.BroadcastID, e.TimeMs)
	case RoomClosed:
		return o.close(e.BroadcastID, e.TimeMs), false
	case RoomSettingsSet, DanmakuRetracted: // they may be of any broadcast
		return false, false
	default:
		if o.Follows(e.BroadcastID, e.TimeMs) {
			return false, o.Is(e.BroadcastID)
		}
		return e.TimeMs < o.OpenedMs && e.BroadcastID != "" && o.Opened != "" && e.BroadcastID != o.Opened, false
	}
}

func (o *OnAir) open(b BroadcastID, ms int64) (past, anew bool) {
	switch {
	case ms < o.OpenedMs && (o.Closed || b == "" || b != o.Opened): // one that comes late may be of the broadcast that is on
		return true, false
	case o.Closed && ms < o.ClosedMs && (b == "" || o.Over(b)): // of another it shows that the closing is late
		return true, false
	case o.OpenedMs == 0 || o.Closed || b != "" && b != o.Opened:
		return false, o.begin(b, ms)
	default: // said again
		return false, false
	}
}

// close ends the broadcast that is on; of another it notes that it is over.
func (o *OnAir) close(b BroadcastID, ms int64) (past bool) {
	own := b == "" || b == o.ID || b == o.Opened
	switch {
	case o.Before(b), own && ms < o.OpenedMs:
		return true
	case ms < o.OpenedMs, !own && o.Closed && o.ID != "", !own && !o.Closed && o.Opened != "":
		o.end(b)
		if o.Closed { // what was opened before that is over, too
			o.ClosedMs = max(o.ClosedMs, ms)
		}
		return true
	case !o.Closed:
		o.Closed, o.ClosedMs = true, ms
	}
	if !own { // whatever the opening without a name was of
		o.end(o.ID)
	}
	o.named(b)
	return false
}

// Is says that b is on: one that has begun after the closing, or that the next one is
// called so. Of an opening that is lost it is known only that it came after the closing.
func (o *OnAir) Is(b BroadcastID) (anew bool) {
	switch {
	case b == "" || o.Over(b):
		return false
	case o.Closed:
		return o.begin(b, o.ClosedMs+1)
	default:
		o.named(b)
		return false
	}
}

// Follows reports that what is of the broadcast b, and said at ms, shows that b has begun
// after the one that was closed: its opening is late, or lost.
func (o *OnAir) Follows(b BroadcastID, ms int64) bool {
	return o.Closed && ms > o.ClosedMs && o.ID != "" && !o.Over(b)
}

// Over reports that b is closed, or that the next one has begun, which need not wait for a
// closing; "" is the one that was on last.
func (o *OnAir) Over(b BroadcastID) bool {
	return o.Before(b) || o.Closed && (b == "" || b == o.ID || b == o.Opened)
}

// Before reports a broadcast that ended before the one that was on last.
func (o *OnAir) Before(b BroadcastID) bool { return b != "" && slices.Contains(o.Ended, b) }

// begin starts a broadcast. One without a name may be the last one, going on.
func (o *OnAir) begin(b BroadcastID, ms int64) (anew bool) {
	anew = o.OpenedMs > 0 || o.Closed || b != "" && o.ID != "" && b != o.ID
	if b != "" {
		for _, was := range []BroadcastID{o.Opened, o.ID} {
			if was != b {
				o.end(was)
			}
		}
		o.Ended = slices.DeleteFunc(o.Ended, func(e BroadcastID) bool { return e == b }) // it goes on
		o.named(b)
		b = o.ID
	}
	o.Opened, o.OpenedMs, o.Closed, o.ClosedMs = b, ms, false, 0
	return anew
}

// named keeps the name without the longer text that it may be a part of.
func (o *OnAir) named(b BroadcastID) {
	if b != "" && b != o.ID {
		o.ID = BroadcastID(strings.Clone(string(b)))
	}
}

func (o *OnAir) end(b BroadcastID) {
	if b == "" || o.Before(b) {
		return
	}
	if len(o.Ended) == maxEnded {
		o.Ended = slices.Delete(o.Ended, 0, 1)
	}
	o.Ended = append(o.Ended, BroadcastID(strings.Clone(string(b))))
}
