package outlet_test

import (
	"encoding/binary"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/dispatcher/outlettest"
	"livehost/internal/clock"
	"livehost/internal/testkit"
)

// TestMain lets the test binary stand in for espeak-ng, over the same arguments,
// standard input and output.
func TestMain(m *testing.M) {
	if os.Getenv("OUTLET_TEST_ESPEAK") != "" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil || !slices.Contains(os.Args, "--stdout") {
			os.Exit(2)
		}
		_, _ = os.Stdout.Write(wav(len([]rune(string(text))) * 4000)) // 0.25 s a rune
		return
	}
	goleak.VerifyTestMain(m)
}

// wav is 16-bit mono audio at 8 kHz with a stream's header: it does not know its size.
func wav(dataBytes int) []byte {
	b := []byte("RIFF\xff\xff\xff\x7fWAVEfmt ")
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = append(b, 1, 0, 1, 0)
	b = binary.LittleEndian.AppendUint32(b, 8000)
	b = binary.LittleEndian.AppendUint32(b, 16000)
	b = append(b, 2, 0, 16, 0)
	b = append(b, "data\xff\xff\xff\x7f"...)
	return append(b, make([]byte, dataBytes)...)
}

var quiet = slog.New(slog.DiscardHandler)

func espeak(t *testing.T, edit ...func(*outlet.EspeakConfig)) *outlet.Espeak {
	t.Helper()
	cfg := outlet.DefaultEspeakConfig()
	cfg.Path, cfg.Timeout = os.Args[0], testkit.Patience
	for _, f := range edit {
		f(&cfg)
	}
	e, err := outlet.NewEspeak(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func voice(c *clock.Clock, s outlet.Synthesiser, sinks ...outlet.Sink) dispatcher.Outlet {
	return outlet.NewVoice(c, quiet, s, nil, append(sinks, outlet.NewConsole(io.Discard))...)
}

func TestEspeakProtocol(t *testing.T) {
	t.Setenv("OUTLET_TEST_ESPEAK", "1")
	outlettest.Run(t, func(t *testing.T, c *clock.Clock) dispatcher.Outlet { return voice(c, espeak(t)) })
	c, err := clock.New(time.UnixMilli(1_700_000_000_000), 20)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	e := voice(c, espeak(t), outlet.NewFiles(dir))
	u := dispatcher.Utterance{DeliveryID: "w#1/espeak", Spoken: "-八十九元", Language: "zh", SpeakByMs: c.NowMs() + 3_600_000}
	got, err := e.Speak(t.Context(), u)
	if err != nil || got.EndMs-got.FirstAudioMs < 1250 {
		t.Errorf("Speak = %+v, %v, want five runes of audio, 1.25 s", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "w_1_espeak_1_sentence.wav")); err != nil {
		t.Error(err)
	}
}

// TestEspeakReal speaks with the real program where it is installed.
func TestEspeakReal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	outlettest.Run(t, func(t *testing.T, c *clock.Clock) dispatcher.Outlet {
		return voice(c, espeak(t, func(cfg *outlet.EspeakConfig) { cfg.Path = "espeak-ng" }))
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	cfg := outlet.DefaultConfig()
	cfg.Espeak.Path = "no-such-program-here"
	if o, err := outlet.New(cfg, clock.Real(), io.Discard, quiet); err != nil || o.Voice.Name() != "console" || o.Private == nil {
		t.Errorf("auto without espeak-ng: %+v, %v", o, err)
	}
	cfg.Voice = outlet.KindEspeak
	if _, err := outlet.New(cfg, clock.Real(), io.Discard, quiet); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("espeak without espeak-ng: %v", err)
	}
	cfg = outlet.Config{Voice: "radio"}
	_, err := outlet.New(cfg, clock.Real(), io.Discard, quiet)
	for _, want := range []string{"voice", "path", "voices", "words_per_minute", "timeout"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v, want a problem with %s", err, want)
		}
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	outlettest.Run(t, func(_ *testing.T, c *clock.Clock) dispatcher.Outlet {
		return voice(c, outlet.Silent{})
	})
}

func TestConsolePrints(t *testing.T) {
	t.Parallel()
	c, err := clock.New(time.UnixMilli(1_700_000_000_000), 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	console := outlet.NewConsole(&out)
	u := dispatcher.Utterance{RoomID: "r1", Text: "今天89元", Spoken: "今天八十九元", Length: time.Second, SpeakByMs: c.NowMs() + 10_000}
	got, err := outlet.NewVoice(c, quiet, outlet.Silent{}, nil, console).Speak(t.Context(), u)
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
