package clock_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"livehost/internal/clock"
)

func TestOpenGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clock.json")
	start := time.UnixMilli(1_800_000_000_000)
	if _, _, err := clock.Open(path, start, 20); err != nil {
		t.Fatal(err)
	}
	// As if it had been started 60 s ago, and killed 50 s ago.
	var s struct {
		Segments []clock.Segment `json:"segments"`
		BeatMs   int64           `json:"beat_ms"`
	}
	b, _ := os.ReadFile(path)
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UnixMilli()
	s.Segments[0].WallMs, s.BeatMs = now-60_000, now-50_000
	b, _ = json.Marshal(s)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := clock.Open(path, start, 20)
	if err != nil {
		t.Fatal(err)
	}
	// 10 s and one beat at speed 20, the rest at speed 1.
	want := 10_100*20 + 49_900
	got := c.Now().Sub(start).Milliseconds()
	if most := int64(want) + 20*(time.Now().UnixMilli()-now+1); got < int64(want) || got > most {
		t.Errorf("room time is %d ms after the start, want about %d", got, want)
	}
	killed := c.Room(time.UnixMilli(now - 50_000)).Sub(start)
	if killed != 200*time.Second {
		t.Errorf("the instant of the last beat maps to %v, want 200s", killed)
	}
}

func TestOpenRefusesAForeignFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clock.json")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := clock.Open(path, time.Now(), 1)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names the file", err)
	}
}
