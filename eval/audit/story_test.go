package audit_test

import (
	"errors"
	"strings"
	"testing"

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
