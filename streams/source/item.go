package source

import (
	"fmt"
	"sort"
	"time"

	"livehost/streams/event"
)

// CloseAfter is how long after its last item a room stays open: a window closes
// at the latest 25 s after its earliest danmaku, so every answer has had its chance.
const CloseAfter = 25 * time.Second

// Item is one thing that is to happen At room time after the epoch: an event to
// publish, or a control for the program that plays it. Exactly one is set.
type Item struct {
	At      time.Duration
	Event   event.Event
	Control *Control
}

// Control asks the player's surroundings to do something that is no event.
type Control struct {
	Kind   ControlKind
	Target string        // what it is done to, e.g. "commerce"
	For    time.Duration // room time it lasts
}

// ControlKind is what a control does.
type ControlKind string

// Outage takes a dependency away for a while.
const Outage ControlKind = "outage"

// Problem is what is wrong with one line of an input file, and what to do.
type Problem struct {
	File string
	Line int // from 1; 0: the file as a whole
	What string
	Do   string
}

// Error renders the problem as one line: file:line: what; what to do.
func (p Problem) Error() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s: %s; %s", where, p.What, p.Do)
}

// Room is the room that items happen in.
type Room struct {
	ID        event.RoomID
	Broadcast event.BroadcastID
	Merchant  event.MerchantID
	Source    string // names the producer, whose clock offset is estimated
	Settings  event.RoomSettings
	Links     []Link // on the shelf when the room opens
}

// Link is one product on a room's shelf.
type Link struct {
	ID      event.LinkID
	Product event.ProductID
}

// Event is a room event of the given kind at a room time in Unix milliseconds;
// suffix makes its id unique within the broadcast.
func (r Room) Event(kind event.RoomEventKind, ms int64, suffix string) event.RoomEvent {
	return event.RoomEvent{
		Schema: event.SchemaVersion, EventID: fmt.Sprintf("%s/%s/%s", r.ID, r.Broadcast, suffix), RoomID: r.ID,
		BroadcastID: r.Broadcast, MerchantID: r.Merchant, Kind: kind, TimeMs: ms, Source: r.Source,
	}
}

// Open is the start of the broadcast: room_opened with the settings, then the shelf.
func (r Room) Open(epoch time.Time) []Item {
	opened := r.Event(event.RoomOpened, epoch.UnixMilli(), "opened")
	settings := r.Settings
	opened.Settings = &settings
	items := []Item{{Event: opened}}
	for _, l := range r.Links {
		listed := r.Event(event.ProductListed, epoch.UnixMilli(), "listed/"+string(l.ID))
		listed.LinkID, listed.ProductID = l.ID, l.Product
		items = append(items, Item{Event: listed})
	}
	return items
}

// Close is the end of the broadcast.
func (r Room) Close(epoch time.Time, at time.Duration) Item {
	return Item{At: at, Event: r.Event(event.RoomClosed, epoch.Add(at).UnixMilli(), "closed")}
}

// Sort orders items by time; equal times keep their order.
func Sort(items []Item) {
	sort.SliceStable(items, func(i, j int) bool { return items[i].At < items[j].At })
}
