package exposure_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/abtest"
	"livehost/abtest/exposure"
	"livehost/streams/event"
)

func kinds(es []event.Exposure) []event.ExposureKind {
	var out []event.ExposureKind
	for _, e := range es {
		out = append(out, e.Kind)
	}
	return out
}

func TestObserve(t *testing.T) {
	t.Parallel()
	u1 := abtest.Assignment{Experiment: "e", Version: 1, Variant: "t", Unit: "u:1", Enrolled: true}
	v2, off, other := u1, u1, u1
	v2.Version, off.Enrolled, other.Variant = 2, false, "c"
	enter, ask := exposure.Activity{RoomID: "r", Kind: event.Bucketed}, exposure.Activity{RoomID: "r", Kind: event.Exposed}
	l := exposure.New(10)
	for i, tt := range []struct {
		a    abtest.Assignment
		act  exposure.Activity
		want []event.ExposureKind
	}{
		{off, ask, nil},
		{u1, enter, []event.ExposureKind{event.Bucketed}},
		{u1, enter, nil},
		{u1, ask, []event.ExposureKind{event.Exposed}},
		{u1, ask, nil}, // CASES A/B 7: the same exposure three times counts once
		{u1, ask, nil},
		{v2, ask, []event.ExposureKind{event.Bucketed, event.Exposed}},
		{other, enter, []event.ExposureKind{event.Bucketed}},
	} {
		if diff := cmp.Diff(tt.want, kinds(l.Observe(tt.a, tt.act))); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestMemoryIsBoundedAndIDsRepeat(t *testing.T) {
	t.Parallel()
	l := exposure.New(2)
	see := func(unit string) []event.Exposure {
		return l.Observe(abtest.Assignment{Experiment: "e", Version: 1, Variant: "t", Unit: unit, Enrolled: true, Degraded: true},
			exposure.Activity{RoomID: "r", DanmakuID: "d", Kind: event.Exposed, TimeMs: 7})
	}
	first := see("a")
	see("b")
	see("a") // keeps a, so c evicts b
	see("c")
	if again := see("a"); again != nil {
		t.Errorf("the most recently used unit was forgotten: %v", again)
	}
	if again := see("b"); len(again) != 2 {
		t.Errorf("an evicted unit gave %v, want it logged again", again)
	}
	if diff := cmp.Diff(first, exposure.New(1).Observe(
		abtest.Assignment{Experiment: "e", Version: 1, Variant: "t", Unit: "a", Enrolled: true, Degraded: true},
		exposure.Activity{RoomID: "r", DanmakuID: "d", Kind: event.Exposed, TimeMs: 7})); diff != "" {
		t.Errorf("a new process writes other records (-want +got):\n%s", diff)
	}
	for _, e := range first {
		if _, err := event.Encode(e); err != nil {
			t.Error(err)
		}
	}
}
