package event

// Mode is the room's present way of working.
type Mode string

// The modes: single when nothing waits, multi on a backlog.
const (
	Single Mode = "single"
	Multi  Mode = "multi"
)

// WindowKind says what a window is about.
type WindowKind string

// The kinds of windows.
const (
	DanmakuWindow WindowKind = "danmaku"
	EventWindow   WindowKind = "event" // gift, enter, follow: context, never a question
)

// Class orders work: a lower class goes first.
type Class int

// The classes.
const (
	ClassPurchase Class = 1 // wants to buy: price, stock, size, order
	ClassQuestion Class = 2 // any other question
	ClassChat     Class = 3 // greeting, praise, low information
	ClassEvent    Class = 4 // event windows
)

// Versions says what decided a reply: resolved once, at run start.
type Versions struct {
	Release       string `json:"release"`
	PolicyVersion string `json:"policy_version"`
	HarnessHash   string `json:"harness_hash"`
	Shadow        bool   `json:"shadow,omitempty"` // the release runs beside the one that answers: nothing of it reaches anybody
}

// Window is one unit of work for the agent (window.v1): 1 to 8 danmaku of one
// room and one variant, or one room event.
type Window struct {
	Schema      int         `json:"schema"`
	WindowID    WindowID    `json:"window_id"`
	RoomID      RoomID      `json:"room_id"`
	BroadcastID BroadcastID `json:"broadcast_id,omitempty"`
	MerchantID  MerchantID  `json:"merchant_id,omitempty"`
	Kind        WindowKind  `json:"kind"`
	Mode        Mode        `json:"mode"`

	Experiment        string  `json:"experiment,omitempty"`
	ExperimentVersion int     `json:"experiment_version,omitempty"`
	Variant           Variant `json:"variant"`

	QuestionKey string          `json:"question_key,omitempty"` // variant-free; equal keys ask the same thing; empty when members differ
	Intent      string          `json:"intent,omitempty"`
	Class       Class           `json:"class"`
	Language    string          `json:"language"` // of the first member
	Members     []Member        `json:"members,omitempty"`
	Event       *RoomEvent      `json:"event,omitempty"` // event windows
	Context     ContextSnapshot `json:"context"`

	EarliestMs int64 `json:"earliest_ms"`  // earliest corrected platform time of the members
	AnswerByMs int64 `json:"answer_by_ms"` // EarliestMs + 15 s
	SpeakByMs  int64 `json:"speak_by_ms"`  // EarliestMs + 20 s
	OpenedMs   int64 `json:"opened_ms"`    // when the aggregator published it
}

// OnlyViewer is the viewer who wrote all of the window's danmaku, "" when there are
// several or they are masked.
func (w *Window) OnlyViewer() ViewerID {
	if len(w.Members) == 0 || w.Members[0].ViewerID.Anonymous() {
		return ""
	}
	for _, m := range w.Members[1:] {
		if m.ViewerID != w.Members[0].ViewerID {
			return ""
		}
	}
	return w.Members[0].ViewerID
}

// Member is one danmaku of a window.
type Member struct {
	DanmakuID  DanmakuID `json:"danmaku_id"`
	ViewerID   ViewerID  `json:"viewer_id,omitempty"`
	ViewerName string    `json:"viewer_name,omitempty"`
	Text       string    `json:"text"`                    // the original text, capped grapheme-safe
	Question   string    `json:"question"`                // normalised: no emoji, platform tokens, URLs, repeated runs
	Truncated  bool      `json:"truncated,omitempty"`     // text or question is not all that was typed
	Language   string    `json:"language"`                // "zh" or "en"
	Intent     string    `json:"intent"`                  //
	Key        string    `json:"question_key"`            //
	FocusLink  LinkID    `json:"focus_link_id,omitempty"` // product in focus at the comment's time
	ReplyTo    DanmakuID `json:"reply_to,omitempty"`
	Ask        int       `json:"ask"`         // 1, or 2 when asked again after a cancelled answer
	PlatformMs int64     `json:"platform_ms"` // corrected platform time
	AnswerByMs int64     `json:"answer_by_ms"`
	SpeakByMs  int64     `json:"speak_by_ms"`
	WaitWallUs int64     `json:"wait_wall_us"` // wall time it waited in the aggregator for a window
}

