package fault

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind is the next action an error calls for.
type Kind int

// The kinds, named for the cause; the comment is the action at the edge.
const (
	Internal    Kind = iota + 1 // a bug or broken invariant: stop the partition, alert
	Invalid                     // undecodable or unacceptable input: dead-letter with the reason, go on
	Conflict                    // already done by somebody else: treat as done
	Exhausted                   // a quota or rate: delay, then retry
	Unavailable                 // a dependency is away: back off, then retry
	Canceled                    // our own shutdown: silent
)

var kindNames = map[Kind]string{
	Internal: "internal", Invalid: "invalid", Conflict: "conflict",
	Exhausted: "exhausted", Unavailable: "unavailable", Canceled: "canceled",
}

// String is the kind's lower-case name, as used in logs and metrics.
func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return fmt.Sprintf("kind(%d)", int(k))
}

// Error is an error with its kind. After is how long to wait before a retry
// (Exhausted and Unavailable only; zero leaves it to the edge).
type Error struct {
	Kind  Kind
	After time.Duration
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Wrap attaches kind to err. An err that already has a kind keeps it; nil stays nil.
func Wrap(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	var have *Error
	if errors.As(err, &have) {
		return err
	}
	return &Error{Kind: kind, Err: err}
}

// Errorf is fmt.Errorf with a kind; %w works.
func Errorf(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// KindOf reads the kind of err: the first attached kind, Canceled for a
// cancelled context, Unavailable for an exceeded deadline, else Internal.
// It must not be called with nil.
func KindOf(err error) Kind {
	var have *Error
	switch {
	case errors.As(err, &have):
		return have.Kind
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	default:
		return Internal
	}
}

// RetryAfter is the wait an error asks for, zero when it asks for none.
func RetryAfter(err error) time.Duration {
	var have *Error
	if errors.As(err, &have) {
		return have.After
	}
	return 0
}
