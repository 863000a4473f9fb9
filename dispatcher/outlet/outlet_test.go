package outlet_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/dispatcher/outlettest"
	"livehost/internal/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConsole(t *testing.T) {
	t.Parallel()
	outlettest.Run(t, func(_ *testing.T, c *clock.Clock) dispatcher.Outlet {
		return outlet.NewConsole(c, &strings.Builder{})
	})
}

func TestConsolePrints(t *testing.T) {
	t.Parallel()
	c, err := clock.New(time.UnixMilli(1_700_000_000_000), 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	console := outlet.NewConsole(c, &out)
	u := dispatcher.Utterance{RoomID: "r1", Text: "今天89元", Spoken: "今天八十九元", Length: time.Second, SpeakByMs: c.NowMs() + 10_000}
	got, err := console.Speak(t.Context(), u)
	if err != nil || got.EndMs-got.FirstAudioMs < 1000 {
		t.Errorf("Speak = %+v, %v, want a second of room time", got, err)
	}
	if err := console.Send(t.Context(), dispatcher.PrivateText{RoomID: "r1", ViewerID: "u1", Text: "已发货"}); err != nil {
		t.Error(err)
	}
	if want := "[r1] host: 今天89元\n[r1] private -> u1: 已发货\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