// ContextSnapshot is what the agent is told about the room; about 2 kB.
type ContextSnapshot struct {
	Settings       RoomSettings `json:"settings"`
	FocusLink      LinkID       `json:"focus_link_id,omitempty"`
	FocusProduct   ProductID    `json:"focus_product_id,omitempty"`
	ListedLinks    int          `json:"listed_links,omitempty"` // how many links are on the shelf
	HostUtterances []string     `json:"host_utterances,omitempty"`
	Dialogue       []Turn       `json:"dialogue,omitempty"` // earlier turns of the members' viewers
	SpeechQueuedMs int64        `json:"speech_queued_ms,omitempty"`
	WaitingDanmaku int          `json:"waiting_danmaku,omitempty"`
	PaidViewers    []ViewerID   `json:"paid_viewers,omitempty"` // members who have a paid order in this broadcast
}

// Turn is one earlier question and answer of a viewer.
type Turn struct {
	ViewerID ViewerID `json:"viewer_id"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Private  bool     `json:"private,omitempty"` // nobody else got the answer
	TimeMs   int64    `json:"time_ms"`
}

// Exposure says that a unit came into scope of an experiment (exposure.v1).
type Exposure struct {
	Schema            int          `json:"schema"`
	ExposureID        string       `json:"exposure_id"` // deterministic: experiment, version, variant, kind, unit
	Experiment        string       `json:"experiment"`
	ExperimentVersion int          `json:"experiment_version"`
	Unit              string       `json:"unit"`                // the viewer or room id
	UnitKind          UnitKind     `json:"unit_kind,omitempty"` // absent in records of earlier builds
	Variant           Variant      `json:"variant"`
	Kind              ExposureKind `json:"kind"`
	RoomID            RoomID       `json:"room_id"`
	DanmakuID         DanmakuID    `json:"danmaku_id,omitempty"`
	Degraded          bool         `json:"degraded,omitempty"` // assigned without Redis
	TimeMs            int64        `json:"time_ms"`            // of what the unit did, corrected
}

// UnitKind is what an experiment assigns.
type UnitKind string

// The unit kinds.
const (
	UnitViewer UnitKind = "viewer"
	UnitRoom   UnitKind = "room"
)

// ExposureKind is how far the unit got.
type ExposureKind string

// The kinds of exposure.
const (
	Bucketed ExposureKind = "bucketed" // first event in scope: enter, danmaku, cart, order
	Exposed  ExposureKind = "exposed"  // first eligible danmaku
)

// RoomState is the aggregator's compacted memory of a room (room-state.v1).
type RoomState struct {
	Schema      int                  `json:"schema"`
	RoomID      RoomID               `json:"room_id"`
	BroadcastID BroadcastID          `json:"broadcast_id,omitempty"`
	MerchantID  MerchantID           `json:"merchant_id,omitempty"`
	Context     ContextSnapshot      `json:"context"`
	Links       map[LinkID]ProductID `json:"links,omitempty"`     // on the shelf
	ReadBack    map[string]int64     `json:"read_back"`           // topic -> offset in the room's partition to read back from
	OpenedMs    int64                `json:"opened_ms,omitempty"` // when the broadcast began; 0: not known
	Closed      bool                 `json:"closed,omitempty"`
	TimeMs      int64                `json:"time_ms"`

	BroadcastBefore BroadcastID   `json:"broadcast_before,omitempty"` // that ended when this one began; of states without broadcasts_ended
	BroadcastsEnded []BroadcastID `json:"broadcasts_ended,omitempty"` // the latest that are over, oldest first
	BroadcastOpened *BroadcastID  `json:"broadcast_opened,omitempty"` // that opened_ms is of, as its opening named it; absent: broadcast_id
	ClosedMs        int64         `json:"closed_ms,omitempty"`        // when it was closed

	// ClocksSlowMs is by how much the clocks of the room's sources are believed to be slow.
	ClocksSlowMs map[string]int64 `json:"clocks_slow_ms,omitempty"`
}
