package dispatcher_test

import (
	"context"
	"fmt"

	"livehost/dispatcher"
	"livehost/internal/clock"
)

// subtitles is an outlet that shows text for as long as it would be spoken.
type subtitles struct{ clock *clock.Clock }

func (subtitles) Name() string { return "subtitles" }

func (s subtitles) Speak(ctx context.Context, u dispatcher.Utterance) (dispatcher.Spoken, error) {
	begun := s.clock.NowMs()
	if begun > u.SpeakByMs {
		return dispatcher.Spoken{}, dispatcher.ErrLate
	}
	fmt.Println(u.Text)
	err := s.clock.Sleep(ctx, u.Length) // ends early when it is interrupted
	return dispatcher.Spoken{FirstAudioMs: begun, EndMs: s.clock.NowMs()}, err
}

// An outlet is a name and a way to occupy the room's voice.
func ExampleOutlet() {
	var o dispatcher.Outlet = subtitles{clock.Real()}
	_, err := o.Speak(context.Background(), dispatcher.Utterance{Text: "三号链接今天89元", SpeakByMs: clock.Real().NowMs() + 1000})
	_, late := o.Speak(context.Background(), dispatcher.Utterance{Text: "太晚了", SpeakByMs: 1})
	fmt.Println(err, late)
	// Output:
	// 三号链接今天89元
	// <nil> too late to begin
}
