package dispatcher

import "livehost/streams/event"

// The reasons of outcomes and deliveries written by the dispatcher: a closed list.
// Outcome states in brackets.
const (
	reasonSpoken       = "spoken"              // [answered] aloud
	reasonPrivateText  = "private_text"        // [answered] to the asker alone
	reasonHeardOther   = "heard_other_variant" // [merged] the other variant's voice answered; the delivery is skipped
	reasonSameWords    = "same_words"          // [merged] the room had just heard these very words; the delivery is skipped
	reasonLate         = "late"                // [expired] speak_by passed, or would pass before its turn
	reasonStaleFact    = "stale_fact"          // [expired] a stated fact changed and answer_by had passed; on a delivery: cancelled
	reasonNoVerdict    = "no_verdict"          // [suppressed] a verdict its channel requires is missing
	reasonNothingToSay = "nothing_to_say"      // [suppressed] no word or number in the text
	reasonNoPrivate    = event.ReasonNoPrivate // [suppressed] private text in a room, or to a viewer, without one
	reasonRepeat       = event.ReasonRepeat    // [suppressed] the platform takes the same text for the same viewer not so soon again
	reasonLimit        = "private_limit"       // [expired] the platform takes no more private text in time
	reasonRoomClosed   = "room_closed"         // [suppressed] the broadcast ended first, or the next began
	reasonVoiceStopped = event.ReasonStopped   // [suppressed] an operator stopped the voice
	reasonRetracted    = "retracted"           // [retracted] before the first audio
	reasonInterrupted  = "interrupted"         // [failed] heard in part, or unknowable after a crash
	reasonOutletFailed = "outlet_failed"       // [failed] the outlet gave an error before the first audio
	reasonLedgerAway   = "ledger_unavailable"  // [failed] could not make sure that it was not a repeat in time
	reasonHandedOn     = "handed_on"           // on a delivery: cancelled before the first audio, the partition's next owner decides anew
	reasonShadow       = "shadow"              // shadow replies only: the delivery is skipped, and names no danmaku
	reasonShortened    = "shortened"           // on a delivery that was heard: the reply says more than may be said at once
	reasonVoiceBusy    = "voice_busy"          // event windows only: the delivery is skipped
)
