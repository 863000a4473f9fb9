package event

// DeliveryState is how far a delivery got.
type DeliveryState string

// The states. A public delivery is DeliveryStarted (acknowledged before first
// audio), then DeliveryEnded. Private text is DeliverySent. DeliverySkipped and
// DeliveryCancelled were never heard; an interrupted one was heard in part.
const (
	DeliveryStarted     DeliveryState = "started"
	DeliveryEnded       DeliveryState = "ended"
	DeliverySent        DeliveryState = "sent"
	DeliverySkipped     DeliveryState = "skipped"
	DeliveryCancelled   DeliveryState = "cancelled"
	DeliveryInterrupted DeliveryState = "interrupted"
)

// Channel is who hears a delivery.
type Channel string

// The channels.
const (
	Public  Channel = "public"
	Private Channel = "private"
)

// Delivery is what was heard or sent (delivery.v1): the only truth of it. The
// states of one delivery share a DeliveryID.
type Delivery struct {
	Schema      int           `json:"schema"`
	DeliveryID  DeliveryID    `json:"delivery_id"`
	ReplyID     WindowID      `json:"reply_id"`
	RunID       RunID         `json:"run_id"`
	RoomID      RoomID        `json:"room_id"`
	Outlet      string        `json:"outlet"`
	Channel     Channel       `json:"channel"`
	State       DeliveryState `json:"state"`
	Reason      string        `json:"reason,omitempty"`
	Text        string        `json:"text"` // as heard or sent
	DanmakuIDs  []DanmakuID   `json:"danmaku_ids,omitempty"`
	ViewerID    ViewerID      `json:"viewer_id,omitempty"` // private
	QuestionKey string        `json:"question_key,omitempty"`
	Intent      string        `json:"intent,omitempty"`
	Class       Class         `json:"class,omitempty"`

	Variant      Variant  `json:"variant"`       // that wrote it
	HeardVariant Variant  `json:"heard_variant"` // whose text the askers heard
	Facts        []Fact   `json:"facts,omitempty"`
	StaleFact    bool     `json:"stale_fact,omitempty"` // cancelled because a fact changed; the aggregator may ask again
	Versions     Versions `json:"versions"`

	FirstAudioMs   int64 `json:"first_audio_ms,omitempty"`
	EndMs          int64 `json:"end_ms,omitempty"`
	SpeakByMs      int64 `json:"speak_by_ms,omitempty"`
	SpeechQueuedMs int64 `json:"speech_queued_ms,omitempty"` // speech waiting in the room after this event
	TimeMs         int64 `json:"time_ms"`
}

// State is the terminal state of a danmaku.
type State string

// The ten states. Every accepted danmaku ends in exactly one.
const (
	Answered   State = "answered"
	Merged     State = "merged"
	Filtered   State = "filtered"
	Shed       State = "shed"
	Expired    State = "expired"
	Silent     State = "silent"
	HandedOver State = "handed_over"
	Suppressed State = "suppressed"
	Retracted  State = "retracted"
	Failed     State = "failed"
)

// States lists the terminal states in the order people read them.
func States() []State {
	return []State{Answered, Merged, Filtered, Shed, Expired, Silent, HandedOver, Suppressed, Retracted, Failed}
}

// The reasons of Suppressed that are about the asker and not about what was asked:
// another viewer who asks the same may be answered.
const (
	ReasonRepeat    = "private_repeat"     // the platform takes the same text for the same viewer not so soon again
	ReasonNoPrivate = "no_private_channel" // private text in a room, or to a viewer, without one
	ReasonStopped   = "voice_stopped"      // an operator stopped the voice, and nothing could be written to the viewer
)

// Outcome is the terminal state of one danmaku (outcome.v1). By is the stage
// that wrote it: the aggregator before window.v1, the agentworker until
// reply.v1, then the dispatcher; the aggregator alone writes Merged.
type Outcome struct {
	Schema     int       `json:"schema"`
	DanmakuID  DanmakuID `json:"danmaku_id"`
	RoomID     RoomID    `json:"room_id"`
	ViewerID   ViewerID  `json:"viewer_id,omitempty"`
	State      State     `json:"state"`
	Reason     string    `json:"reason"`   // snake_case, from the writer's closed list
	By         string    `json:"by"`       // "aggregator", "agentworker" or "dispatcher"
	Eligible   bool      `json:"eligible"` // passed the filters, not a duplicate
	Admitted   bool      `json:"admitted"` // was placed in a window.v1
	WindowID   WindowID  `json:"window_id,omitempty"`
	RunID      RunID     `json:"run_id,omitempty"`
	CoverID    DanmakuID `json:"cover_id,omitempty"` // merged: the danmaku whose answer covers this one
	Channel    Channel   `json:"channel,omitempty"`  // answered: how it was heard
	Variant    Variant   `json:"variant,omitempty"`
	Intent     string    `json:"intent,omitempty"`
	PlatformMs int64     `json:"platform_ms"`           // corrected platform time of the danmaku
	ReplyMs    int64     `json:"reply_ms,omitempty"`    // created_ms of the reply.v1 that answers it
	SpeakByMs  int64     `json:"speak_by_ms,omitempty"` // merged into an answer that was heard before it was asked for: a newcomer may be written it until then
	TimeMs     int64     `json:"time_ms"`
}
