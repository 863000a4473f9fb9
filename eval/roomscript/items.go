package roomscript

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"livehost/streams/event"
	"livehost/streams/source"
)

// danmakuIDs are the ids of the danmaku that the action sends first.
func (x Action) danmakuIDs() []string {
	base := x.ID
	if base == "" {
		base = fmt.Sprintf("d-L%d", x.Line)
	}
	switch x.Kind {
	case "viewer", "anonymous", "host":
		return []string{base}
	case "flood", "many":
		ids := make([]string, x.Count)
		for i := range ids {
			ids[i] = fmt.Sprintf("%s-%d", base, i+1)
		}
		return ids
	default:
		return nil
	}
}

// Items is the script as items from the epoch on, every room opened at 0 with
// its settings and shelf and closed at the end. links are the shelf's products;
// a link that the script lists itself is not on the shelf before.
func (s *Script) Items(epoch time.Time, links []source.Link) []source.Item {
	e := emitter{epoch: epoch, sent: map[string]event.Danmaku{}, seqs: map[string][]Action{}, products: map[event.LinkID]event.ProductID{}}
	for _, l := range links {
		e.products[l.ID] = l.Product
	}
	for i, room := range s.Rooms {
		room.Links = s.shelf(i, links)
		e.items = append(e.items, room.Open(epoch)...)
	}
	closed := make([]bool, len(s.Rooms))
	last := make([]time.Duration, len(s.Rooms))
	for _, x := range s.Actions {
		for _, item := range e.danmaku(s.Rooms[x.Room], x) {
			d := item.Event.(event.Danmaku)
			e.sent[string(d.DanmakuID)] = d
		}
	}
	for _, x := range byTime(s.Actions) {
		e.emit(s.Rooms[x.Room], x)
		closed[x.Room] = closed[x.Room] || x.Kind == "close"
		last[x.Room] = max(last[x.Room], x.At+x.Over)
	}
	for i, room := range s.Rooms {
		if !closed[i] {
			e.items = append(e.items, room.Close(epoch, last[i]+source.CloseAfter))
		}
	}
	source.Sort(e.items)
	return e.items
}

func byTime(actions []Action) []Action {
	sorted := slices.Clone(actions)
	slices.SortStableFunc(sorted, func(a, b Action) int { return cmp.Compare(a.At, b.At) })
	return sorted
}

// shelf leaves out the links that the script lists later itself.
func (s *Script) shelf(room int, links []source.Link) []source.Link {
	listed := map[event.LinkID]bool{}
	for _, x := range s.Actions {
		if x.Room == room && x.Kind == "list" {
			listed[x.Link] = true
		}
	}
	var out []source.Link
	for _, l := range links {
		if !listed[l.ID] {
			out = append(out, l)
		}
	}
	return out
}

type emitter struct {
	epoch    time.Time
	items    []source.Item
	sent     map[string]event.Danmaku // for repeat
	seqs     map[string][]Action      // status changes of each order so far
	products map[event.LinkID]event.ProductID
}

func (e *emitter) add(at time.Duration, ev event.Event) {
	e.items = append(e.items, source.Item{At: at, Event: ev})
}

// roomKinds maps words to the room events they are.
var roomKinds = map[string]event.RoomEventKind{
	"say": event.HostUtterance, "retract": event.DanmakuRetracted, "focus": event.ProductInFocus, "list": event.ProductListed,
	"delist": event.ProductDelisted, "price": event.ProductChanged, "stock": event.ProductChanged, "gift": event.Gift, "like": event.Like,
	"enter": event.Enter, "follow": event.Follow, "cart": event.AddToCart, "settings": event.RoomSettingsSet, "close": event.RoomClosed,
}

func (e *emitter) emit(room source.Room, x Action) {
	switch x.Kind {
	case "viewer", "anonymous", "host", "flood", "many":
		e.items = append(e.items, e.danmaku(room, x)...)
	case "repeat":
		e.add(x.At, e.sent[x.ID])
	case "order":
		e.add(x.At, e.order(room, x))
	case "outage":
		e.items = append(e.items, source.Item{At: x.At, Control: &source.Control{Kind: source.Outage, Target: x.Target, For: x.Over}})
	default:
		e.add(x.At, e.roomEvent(room, x))
	}
}

// danmaku are the danmaku of one action, none when it is about something else.
func (e *emitter) danmaku(room source.Room, x Action) []source.Item {
	ids := x.danmakuIDs()
	items := make([]source.Item, 0, len(ids))
	for i, id := range ids {
		at, sent := x.At, x.Sent
		viewer := x.Viewer
		if len(ids) > 1 || x.Over > 0 {
			at += x.Over * time.Duration(i) / time.Duration(len(ids))
			sent = at
		}
		if x.Kind == "many" {
			viewer = event.ViewerID(fmt.Sprintf("v-L%d-%d", x.Line, i+1))
		}
		d := event.Danmaku{
			Schema: event.SchemaVersion, DanmakuID: event.DanmakuID(id), RoomID: room.ID, BroadcastID: room.Broadcast,
			MerchantID: room.Merchant, Source: room.Source, ViewerID: viewer, ViewerName: x.Name, Text: x.Texts[i%len(x.Texts)],
			PlatformTimeMs: e.epoch.Add(sent).UnixMilli(), ReplyTo: x.ReplyTo, Host: x.Kind == "host", Mirror: x.Mirror, Test: x.Test,
		}
		items = append(items, source.Item{At: at, Event: d})
	}
	return items
}

func (e *emitter) roomEvent(room source.Room, x Action) event.RoomEvent {
	ev := room.Event(roomKinds[x.Kind], e.epoch.Add(x.At).UnixMilli(), fmt.Sprintf("L%d", x.Line))
	ev.LinkID, ev.ProductID, ev.ViewerID, ev.ViewerName = x.Link, x.Product, x.Viewer, x.Name
	if x.Kind == "list" && x.Product != "" {
		e.products[x.Link] = x.Product
	}
	if ev.ProductID == "" {
		ev.ProductID = e.products[x.Link]
	}
	switch x.Kind {
	case "say":
		ev.Text = x.Texts[0]
	case "retract":
		ev.DanmakuID = event.DanmakuID(x.ID)
	case "price":
		ev.PriceFen = &x.Fen
	case "stock":
		ev.Stock = &x.Count
	case "gift":
		ev.GiftName, ev.Count, ev.ValueFen = x.Gift, x.Count, x.Fen
	case "like":
		ev.Count = x.Count
	case "settings":
		ev.Settings = &x.ChangesTo
	}
	return ev
}

// order numbers the status changes of an order; the same line again is the same
// change, as platforms repeat them.
func (e *emitter) order(room source.Room, x Action) event.Order {
	seq := 0
	for i, before := range e.seqs[x.ID] {
		if before.Status == x.Status && before.Fen == x.Fen && before.Link == x.Link {
			seq = i + 1
		}
	}
	if seq == 0 {
		e.seqs[x.ID] = append(e.seqs[x.ID], x)
		seq = len(e.seqs[x.ID])
	}
	return event.Order{
		Schema: event.SchemaVersion, OrderID: event.OrderID(x.ID), Seq: seq, RoomID: room.ID, MerchantID: room.Merchant, Status: x.Status,
		AmountFen: x.Fen, ViewerID: x.Viewer, ProductID: e.products[x.Link], LinkID: x.Link, Quantity: x.Count,
		TimeMs: e.epoch.Add(x.At).UnixMilli(), Source: room.Source,
	}
}
