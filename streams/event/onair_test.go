package event_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"livehost/streams/event"
)

// stages are the aggregator's and the dispatcher's knowledge of one room: both see its
// events, the first its danmaku as well, the second what is answered.
type stages struct {
	t          *testing.T
	aggregator event.OnAir
	dispatcher event.OnAir
}

// do takes "12 opened b1": at 12, or said then and logged now, and returns what became of it.
func (s *stages) do(step string) string {
	var ms int64
	var what, name string
	_, _ = fmt.Sscan(step, &ms, &what, &name)
	b := event.BroadcastID(name)
	switch what {
	case "says": // a danmaku, and the answer to it
		return s.says(b, ms)
	case "answers": // only the dispatcher: the aggregator's window was opened before
		if s.dispatcher.Over(b) {
			return "unsaid"
		}
		s.dispatcher.Is(b)
		return "said"
	default:
		e := event.RoomEvent{Kind: map[string]event.RoomEventKind{
			"opened": event.RoomOpened, "closed": event.RoomClosed, "shows": event.ProductInFocus, "set": event.RoomSettingsSet,
		}[what], BroadcastID: b, TimeMs: ms}
		past, anew := s.aggregator.Take(&e)
		s.dispatcher.Take(&e)
		switch {
		case past:
			return "past"
		case anew:
			return "anew"
		default:
			return ""
		}
	}
}

func (s *stages) says(b event.BroadcastID, ms int64) string {
	on := &s.aggregator
	switch {
	case on.Before(b):
		return "history"
	case on.Closed && !on.Follows(b, ms):
		return "closed"
	}
	if ms >= on.OpenedMs {
		on.Is(b)
	}
	if s.dispatcher.Over(on.ID) {
		s.t.Errorf("a danmaku of %q has a window of %q, and the dispatcher is mute: %+v, %+v", b, on.ID, s.aggregator, s.dispatcher)
	}
	s.dispatcher.Is(on.ID)
	return "window of " + string(on.ID)
}

