package aggregator

import "livehost/streams/event"

// reply is what is read of a reply.v1, delivery of a delivery.v1, opened of a window.v1
// after a restart: they come back for every window, and most of what else is in them is
// text, facts, versions and snapshots.
type reply struct {
	Schema     int               `json:"schema"`
	ReplyID    event.WindowID    `json:"reply_id"`
	RoomID     event.RoomID      `json:"room_id"`
	NotCovered []event.DanmakuID `json:"not_covered"`
	CreatedMs  int64             `json:"created_ms"`
}

type delivery struct {
	Schema         int                 `json:"schema"`
	DeliveryID     event.DeliveryID    `json:"delivery_id"`
	ReplyID        event.WindowID      `json:"reply_id"`
	RoomID         event.RoomID        `json:"room_id"`
	Channel        event.Channel       `json:"channel"`
	State          event.DeliveryState `json:"state"`
	Text           string              `json:"text"`
	DanmakuIDs     []event.DanmakuID   `json:"danmaku_ids"`
	ViewerID       event.ViewerID      `json:"viewer_id"`
	StaleFact      bool                `json:"stale_fact"`
	SpeechQueuedMs int64               `json:"speech_queued_ms"`
	TimeMs         int64               `json:"time_ms"`
}

type opened struct {
	Schema            int               `json:"schema"`
	WindowID          event.WindowID    `json:"window_id"`
	RoomID            event.RoomID      `json:"room_id"`
	BroadcastID       event.BroadcastID `json:"broadcast_id"`
	Kind              event.WindowKind  `json:"kind"`
	Experiment        string            `json:"experiment"`
	ExperimentVersion int               `json:"experiment_version"`
	Variant           event.Variant     `json:"variant"`
	Class             event.Class       `json:"class"`
	Members           []event.Member    `json:"members"`
	Event             *event.RoomEvent  `json:"event"`
	EarliestMs        int64             `json:"earliest_ms"`
	AnswerByMs        int64             `json:"answer_by_ms"`
	OpenedMs          int64             `json:"opened_ms"`
}

func (reply) Topic() string          { return event.TopicReply }
func (e reply) Key() event.RoomID    { return e.RoomID }
func (e reply) EventSchema() int     { return e.Schema }
func (delivery) Topic() string       { return event.TopicDelivery }
func (e delivery) Key() event.RoomID { return e.RoomID }
func (e delivery) EventSchema() int  { return e.Schema }
func (opened) Topic() string         { return event.TopicWindow }
func (e opened) Key() event.RoomID   { return e.RoomID }
func (e opened) EventSchema() int    { return e.Schema }

// Missing lists what is absent of the fields that are read.
func (e reply) Missing() (out []string) {
	if e.RoomID == "" {
		out = append(out, "room_id")
	}
	if e.ReplyID == "" {
		out = append(out, "reply_id")
	}
	return out
}

// Missing lists the absent required fields: all of them are read.
func (e delivery) Missing() []string {
	return event.Delivery{RoomID: e.RoomID, DeliveryID: e.DeliveryID, ReplyID: e.ReplyID, State: e.State, Channel: e.Channel}.Missing()
}

// Missing lists the absent required fields: all of them are read.
func (e opened) Missing() []string {
	return event.Window{
		RoomID: e.RoomID, WindowID: e.WindowID, Kind: e.Kind, Variant: e.Variant, AnswerByMs: e.AnswerByMs, Members: e.Members, Event: e.Event,
	}.Missing()
}
