package event

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-json"

	"livehost/internal/fault"
)

// SchemaVersion is the version written by this build; Decode takes 1..SchemaVersion.
const SchemaVersion = 1

// Topic names.
const (
	TopicDanmaku      = "danmaku.v1"
	TopicRoomEvent    = "room-event.v1"
	TopicOrder        = "order.v1"
	TopicWindow       = "window.v1"
	TopicExposure     = "exposure.v1"
	TopicReply        = "reply.v1"
	TopicTrajectory   = "trajectory.v1"
	TopicGuardrailHit = "guardrail-hit.v1"
	TopicDelivery     = "delivery.v1"
	TopicOutcome      = "outcome.v1"
	TopicRoomState    = "room-state.v1"
)

// Event is a payload of one topic.
type Event interface {
	Topic() string     // the topic it belongs on
	Key() RoomID       // its room, the record key
	EventSchema() int  // its schema version
	Missing() []string // required fields that are absent, by wire name
}

// Encode validates e and renders it as JSON. An incomplete event is fault.Internal:
// it is our own.
func Encode(e Event) ([]byte, error) {
	if err := complete(e); err != nil {
		return nil, err
	}
	b, err := json.MarshalWithOption(e, json.DisableHTMLEscape()) // no HTML is made of it, and looking for it is a third of the work
	if err != nil {
		return nil, notEncoded(e, err)
	}
	return b, nil
}

// Buffer is memory that one event after another is encoded into. The zero value is
// ready; it is not safe for concurrent use.
type Buffer struct{ json bytes.Buffer }

// Encode is Encode of the package into the buffer: what it returns is valid until the
// next call.
func (b *Buffer) Encode(e Event) ([]byte, error) {
	if err := complete(e); err != nil {
		return nil, err
	}
	b.json.Reset()
	if err := json.NewEncoder(&b.json).EncodeWithOption(e, json.DisableHTMLEscape()); err != nil {
		return nil, notEncoded(e, err)
	}
	return bytes.TrimSuffix(b.json.Bytes(), []byte{'\n'}), nil
}

// Cap is how many bytes the buffer holds on to.
func (b *Buffer) Cap() int { return b.json.Cap() }

func complete(e Event) error {
	if missing := e.Missing(); len(missing) > 0 {
		return fault.Errorf(fault.Internal, "%s: encode: missing %s", e.Topic(), strings.Join(missing, ", "))
	}
	return nil
}

func notEncoded(e Event, err error) error {
	return fault.Errorf(fault.Internal, "%s: encode: %w", e.Topic(), err)
}

// Decode reads one payload. What is not JSON or not UTF-8, an unknown schema version
// and a missing required field are fault.Invalid. Platforms' times are milliseconds in
// it, also those that a platform wrote in seconds; 0 where it wrote none, see Stamp.
func Decode[T Event](b []byte) (T, error) {
	var e T
	err := json.UnmarshalOf(b, &e)
	return checked(b, e, err)
}

// DecodeInPlace is Decode whose strings are parts of b, which costs half: b must not
// change while one of them is used, and stays in memory as long as one is kept.
func DecodeInPlace[T Event](b []byte) (T, error) {
	var e T
	err := json.UnmarshalOf(b, &e, json.DecodeNoCopyString())
	return checked(b, e, err)
}

// checked is e as it was decoded from b, when nothing is wrong with it.
func checked[T Event](b []byte, e T, err error) (T, error) {
	if err != nil {
		return e, fault.Errorf(fault.Invalid, "%s: decode: %s", e.Topic(), reason(err))
	}
	if !utf8.Valid(b) { // the decoder puts U+FFFD for each such byte: texts become senseless, different ids one
		return e, fault.Errorf(fault.Invalid, "%s: is not UTF-8; the producer has to write JSON in UTF-8", e.Topic())
	}
	if v := e.EventSchema(); v < 1 || v > SchemaVersion {
		return e, fault.Errorf(fault.Invalid, "%s: schema %d is not one of 1..%d", e.Topic(), v, SchemaVersion)
	}
	if missing := e.Missing(); len(missing) > 0 {
		return e, fault.Errorf(fault.Invalid, "%s: missing %s", e.Topic(), strings.Join(missing, ", "))
	}
	switch e := any(&e).(type) { // what platforms write
	case *Danmaku:
		e.PlatformTimeMs = max(0, milliseconds(e.PlatformTimeMs))
	case *RoomEvent:
		e.TimeMs = max(0, milliseconds(e.TimeMs))
	case *Order:
		e.TimeMs = milliseconds(e.TimeMs)
	}
	return e, nil
}

// Stamp gives a danmaku or room event whose platform did not say when it was the time of
// its append to the log, in room time. It reports whether it did.
func Stamp[T Event](e *T, appendedMs int64) bool {
	var at *int64
	switch e := any(e).(type) {
	case *Danmaku:
		at = &e.PlatformTimeMs
	case *RoomEvent:
		at = &e.TimeMs
	default:
		return false
	}
	if *at > 0 {
		return false
	}
	*at = appendedMs
	return true
}

// reason says what is wrong with the JSON in the words of whoever writes it, who knows
// nothing of Go's types.
func reason(err error) string {
	var mistyped *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &mistyped):
		return "not valid JSON: " + err.Error()
	case mistyped.Field == "":
		return fmt.Sprintf("is a JSON %s, want an object", mistyped.Value)
	default:
		return fmt.Sprintf("%s is a JSON %s, want %s", mistyped.Field, mistyped.Value, wanted(mistyped.Type.Kind()))
	}
}

func wanted(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number of 64 bits"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// milliseconds is a time as a platform wrote it, in milliseconds: seconds,
// microseconds and nanoseconds are told by their size.
func milliseconds(t int64) int64 {
	switch {
	case t >= 1e8 && t < 1e11:
		return t * 1000
	case t > 1e17:
		return t / 1e6
	case t > 1e14:
		return t / 1000
	default:
		return t
	}
}

// field pairs a wire name with whether it is there.
type field struct {
	name string
	ok   bool
}

func missing(fields ...field) []string {
	var out []string
	for _, f := range fields {
		if !f.ok {
			out = append(out, f.name)
		}
	}
	return out
}
