package audit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/eval/audit"
	"livehost/streams/event"
)

func TestStory(t *testing.T) {
	t.Parallel()
	w := good(t)
	w.put(20_000, danmaku("open", "在吗", 20_000))
	w.put(20_000, danmaku("kept", "在吗", 20_000), outcome("kept", event.Suppressed))
	l := w.read()
	var b strings.Builder
	for _, id := range []string{"d-1", "m-1", "spam", "d-3", "open", "kept", "w-2", "w-2#1"} {
		text, err := audit.Story(l, id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		b.WriteString(text + "\n")
	}
	golden(t, "testdata/stories.golden", b.String())
	if _, err := audit.Story(l, "nobody"); !errors.Is(err, audit.ErrUnknownID) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown id: %v", err)
	}
}

// Who asked for what was said is written it, as a delivery of the reply that was said: it
// is no second answer, it is no latency, and the story tells it.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	w := good(t)
	w.put(7000, danmaku("new", "3号怎么卖", 7000))
	merged := outcome("new", event.Merged)
	merged.CoverID, merged.SpeakByMs = "d-1", start+27_000
	w.put(7100, merged)
	before := w.summary()
	text := delivery("w-1", event.DeliverySent, "三号八十九块，满300减50哦", "new")
	text.DeliveryID, text.Channel, text.Outlet, text.ViewerID = "w-1/private/new", event.Private, "private", "u-new"
	w.put(8000, text)
	if d := cmp.Diff(before, w.summary()); d != "" {
		t.Errorf("the text changed the summary (-before +after):\n%s", d)
	}
	story, err := audit.Story(w.read(), "new")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"delivery.v1: sent, private, on private", "was merged", "made before it was asked"} {
		if !strings.Contains(story, want) {
			t.Errorf("the story does not say %q:\n%s", want, story)
		}
	}
}
