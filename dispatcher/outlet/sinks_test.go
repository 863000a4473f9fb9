package outlet_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/dispatcher/outlettest"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

// cueSheet keeps the cues it is told.
type cueSheet struct {
	mu   sync.Mutex
	cues []event.SpeechCue
}

func (*cueSheet) Name() string { return "sheet" }

func (s *cueSheet) Emit(_ context.Context, c event.SpeechCue, _ outlet.Clip) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cues = append(s.cues, c)
	return nil
}

func (s *cueSheet) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		if err := s.Emit(context.Background(), e.(event.SpeechCue), outlet.Clip{}); err != nil {
			return err
		}
	}
	return nil
}

func (s *cueSheet) kinds() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cues {
		out = append(out, c.CueID)
	}
	return out
}

func roomClock(t *testing.T, speed float64) *clock.Clock {
	t.Helper()
	c, err := clock.New(time.UnixMilli(1_700_000_000_000), speed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// two is an utterance of two sentences.
func two(c *clock.Clock) dispatcher.Utterance {
	return dispatcher.Utterance{
		DeliveryID: "w/v", RoomID: "r", Fence: 7, Text: "价格89元。包邮", Spoken: "价格八十九元。包邮", Language: "zh", Length: 2 * time.Second, SpeakByMs: c.NowMs() + 3_600_000, // minutes of wall time at any speed here

		Sentences: []dispatcher.Sentence{
			{Text: "价格89元。", Spoken: "价格八十九元。", Length: time.Second}, {Text: "包邮", Spoken: "包邮", Length: time.Second},
		},
	}
}

func TestSentencesHaveTheirTimes(t *testing.T) {
	t.Parallel()
	c, sheet := roomClock(t, 20), &cueSheet{}
	got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, outlet.NewCues(sheet)).Speak(t.Context(), two(c))
	if err != nil || got.Sentences != 2 {
		t.Fatalf("Speak = %+v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"w/v/1/sentence", "w/v/2/sentence", "w/v/2/end"}, sheet.kinds()); diff != "" {
		t.Errorf("cues (-want +got):\n%s", diff)
	}
	first, second := sheet.cues[0], sheet.cues[1]
	if first.Fence != 7 || first.LengthMs != 1000 || first.Spoken != "价格八十九元。" || second.AtMs < first.AtMs+1000 || first.AtMs != got.FirstAudioMs || first.Of != 2 {
		t.Errorf("cues %+v", sheet.cues)
	}
}

// CASES P21, P22: a stop is told to whoever plays, and nothing follows it.
func TestStopIsTheLastCue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, sheet := roomClock(t, 1), &cueSheet{}
		ctx, cancel := context.WithCancelCause(t.Context())
		told := time.Now()
		time.AfterFunc(50*time.Millisecond, func() { told = time.Now(); cancel(errors.New("stopped")) })
		got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, sheet).Speak(ctx, two(c))
		if took := time.Since(told); err == nil || took > 300*time.Millisecond {
			t.Errorf("silent after %v, %v", took, err)
		}
		if got.FirstAudioMs == 0 || got.Sentences != 0 {
			t.Errorf("Spoken = %+v", got)
		}
		if diff := cmp.Diff([]string{"w/v/1/sentence", "w/v/1/stop"}, sheet.kinds()); diff != "" {
			t.Errorf("cues (-want +got):\n%s", diff)
		}
	})
}

