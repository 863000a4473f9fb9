package event

// TopicSpeechCue carries what a room's voice does, for whoever moves an avatar or shows
// subtitles.
const TopicSpeechCue = "speech-cue.v1"

// CueKind is what the voice does.
type CueKind string

// The kinds of cues.
const (
	CueSentence CueKind = "sentence" // a sentence begins
	CueStop     CueKind = "stop"     // fall silent at once: drop every sentence of the delivery
	CueEnd      CueKind = "end"      // the delivery was said to its end
)

// SpeechCue is one thing that a room's voice does (speech-cue.v1). A receiver remembers
// the highest fence of each room and drops cues with a lower one.
type SpeechCue struct {
	Schema     int        `json:"schema"`
	CueID      string     `json:"cue_id"` // deterministic: delivery, sentence, kind, and how often it was begun
	Kind       CueKind    `json:"kind"`
	DeliveryID DeliveryID `json:"delivery_id"`
	RoomID     RoomID     `json:"room_id"`
	Fence      int64      `json:"fence"`
	Seq        int        `json:"seq"` // of the sentence, from 1
	Of         int        `json:"of"`  // sentences of the delivery
	Text       string     `json:"text,omitempty"`
	Spoken     string     `json:"spoken,omitempty"` // the same with numbers written out
	Language   string     `json:"language,omitempty"`
	LengthMs   int64      `json:"length_ms,omitempty"` // of the audio, in room time
	AtMs       int64      `json:"at_ms"`               // room time at which it happens
}

// Topic is TopicSpeechCue.
func (SpeechCue) Topic() string { return TopicSpeechCue }

// Key is the room.
func (e SpeechCue) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e SpeechCue) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e SpeechCue) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"cue_id", e.CueID != ""},
		field{"kind", e.Kind != ""},
		field{"delivery_id", e.DeliveryID != ""},
	)
}
