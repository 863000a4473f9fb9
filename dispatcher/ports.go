package dispatcher

import (
	"context"
	"errors"
	"time"

	"livehost/streams/event"
)

// Utterance is what an outlet says.
type Utterance struct {
	DeliveryID event.DeliveryID // also the idempotency key
	RoomID     event.RoomID
	Text       string        // as heard: for subtitles and logs
	Spoken     string        // the same with numbers written out: for speech engines
	Language   string        // "zh" or "en"
	Length     time.Duration // estimated, in room time
	SpeakByMs  int64         // room time of the first audio at the latest
}

// Spoken says when an utterance was heard, in room time. FirstAudioMs is zero
// when nobody heard anything.
type Spoken struct {
	FirstAudioMs int64
	EndMs        int64
}

// ErrLate is an outlet's answer when it could not begin by SpeakByMs; nothing
// was heard.
var ErrLate = errors.New("too late to begin")

// Outlet is a voice in rooms. Implementations are safe for concurrent use by
// different rooms; one room is never spoken in twice at once.
type Outlet interface {
	// Name is stable: it is part of ledger keys and delivery ids.
	Name() string
	// Speak returns when the last audio was played. It begins by SpeakByMs or
	// returns ErrLate. When ctx ends it falls silent at once and returns ctx's
	// error, with Spoken telling how far it came; the same goes for its own errors.
	Speak(ctx context.Context, u Utterance) (Spoken, error)
}

// PrivateText is a text for one viewer.
type PrivateText struct {
	DeliveryID event.DeliveryID // the idempotency key: the same text may be sent again with it
	RoomID     event.RoomID
	ViewerID   event.ViewerID
	DanmakuID  event.DanmakuID
	Text       string
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
	Voice   Outlet
	Private PrivateOutlet // nil: no private text anywhere
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
	Fence    int64 // of the claiming owner
}

// Grant is what became of a claim's danmaku: each is in exactly one list.
type Grant struct {
	Granted []event.DanmakuID // ours to deliver
	Done    []event.DanmakuID // delivered, or given up for good, before
	Unknown []event.DanmakuID // claimed by another owner or delivery that never said how it ended
}

// ClaimState is how a claim ended.
type ClaimState string

// The final states. Released forgets the claim: the danmaku may be claimed again.
const (
	ClaimSpoken   ClaimState = "spoken"
	ClaimSent     ClaimState = "sent"
	ClaimSkipped  ClaimState = "skipped"
	ClaimReleased ClaimState = "released"
)

// ErrFenced is a Begin by an owner that is no longer the room's.
var ErrFenced = errors.New("another owner has the room")

// Ledger remembers, across processes, who was answered. The log is the truth; the
// ledger is what holds between two processes that both believe they own a room.
// Safe for concurrent use. Entries live at least as long as a reply may be handed
// over again.
type Ledger interface {
	// Acquire makes the caller the room's owner: earlier fences are refused from
	// now on.
	Acquire(ctx context.Context, room event.RoomID) (fence int64, err error)
	// Begin claims. Repeating the same claim (delivery and fence) grants again.
	// ErrFenced when a later owner acquired the room.
	Begin(ctx context.Context, c Claim) (Grant, error)
	// Finish records how the claim's danmaku ended. What the log says may be
	// recorded without a Begin, whatever the fence.
	Finish(ctx context.Context, c Claim, state ClaimState) error
}