// While somebody else has the floor the turn goes on, longer than the lease was; when the
// room has another owner by then, nothing is said.
func TestFloorHeldForLong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		renewals int // that the ledger grants
		want     error
		cues     []string
	}{
		{"renewed", 100, nil, []string{"w/v/1/sentence", "w/v/1/stop", "w/v/1/sentence/2", "w/v/2/sentence", "w/v/2/end"}},
		{"another owner before it began", 3, dispatcher.ErrFenced, nil},
		{"another owner in the middle", 15, dispatcher.ErrFenced, []string{"w/v/1/sentence", "w/v/1/stop", "w/v/1/stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const lease = 4 * time.Second
				c, sheet, floor := roomClock(t, 1), &cueSheet{}, outlet.NewFloor()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				u, renewals := two(c), 0
				u.Turn = dispatcher.NewTurn(time.Now().Add(lease), func(context.Context) (time.Time, error) {
					if renewals++; renewals > tt.renewals {
						return time.Time{}, dispatcher.ErrFenced
					}
					return time.Now().Add(lease), nil
				}, cancel)
				defer u.Turn.Stop()
				floor.Take("r", "host")
				time.AfterFunc(10*time.Second, func() { floor.Give("r", "host") })
				time.AfterFunc(10500*time.Millisecond, func() { floor.Take("r", "host") })
				time.AfterFunc(19*time.Second, func() { floor.Give("r", "host") })
				if _, err := outlet.NewVoice(c, quiet, outlet.Silent{}, floor, sheet).Speak(ctx, u); !errors.Is(err, tt.want) {
					t.Errorf("Speak: %v, want %v", err, tt.want)
				}
				if diff := cmp.Diff(tt.cues, sheet.kinds()); diff != "" {
					t.Errorf("cues (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Speech that waits for the floor when its room is being given up is not begun any more;
// what was begun goes on.
func TestFloorFreeTooLateToBegin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		holding time.Duration // of the floor, from the start on
		want    error
		took    time.Duration
	}{
		{"not begun", 3 * time.Second, dispatcher.ErrLate, time.Second},
		{"begun", 0, nil, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, sheet, floor := roomClock(t, 1), &cueSheet{}, outlet.NewFloor()
				if tt.holding > 0 {
					floor.Take("r", "host")
					time.AfterFunc(tt.holding, func() { floor.Give("r", "host") })
				}
				open, shut := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, shut)
				u, begun := two(c), time.Now()
				u.Open = open
				if _, err := outlet.NewVoice(c, quiet, outlet.Silent{}, floor, sheet).Speak(t.Context(), u); !errors.Is(err, tt.want) {
					t.Errorf("Speak: %v, want %v", err, tt.want)
				}
				if took := time.Since(begun); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

func TestFloor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, sheet, floor := roomClock(t, 10), &cueSheet{}, outlet.NewFloor()
		v := outlet.NewVoice(c, quiet, outlet.Silent{}, floor, sheet)
		floor.Take("r", "host")
		time.AfterFunc(60*time.Millisecond, func() { floor.Give("r", "host") })  // before the first sentence
		time.AfterFunc(110*time.Millisecond, func() { floor.Take("r", "host") }) // in it
		time.AfterFunc(150*time.Millisecond, func() { floor.Give("r", "host") })
		got, err := v.Speak(t.Context(), two(c))
		if err != nil || got.Sentences != 2 {
			t.Fatalf("Speak = %+v, %v", got, err)
		}
		if diff := cmp.Diff([]string{"w/v/1/sentence", "w/v/1/stop", "w/v/1/sentence/2", "w/v/2/sentence", "w/v/2/end"}, sheet.kinds()); diff != "" {
			t.Errorf("cues (-want +got):\n%s", diff)
		}
		floor.Take("r", "host")
		u := two(c)
		u.SpeakByMs = c.NowMs() + 500
		if got, err := v.Speak(t.Context(), u); !errors.Is(err, dispatcher.ErrLate) || got.FirstAudioMs != 0 {
			t.Errorf("with the floor taken: %+v, %v, want ErrLate", got, err)
		}
	})
}

// speechServer is an OpenAI-compatible server: 0.25 s of audio a rune.
func speechServer(t *testing.T, status *int) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/audio/speech" || r.Header.Get("Authorization") != "Bearer key" ||
			in["model"] != "tts" || in["voice"] != "alloy" || in["response_format"] != "wav" {
			t.Errorf("request %s %v: %v", r.URL.Path, in, err)
		}
		if status != nil && *status != 0 {
			w.Header().Set("Retry-After", "2")
			http.Error(w, "no", *status)
			return
		}
		_, _ = w.Write(wav(len([]rune(in["input"].(string))) * 4000))
	}))
	t.Cleanup(srv.Close)
	return srv
}

