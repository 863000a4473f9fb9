package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"livehost/streams/event"
)

// TraceID is the trace of a window: every stage knows the window's id, so none
// needs to be handed the trace's.
func TraceID(w event.WindowID) trace.TraceID {
	sum := sha256.Sum256([]byte("livehost window " + w))
	return trace.TraceID(sum[:16])
}

// rootID is the first span of a run, under which other stages put theirs.
func rootID(r event.RunID) trace.SpanID {
	sum := sha256.Sum256([]byte("livehost run " + r))
	return trace.SpanID(sum[:8])
}

// inTrace is ctx as a child of the run's first span, wherever that was made.
func inTrace(ctx context.Context, w event.WindowID, r event.RunID) context.Context {
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: TraceID(w), SpanID: rootID(r), TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

// Linked is how a provider gives root spans the ids above and traces the share of
// the windows: by the trace id alone, so that all processes choose the same ones.
func Linked(share float64) []sdktrace.TracerProviderOption {
	return []sdktrace.TracerProviderOption{
		sdktrace.WithIDGenerator(ids{}), sdktrace.WithSampler(sdktrace.TraceIDRatioBased(share)),
	}
}

// chosen are the ids of the root span that ctx is given to.
type chosen struct {
	trace trace.TraceID
	span  trace.SpanID
}

type chosenKey struct{}

func asRoot(ctx context.Context, w event.WindowID, r event.RunID) context.Context {
	return context.WithValue(ctx, chosenKey{}, chosen{TraceID(w), rootID(r)})
}

// ids are chosen for roots that are asked for with asRoot, and random else.
type ids struct{}

func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if c, ok := ctx.Value(chosenKey{}).(chosen); ok {
		return c.trace, c.span
	}
	var t trace.TraceID
	binary.NativeEndian.PutUint64(t[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(t[8:], rand.Uint64()|1) // never all zero
	return t, ids{}.NewSpanID(ctx, t)
}

func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var s trace.SpanID
	binary.NativeEndian.PutUint64(s[:], rand.Uint64()|1)
	return s
}
