package outlet_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/internal/testkit"
)

// A speech server that gives no audio, or no end of it, is an outlet that failed before
// anybody heard anything: the asker gets the answer in writing. None holds the voice for
// longer than its first audio may wait.
func TestBadSpeechServers(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"an empty body": func(http.ResponseWriter, *http.Request) {},
		"no audio":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wav(0)) },
		"a page":        func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>log in</html>") },
		"half an hour":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wav(16000 * 1000)) },
		"500":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"429":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"a redirect":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"breaks off": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(wav(4000)[:60])
			panic(http.ErrAbortHandler)
		},
		"hangs": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = w.Write(wav(4000))
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(h)
			t.Cleanup(srv.Close)
			cfg := outlet.DefaultOpenAIConfig()
			cfg.BaseURL, cfg.APIKey, cfg.Model, cfg.Timeout = srv.URL+"/v1", "key", "tts", 500*time.Millisecond
			synth, err := outlet.NewOpenAISpeech(cfg, srv.Client())
			if err != nil {
				t.Fatal(err)
			}
			c, sheet := roomClock(t, 1), &cueSheet{}
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience) // the lease
			defer cancel()
			got, err := outlet.NewVoice(c, quiet, synth, nil, sheet).Speak(ctx, two(c))
			if err == nil || errors.Is(err, dispatcher.ErrFenced) || got.FirstAudioMs != 0 || len(sheet.kinds()) != 0 {
				t.Errorf("Speak = %+v, %v, cues %v", got, err, sheet.kinds())
			}
			if ctx.Err() != nil {
				t.Error("it waited for the end of the lease")
			}
		})
	}
}

// A voice that fails in the middle of a text ends it there, and says how far it came.
func TestSpeechServerFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	calls := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case calls <- struct{}{}:
			_, _ = w.Write(wav(1600))
		default:
			w.WriteHeader(503)
		}
	}))
	t.Cleanup(srv.Close)
	c, sheet := roomClock(t, 1), &cueSheet{}
	got, err := outlet.NewVoice(c, quiet, openAI(t, srv), nil, sheet).Speak(t.Context(), two(c))
	if err == nil || got.FirstAudioMs == 0 || got.Sentences != 1 || got.EndMs < got.FirstAudioMs {
		t.Errorf("Speak = %+v, %v, want one sentence and an error", got, err)
	}
	if kinds := sheet.kinds(); len(kinds) != 2 || kinds[1] != "w/v/2/stop" {
		t.Errorf("cues %v", kinds)
	}
}