func openAI(t *testing.T, srv *httptest.Server) *outlet.OpenAISpeech {
	t.Helper()
	cfg := outlet.DefaultOpenAIConfig()
	cfg.BaseURL, cfg.APIKey, cfg.Model, cfg.Timeout = srv.URL+"/v1", "key", "tts", testkit.Patience
	o, err := outlet.NewOpenAISpeech(cfg, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOpenAISpeech(t *testing.T) {
	t.Parallel()
	status := 0
	srv := speechServer(t, &status)
	outlettest.Run(t, func(t *testing.T, c *clock.Clock) dispatcher.Outlet { return voice(c, openAI(t, srv)) })
	clip, err := openAI(t, srv).Synthesise(t.Context(), dispatcher.Sentence{Spoken: "八十九元"}, "fr")
	if err != nil || clip.Length != time.Second {
		t.Errorf("Synthesise = %v, %v, want a second", clip.Length, err)
	}
	for code, want := range map[int]fault.Kind{429: fault.Exhausted, 503: fault.Unavailable, 400: fault.Invalid} {
		status = code
		_, err := openAI(t, srv).Synthesise(t.Context(), dispatcher.Sentence{Spoken: "x"}, "zh")
		if err == nil || fault.KindOf(err) != want || want != fault.Invalid && fault.RetryAfter(err) != 2*time.Second {
			t.Errorf("%d gives %v, want %v", code, err, want)
		}
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	keys, bodies := []string{}, []string{}
	statuses := []int{503, 200, 409, 400}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if want := outlet.Sign("s3cret", r.Header.Get(outlet.HeaderTimestamp), body); r.Header.Get(outlet.HeaderSignature) != want {
			t.Errorf("signature %q, want %q", r.Header.Get(outlet.HeaderSignature), want)
		}
		keys, bodies = append(keys, r.Header.Get(outlet.HeaderIdempotency)), append(bodies, string(body))
		w.WriteHeader(statuses[0])
		statuses = statuses[1:]
	}))
	defer srv.Close()
	cfg := outlet.DefaultWebhookConfig()
	cfg.URL, cfg.Secret, cfg.Backoff = srv.URL, "s3cret", time.Millisecond
	w, err := outlet.NewWebhook(cfg, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Send(t.Context(), dispatcher.PrivateText{DeliveryID: "w/webhook/d", RoomID: "r", ViewerID: "u", DanmakuID: "d", Text: "已发货"}); err != nil {
		t.Errorf("after one 503: %v", err)
	}
	if err := w.HandOver(t.Context(), dispatcher.HandOver{RoomID: "r", DanmakuID: "d", Reason: "safety"}); err != nil {
		t.Errorf("409 says that it is known: %v", err)
	}
	if err := w.Emit(t.Context(), event.SpeechCue{CueID: "w/v/1/sentence", Text: "89元"}, outlet.Clip{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("400: %v, want Invalid", err)
	}
	if diff := cmp.Diff([]string{"w/webhook/d", "w/webhook/d", "hand_over/d", "w/v/1/sentence"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	for i, want := range []string{`"type":"private"`, `"text":"已发货"`, `"hand_over":{"room_id":"r","danmaku_id":"d"`, `"speech":{`} {
		if !strings.Contains(bodies[i], want) {
			t.Errorf("body %d: %s, want %s in it", i, bodies[i], want)
		}
	}
}

func TestWebSocket(t *testing.T) {
	t.Parallel()
	floor := outlet.NewFloor()
	cfg := outlet.DefaultWebSocketConfig()
	cfg.Addr, cfg.Token = "127.0.0.1:0", "tok"
	ws, err := outlet.NewWebSocket(cfg, quiet, floor)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(ws)
	defer srv.Close()
	if _, resp, err := websocket.Dial(t.Context(), srv.URL+"/rooms/r/voice?token=wrong", nil); err == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong token: %v", err)
	}
	conn, _, err := websocket.Dial(t.Context(), srv.URL+"/rooms/r/voice?token=tok", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	c := roomClock(t, 2)
	v := outlet.NewVoice(c, quiet, openAI(t, speechServer(t, nil)), nil).With(floor, ws)
	say := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() { _, err := v.Speak(ctx, two(c)); done <- err }()
		return done
	}
	// The client takes the floor in the first sentence and gives it back.
	done := say(t.Context())
	var got []string
	for len(got) < 8 {
		kind, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.MessageBinary {
			got = append(got, "audio")
			continue
		}
		var cue event.SpeechCue
		if err := json.Unmarshal(data, &cue); err != nil {
			t.Fatal(err)
		}
		if got = append(got, string(cue.Kind)); len(got) == 1 {
			_ = conn.Write(t.Context(), websocket.MessageText, []byte(`{"floor":"take"}`))
		} else if cue.Kind == event.CueStop {
			_ = conn.Write(t.Context(), websocket.MessageText, []byte(`{"floor":"give"}`))
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"sentence", "audio", "stop", "sentence", "audio", "sentence", "audio", "end"}, got); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
	// A client that goes with the floor gives it back.
	_ = conn.Write(t.Context(), websocket.MessageText, []byte(`{"floor":"take"}`))
	done = say(t.Context())
	conn.CloseNow()
	if err := <-done; err != nil {
		t.Errorf("after the client has gone: %v", err)
	}
}

func TestSilentSinks(t *testing.T) {
	t.Parallel()
	c := roomClock(t, 20)
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	cfg := outlet.DefaultWebhookConfig()
	cfg.URL, cfg.Secret = srv.URL, "s"
	w, err := outlet.NewWebhook(cfg, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, w).Speak(t.Context(), two(c)); err == nil || got.FirstAudioMs != 0 {
		t.Errorf("no sink takes it: %+v, %v, want an error and nothing heard", got, err)
	}
	if got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, w, &cueSheet{}).Speak(t.Context(), two(c)); err != nil || got.Sentences != 2 {
		t.Errorf("one of two takes it: %+v, %v", got, err)
	}
}
