package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"livehost/internal/fault"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	base := errors.New("no")
	for _, tt := range []struct {
		name string
		err  error
		want fault.Kind
	}{
		{"plain is internal", base, fault.Internal},
		{"wrapped once", fault.Wrap(fault.Invalid, base), fault.Invalid},
		{"first kind wins", fault.Wrap(fault.Internal, fault.Wrap(fault.Exhausted, base)), fault.Exhausted},
		{"through fmt", fmt.Errorf("window: %w", fault.Wrap(fault.Conflict, base)), fault.Conflict},
		{"cancel", fmt.Errorf("x: %w", context.Canceled), fault.Canceled},
		{"deadline", context.DeadlineExceeded, fault.Unavailable},
		{"errorf", fault.Errorf(fault.Unavailable, "redis: %w", base), fault.Unavailable},
	} {
		if got := fault.KindOf(tt.err); got != tt.want {
			t.Errorf("%s: KindOf = %v, want %v", tt.name, got, tt.want)
		}
	}
	if fault.Wrap(fault.Invalid, nil) != nil {
		t.Error("Wrap(nil) is not nil")
	}
}