// What is on after what has been seen; each line is a step and, behind an arrow, what is
// to become of it. Where the aggregator opens a window the dispatcher has to say its answer.
func TestOnAir(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"one after the other": `
			10 opened b1; 11 says b1 -> window of b1; 20 closed b1; 21 says b1 -> closed; 21 says -> closed
			30 opened b2 -> anew; 31 says b2 -> window of b2; 32 says -> window of b2; 33 says b1 -> history; 34 answers b1 -> unsaid`,
		"without a closing": `
			10 opened b1; 30 opened b2 -> anew; 31 says b1 -> history; 32 says b2 -> window of b2; 33 closed b1 -> past; 34 says b2 -> window of b2
			35 closed b2; 36 says b2 -> closed; 36 answers b2 -> unsaid`,
		"without names": `
			10 opened; 11 says -> window of; 20 closed; 21 says -> closed; 10 opened -> past; 22 says -> closed; 30 opened -> anew; 20 closed -> past; 31 says -> window of`,
		"no opening ever": `
			11 says b1 -> window of b1; 20 closed b1; 21 says b1 -> closed; 31 says b2 -> window of b2; 32 answers b1 -> unsaid; 40 closed b2; 41 says b2 -> closed`,
		"nothing before the closing": `20 closed b1; 21 says b1 -> closed; 31 says b2 -> window of b2`,
		"nothing named before the closing": `
			20 closed; 31 says b2 -> closed`, // of what is closed nobody knows the name
		"an opening in the middle":              `11 says b1 -> window of b1; 12 opened b1; 13 opened b1; 14 opened -> ; 15 says b1 -> window of b1`,
		"an opening in the middle, of the next": `11 says b1 -> window of b1; 12 opened b2 -> anew; 13 says b1 -> history`,
		"reopened without a name, the same": `
			10 opened b1; 20 closed b1; 30 opened -> anew; 31 says b1 -> window of b1; 31 says -> window of b1; 20 closed b1 -> past; 32 says -> window of b1
			40 closed; 41 says b1 -> closed; 50 opened b2 -> anew; 51 says b1 -> history`,
		"reopened without a name, the next": `
			10 opened b1; 20 closed b1; 30 opened -> anew; 31 says b2 -> window of b2; 40 closed b2; 41 says b2 -> closed; 50 says b3 -> window of b3`,
		"reopened without a name, closed by name": `
			10 opened b1; 20 closed b1; 30 opened -> anew; 31 says -> window of b1; 40 closed b2; 41 says b1 -> history; 41 says b2 -> closed`,
		"closed without a name": `
			10 opened; 11 says b1 -> window of b1; 20 closed; 21 says b1 -> closed; 31 says b2 -> window of b2; 32 says b1 -> history`,
		"an opening lost, without a name": `
			10 opened; 11 says b1 -> window of b1; 20 closed; 32 says b2 -> window of b2; 21 opened -> ; 26 says b2 -> window of b2; 33 closed; 34 says b2 -> closed`,
		"an opening lost": `
			10 opened b1; 20 closed b1; 32 says b2 -> window of b2; 21 opened b2 -> ; 26 says b2 -> window of b2; 33 says b1 -> history; 34 closed b2; 35 says -> closed`,
		"an opening lost, said before the closing": `
			10 opened b1; 20 closed b1; 19 says b2 -> closed; 22 says b2 -> window of b2`,
		"an opening lost, something is shown": `
			10 opened b1; 20 closed b1; 20 shows b2 -> ; 21 shows b1 -> ; 21 says b1 -> closed; 22 shows b2 -> anew; 23 says -> window of b2; 24 says b1 -> history; 15 shows b1 -> past`,
		"a closing and an opening lost": `
			10 opened b1; 31 says b2 -> window of b2; 40 closed b2; 41 says b2 -> closed; 41 answers b2 -> unsaid; 41 answers b1 -> unsaid; 50 opened b3 -> anew; 51 says b1 -> history; 51 says b2 -> history`,
		"all of the next but its closing lost": `
			10 opened b1; 40 closed b2 -> past; 41 answers b2 -> unsaid; 41 says b1 -> window of b1; 42 says b2 -> history`,
		"all of the next but its closing lost, closed": `
			10 opened b1; 20 closed b1; 40 closed b2 -> past; 41 answers b2 -> unsaid; 41 says b2 -> history; 30 opened b2 -> past; 42 says -> closed; 50 says b3 -> window of b3`,
		"an opening after its closing": `
			10 opened b1; 20 closed b1; 31 says b2 -> window of b2; 40 closed b2; 30 opened b2 -> past; 41 says b2 -> closed; 41 answers b2 -> unsaid; 10 opened b1 -> past
			50 opened b2 -> anew; 51 says b2 -> window of b2`,
		"an opening before the closing of the one before": `
			10 opened b1; 21 closed b1; 20 opened b2 -> anew; 22 says b2 -> window of b2`,
		"closings and openings of the one before": `
			10 opened b1; 20 opened b2 -> anew; 15 closed -> past; 25 closed b1 -> past; 10 opened b1 -> past; 10 opened -> past; 26 says b2 -> window of b2; 26 answers b2 -> said`,
		"the one before goes on": `
			10 opened b1; 20 opened b2 -> anew; 30 opened b1 -> anew; 31 says b1 -> window of b1; 31 says b2 -> history; 40 closed b2 -> past; 41 says b1 -> window of b1; 42 closed b1; 43 says b1 -> closed`,
		"a stranger late to the next": `10 opened b2; 9 says b1 -> window of b2; 11 says b3 -> window of b3; 12 answers b2 -> said; 13 opened b3 -> anew; 14 says b2 -> history`,
		"a few broadcasts back": `
			10 opened b0; 20 closed b0; 30 opened b1 -> anew; 40 closed b1; 50 opened b2 -> anew; 60 closed b2; 99 says b0 -> history; 99 shows b0 -> ; 99 answers b0 -> unsaid; 99 says -> closed`,
		"settings are of no broadcast": `10 opened b1; 20 closed b1; 30 set b2 -> ; 31 says b1 -> closed`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stages{t: t}
			for _, step := range strings.FieldsFunc(steps, func(r rune) bool { return r == ';' || r == '\n' }) {
				step, want, checked := strings.Cut(strings.TrimSpace(step), "->")
				got := s.do(step)
				if step != "" && (checked || got != "") && strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("%s: %q, want %q: %+v", step, got, strings.TrimSpace(want), s.aggregator)
				}
			}
		})
	}
}

// Whatever comes, late and again: what has a window is said, and of what ended before
// nothing has one.
func TestOnAirStagesAgree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := &stages{t: t}
		var done []string
		for now := range 40 {
			b := []string{"", "b1", "b2", "b3", "b4"}[rnd.IntN(1+min(4, 1+now/10))]
			what := []string{"says", "says", "says", "opened", "closed", "shows"}[rnd.IntN(6)]
			step := fmt.Sprint(now-rnd.IntN(4)*rnd.IntN(4)+20, " ", what, " ", b)
			if len(done) > 0 && rnd.IntN(5) == 0 {
				step = done[rnd.IntN(len(done))] // played again
			}
			done = append(done, step)
			if s.do(step); t.Failed() {
				t.Fatalf("seed %d: %s", seed, strings.Join(done, "; "))
			}
		}
	}
}
