package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"livehost/harness"
	"livehost/internal/demo"
	"livehost/streams/event"
	"livehost/streams/source"
)

// rooms is how many rooms each fault has; none is used twice.
const rooms = 3

// meanGap is between two danmaku of a room. The rooms together ask for about what
// the policy can do.
const meanGap = 1300 * time.Millisecond

// texts are what viewers write: the danmaku of our own evening.
func texts(catalog *harness.Catalog) ([]string, error) {
	room, err := demo.OpenRoom(demo.RoomOptions{})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range room.Items(time.Now(), catalog) {
		if d, ok := it.Event.(event.Danmaku); ok && !d.Host && !d.Mirror {
			out = append(out, d.Text)
		}
	}
	return out, nil
}

// load is what happens in the rooms named prefix-0, prefix-1, ...: they open, show
// links, and viewers write until length is over.
func load(prefix string, length time.Duration, epoch time.Time, catalog *harness.Catalog, said []string, random *rand.Rand) []source.Item {
	var items []source.Item
	for i := range rooms {
		room := source.Room{
			ID: event.RoomID(fmt.Sprintf("%s-%d", prefix, i)), Broadcast: "b-1", Source: "faults",
			Settings: event.RoomSettings{Language: "zh", PrivateText: true, HandOver: true, HostName: "小播"},
		}
		for _, p := range catalog.Products {
			room.Links = append(room.Links, source.Link{ID: p.LinkID, Product: p.ProductID})
		}
		items = append(items, room.Open(epoch)...)
		shown := room.Links[random.IntN(len(room.Links))]
		focus := room.Event(event.ProductInFocus, epoch.UnixMilli(), "focus")
		focus.LinkID, focus.ProductID = shown.ID, shown.Product
		items = append(items, source.Item{Event: focus})
		at := time.Duration(random.ExpFloat64() * float64(meanGap))
		for n := 0; at < length; n++ {
			viewer := random.IntN(40)
			items = append(items, source.Item{At: at, Event: event.Danmaku{
				Schema: event.SchemaVersion, DanmakuID: event.DanmakuID(fmt.Sprintf("%s-%d-d%d", prefix, i, n)), RoomID: room.ID, BroadcastID: room.Broadcast,
				Source: room.Source, ViewerID: event.ViewerID(fmt.Sprintf("%s-v%d", prefix, viewer)), ViewerName: fmt.Sprintf("观众%d", viewer),
				Text: said[random.IntN(len(said))], PlatformTimeMs: epoch.Add(at).UnixMilli(),
			}})
			at += time.Duration(random.ExpFloat64() * float64(meanGap))
		}
	}
	source.Sort(items)
	return items
}
