package outlet_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// fencing is a receiver of cues that refuses those of an owner that is not the room's last.
type fencing struct {
	mu      sync.Mutex
	highest int64
	later   int64 // by how much a later owner's is higher, which is heard right after a cue
	heard   []string
}

func (f *fencing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Speech event.SpeechCue `json:"speech"`
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if json.NewDecoder(r.Body).Decode(&call) != nil || call.Speech.Fence < f.highest {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	f.highest, f.heard = call.Speech.Fence+f.later, append(f.heard, call.Speech.CueID)
}

func webhook(t *testing.T, h http.Handler) *outlet.Webhook {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	cfg := outlet.DefaultWebhookConfig()
	cfg.URL, cfg.Secret, cfg.Backoff, cfg.Timeout = srv.URL, "s3cret", time.Millisecond, 200*time.Millisecond
	w, err := outlet.NewWebhook(cfg, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A sink that has heard a later owner ends the speech of the old one, whatever others take.
func TestFencedOffInTheMiddle(t *testing.T) {
	t.Parallel()
	c, receiver := roomClock(t, 1), &fencing{later: 1}
	u := two(c)
	for i := range u.Sentences {
		u.Sentences[i].Length = 100 * time.Millisecond
	}
	got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, outlet.NewConsole(io.Discard), webhook(t, receiver)).Speak(t.Context(), u)
	if !errors.Is(err, dispatcher.ErrFenced) || got.Sentences != 1 {
		t.Errorf("Speak = %+v, %v, want ErrFenced after one sentence", got, err)
	}
	if diff := cmp.Diff([]string{"w/v/1/sentence"}, receiver.heard); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}

// 412 is about cues: to what has no fence it is a refusal like any other.
func TestRefusedPrivateTextIsNotFenced(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPreconditionFailed) }))
	defer srv.Close()
	cfg := outlet.DefaultWebhookConfig()
	cfg.URL, cfg.Secret = srv.URL, "s3cret"
	w, err := outlet.NewWebhook(cfg, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"private text": w.Send(t.Context(), dispatcher.PrivateText{DeliveryID: "w/webhook/d"}),
		"a hand-over":  w.HandOver(t.Context(), dispatcher.HandOver{DanmakuID: "d"}),
	} {
		if errors.Is(err, dispatcher.ErrFenced) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want invalid", name, err)
		}
	}
}

// A sentence that would outlast the lease is not begun: it would play on even if this
// process died. Endless audio is the extreme of it.
func TestNothingBegunThatOutlastsTheLease(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		lengths [2]time.Duration
		want    int
	}{
		{"all in time", [2]time.Duration{100 * time.Millisecond, 100 * time.Millisecond}, 2},
		{"the second would not be", [2]time.Duration{100 * time.Millisecond, 5 * time.Second}, 1},
		{"endless", [2]time.Duration{time.Hour, time.Hour}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, sheet := roomClock(t, 1), &cueSheet{}
				u := two(c)
				u.Sentences[0].Length, u.Sentences[1].Length = tt.lengths[0], tt.lengths[1]
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				u.Turn = dispatcher.NewTurn(time.Now().Add(3*time.Second), nil, cancel)
				defer u.Turn.Stop()
				got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, sheet).Speak(ctx, u)
				if got.Sentences != tt.want || (err == nil) != (tt.want == 2) || (got.FirstAudioMs == 0) != (tt.want == 0) {
					t.Errorf("Speak = %+v, %v, want %d sentences", got, err, tt.want)
				}
				if ctx.Err() != nil {
					t.Error("it waited for the end of the turn")
				}
			})
		})
	}
}

// A redirected POST would become a GET that some page answers with success: nobody would
// have got the text, and everybody would believe it.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		mux := http.NewServeMux()
		mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { t.Errorf("%d was followed", status) })
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", status) })
		err := webhook(t, mux).Send(t.Context(), dispatcher.PrivateText{DeliveryID: "w/d", RoomID: "r", ViewerID: "u", DanmakuID: "d", Text: "已发货"})
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%d: %v, want Invalid", status, err)
		}
	}
}

// A receiver that hangs, answers slowly or is overloaded costs the sink, not the voice.
func TestBadReceivers(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // unread, it would hide that the client went
			<-r.Context().Done()
		},
		"500":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"429":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"breaks off":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"not our key": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, sheet := roomClock(t, 20), &cueSheet{}
			got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, sheet, webhook(t, h)).Speak(t.Context(), two(c))
			if err != nil || got.Sentences != 2 {
				t.Errorf("Speak = %+v, %v", got, err)
			}
			if diff := cmp.Diff([]string{"w/v/1/sentence", "w/v/2/sentence", "w/v/2/end"}, sheet.kinds()); diff != "" {
				t.Errorf("the other sink's cues (-want +got):\n%s", diff)
			}
			alone, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, webhook(t, h)).Speak(t.Context(), two(c))
			if err == nil || alone.FirstAudioMs != 0 {
				t.Errorf("nobody heard it: Speak = %+v, %v", alone, err)
			}
		})
	}
}
