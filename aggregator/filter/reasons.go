package filter

// Reason says why a danmaku was filtered: the closed list, as in outcome.v1.
type Reason string

// The reasons. Hit says which of them are guardrail hits.
const (
	None        Reason = ""
	Host        Reason = "host"          // the host's or an assistant's own
	Mirror      Reason = "mirror"        // copied from another room
	Test        Reason = "test"          // the platform's test traffic
	History     Reason = "history"       // sent before the broadcast began
	Empty       Reason = "empty"         // nothing visible
	EmojiOnly   Reason = "emoji_only"    //
	MentionOnly Reason = "mention_only"  // says nothing to the host
	URLOnly     Reason = "url_only"      //
	Noise       Reason = "noise"         // no letter, Chinese or digit
	NumberOnly  Reason = "number_only"   // a number that cannot be a link, a price or a measure
	ContactBait Reason = "contact_bait"  // lures viewers off the platform
	Spam        Reason = "spam"          // advertising
	Sensitive   Reason = "sensitive"     // a word of the sensitive list
	Flood       Reason = "viewer_flood"  // too many from one viewer
	Repeat      Reason = "viewer_repeat" // the same words from one viewer, time and again
	Bot         Reason = "bot"           // a viewer that is listed as a machine
)

// Hit reports whether r is a guardrail hit, which is recorded with what matched.
func (r Reason) Hit() bool { return r == ContactBait || r == Spam || r == Sensitive }

// Version is the version of the built-in word lists.
const Version = "4"

// Verdict is what Judge says: None lets the danmaku pass.
type Verdict struct {
	Reason Reason
	Span   string // what matched, for hits
}
