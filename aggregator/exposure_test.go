package aggregator_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/streams/event"
)

// Orders are compared with the time of the unit's first record: a stage that reads
// late (a restart, a backlog) must not move it behind orders that came after the unit.
func TestExposuresHaveTheTimeOfWhatTheUnitDid(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		asked := time.Now().UnixMilli()
		enter := r.event(event.Enter, func(e *event.RoomEvent) { e.ViewerID = "a1" })
		cart := r.event(event.AddToCart, func(e *event.RoomEvent) { e.ViewerID = "b2" })
		bought := event.Order{Schema: 1, OrderID: "o1", Seq: 1, RoomID: roomID, Status: event.OrderCreated, ViewerID: "a3", ProductID: "p7", TimeMs: asked}
		ahead := bought // whose producer's clock is an hour ahead
		ahead.OrderID, ahead.ViewerID, ahead.TimeMs = "o2", "a4", asked+3_600_000
		if err := r.log.Publish(t.Context(), enter, cart, bought, ahead, r.danmaku("d1", "a5", "多少钱")); err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Second)
		read := time.Now().UnixMilli()
		r.run()
		got := map[string]int64{}
		for _, e := range all[event.Exposure](r) {
			got[e.Unit+" "+string(e.Kind)] = e.TimeMs
		}
		want := map[string]int64{"a1 bucketed": asked, "b2 bucketed": asked, "a3 bucketed": asked, "a4 bucketed": read, "a5 bucketed": asked, "a5 exposed": asked}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("times (-want +got):\n%s", d)
		}
	})
}

// A/B 7 and 9: once a variant, and a unit that is given another variant shows up in
// both, so that the analysis can leave it out.
func TestAUnitThatChangesVariantIsLoggedInBoth(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.say("d1", "moves", "多少钱")
		r.say("d2", "moves", "有货吗")
		r.moved.Store(true)
		r.say("d3", "moves", "包邮吗")
		r.say("d4", "moves", "几天到")
		var got []string
		for _, e := range all[event.Exposure](r) {
			got = append(got, e.ExposureID)
		}
		want := []string{"e|1|control|bucketed|moves", "e|1|control|exposed|moves", "e|1|treatment|bucketed|moves", "e|1|treatment|exposed|moves"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("exposures (-want +got):\n%s", d)
		}
	})
}
