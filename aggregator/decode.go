package aggregator

import (
	"livehost/internal/fault"
	"livehost/streams/event"
)

// longestID bounds, in bytes, the ids and names that come from outside. Ours are made of
// them, several in one record: the log refuses what becomes too large, and a partition
// whose outcomes it refuses stands still.
const longestID = 256

type named struct{ name, id string }

// short refuses ids that are too long.
func short(topic string, ids ...named) error {
	for _, n := range ids {
		if len(n.id) > longestID {
			return fault.Errorf(fault.Invalid, "%s: %s of %d bytes, at most %d", topic, n.name, len(n.id), longestID)
		}
	}
	return nil
}

func decodeDanmaku(b []byte) (event.Danmaku, error) {
	d, err := event.DecodeInPlace[event.Danmaku](b)
	if err != nil {
		return d, err
	}
	return d, short(event.TopicDanmaku, named{"room_id", string(d.RoomID)}, named{"danmaku_id", string(d.DanmakuID)},
		named{"viewer_id", string(d.ViewerID)}, named{"reply_to", string(d.ReplyTo)}, named{"broadcast_id", string(d.BroadcastID)},
		named{"merchant_id", string(d.MerchantID)}, named{"source", d.Source})
}

func decodeRoomEvent(b []byte) (event.RoomEvent, error) {
	e, err := event.Decode[event.RoomEvent](b)
	if err != nil {
		return e, err
	}
	return e, short(event.TopicRoomEvent, named{"room_id", string(e.RoomID)}, named{"event_id", e.EventID}, named{"viewer_id", string(e.ViewerID)},
		named{"danmaku_id", string(e.DanmakuID)}, named{"link_id", string(e.LinkID)}, named{"product_id", string(e.ProductID)}, named{"gift_name", e.GiftName},
		named{"broadcast_id", string(e.BroadcastID)}, named{"merchant_id", string(e.MerchantID)}, named{"source", e.Source})
}

func decodeOrder(b []byte) (event.Order, error) {
	o, err := event.Decode[event.Order](b)
	if err != nil {
		return o, err
	}
	return o, short(event.TopicOrder, named{"room_id", string(o.RoomID)}, named{"viewer_id", string(o.ViewerID)})
}
