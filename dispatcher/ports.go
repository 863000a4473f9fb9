package dispatcher

import (
	"context"
	"errors"
	"time"

	"livehost/internal/fault"
	"livehost/streams/event"
)

// Utterance is what an outlet says.
type Utterance struct {
	DeliveryID event.DeliveryID // also the idempotency key
	RoomID     event.RoomID
	Fence      int64           // of the room's owner: whoever remembers the highest of a room refuses lower ones
	Text       string          // as heard: for subtitles and logs
	Spoken     string          // the same with numbers written out: for speech engines
	Sentences  []Sentence      // the same in pieces, each to be synthesised and played on its own
	Language   string          // of the text: "zh" or "en"
	Length     time.Duration   // estimated, in room time
	SpeakByMs  int64           // room time of the first audio at the latest
	Open       context.Context // nothing is begun once it has ended; nil: it does not
	Turn       *Turn           // for how long the room's voice is its owner's; nil: without end
}

// Sentence is a piece of an utterance.
type Sentence struct {
	Text   string        // as heard
	Spoken string        // for speech engines
	Length time.Duration // estimated, in room time
}

// Spoken says when an utterance was heard, in room time. FirstAudioMs is zero
// when nobody heard anything.
type Spoken struct {
	FirstAudioMs int64
	EndMs        int64
	Sentences    int // played to their end
}

// ErrLate is an outlet's answer when it could not begin by SpeakByMs, or before Open
// ended; nothing was heard.
var ErrLate = errors.New("too late to begin")

// Outlet is a voice in rooms. Implementations are safe for concurrent use by
// different rooms; one room is never spoken in twice at once.
type Outlet interface {
	// Name is stable: it is part of ledger keys and delivery ids.
	Name() string
	// Speak returns when the last audio was played. It begins by SpeakByMs, and before
	// Open ends, or returns ErrLate. When ctx ends it falls silent at once and returns ctx's
	// error, with Spoken telling how far it came; the same goes for its own errors. It
	// begins nothing that would outlast the utterance's turn. ErrFenced when the outlet knows a later owner of the room.
	Speak(ctx context.Context, u Utterance) (Spoken, error)
}

// PrivateText is a text for one viewer.
type PrivateText struct {
	DeliveryID event.DeliveryID `json:"delivery_id"` // the idempotency key: the same text may be sent again with it
	RoomID     event.RoomID     `json:"room_id"`
	ViewerID   event.ViewerID   `json:"viewer_id"`
	DanmakuID  event.DanmakuID  `json:"danmaku_id"`
	Text       string           `json:"text"`
}

// PrivateOutlet delivers private text. Safe for concurrent use.
type PrivateOutlet interface {
	// Name is stable: it is part of delivery ids.
	Name() string
	// Send returns when the platform has taken the text. A fault.Unavailable or
	// fault.Exhausted error is retried with the same id while there is time.
	Send(ctx context.Context, t PrivateText) error
}

// Outlets are the ways out. A room that is to be heard in several places at once
// still has one voice: compose outlets into one.
type Outlets struct {
	Voice    Outlet
	Private  PrivateOutlet  // nil: no private text anywhere
	HandOver HandOverOutlet // nil: nobody to hand over to
}

// HandOver is a danmaku that the agent left to a human.
type HandOver struct {
	RoomID     event.RoomID    `json:"room_id"`
	DanmakuID  event.DanmakuID `json:"danmaku_id"` // the idempotency key
	ViewerID   event.ViewerID  `json:"viewer_id,omitempty"`
	Intent     string          `json:"intent,omitempty"`
	Reason     string          `json:"reason"`
	WindowID   event.WindowID  `json:"window_id,omitempty"`
	PlatformMs int64           `json:"platform_ms"`
}

// HandOverOutlet reaches the human assistants of a room. Safe for concurrent use.
type HandOverOutlet interface {
	// HandOver returns when it was taken. A fault.Unavailable or fault.Exhausted error is
	// retried with the same danmaku while there is time.
	HandOver(ctx context.Context, h HandOver) error
}

// ChannelPrivate is the ledger's channel of private text; a voice's channel is
// its outlet's name.
const ChannelPrivate = "private"

// Claim names danmaku that one delivery is about to answer on a channel.
type Claim struct {
	Room     event.RoomID
	Channel  string
	Delivery event.DeliveryID
	Danmaku  []event.DanmakuID
	Fence    int64         // of the claiming owner
	Lease    time.Duration // wall time for which the room's voice is the owner's; zero for private text
}

// Grant is what became of a claim's danmaku: each is in exactly one list.
type Grant struct {
	Granted []event.DanmakuID // ours to deliver
	Done    []event.DanmakuID // delivered before
	Skipped []event.DanmakuID // given up before: speech that nobody heard, text that may be sent again
	Unknown []event.DanmakuID // claimed by another owner or delivery that never said how it ended
}

// ClaimState is how a claim ended.
type ClaimState string

// The final states. Skipped is nothing that reached anybody for sure. Released forgets the
// claim: the danmaku may be claimed again.
const (
	ClaimSpoken   ClaimState = "spoken"
	ClaimSent     ClaimState = "sent"
	ClaimSkipped  ClaimState = "skipped"
	ClaimReleased ClaimState = "released"
)

// ErrFenced is a Begin or speech by an owner that is no longer the room's.
var ErrFenced = errors.New("another owner has the room")

// ErrVoiceHeld is a Begin of speech while the lease of an earlier owner lasts. It is
// to be tried again.
var ErrVoiceHeld = fault.Errorf(fault.Unavailable, "an earlier owner may still be speaking")

// Ledger remembers, across processes, who was answered. The log is the truth; the
// ledger is what holds between two processes that both believe they own a room.
// Safe for concurrent use. Entries live at least as long as a reply may be handed
// over again.
type Ledger interface {
	// Acquire makes the caller the room's owner: earlier fences are refused from
	// now on. The fence is above all that the room ever had, also when the ledger has
	// forgotten them: those who hear the room have not.
	Acquire(ctx context.Context, room event.RoomID) (fence int64, err error)
	// Begin claims. Repeating the same claim (delivery and fence) grants again.
	// ErrFenced when a later owner acquired the room. A claim with a lease takes the
	// voice, or is ErrVoiceHeld and claims nothing; danmaku may be none.
	Begin(ctx context.Context, c Claim) (Grant, error)
	// Finish records how the claim's danmaku ended and gives the claim's lease back. What the log says may be
	// recorded without a Begin, whatever the fence.
	Finish(ctx context.Context, c Claim, state ClaimState) error
}
