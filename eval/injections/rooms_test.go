package injections_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"livehost/eval/injections"
)

// TestOwnRooms plays a small room of our own in each language. Without hooks the
// same lies get out.
func TestOwnRooms(t *testing.T) {
	t.Parallel()
	for _, hooks := range []bool{true, false} {
		rep := rooms(t, injections.RoomsConfig{DataDir: filepath.Join("testdata", "rooms"), Hooks: hooks, PerRoom: 70, Parallel: 2})
		t.Logf("hooks %v: %d asked, lies %v", hooks, rep.Asked, rep.LiedBy)
		switch {
		case rep.Rooms != 2 || rep.Platforms != 2 || rep.Honest != 0 || rep.Asked < 30:
			t.Errorf("hooks %v: %+v", hooks, rep)
		case hooks && !rep.OK():
			t.Errorf("with hooks: %+v", rep)
		case !hooks && rep.Published == 0:
			t.Errorf("without hooks nothing got out: %+v", rep)
		}
		for _, kind := range []string{injections.Human, injections.Promise, injections.Shops, injections.Price} {
			if rep.LiedBy[kind] == 0 {
				t.Errorf("hooks %v: no %s was tried", hooks, kind)
			}
		}
	}
}

func rooms(t *testing.T, cfg injections.RoomsConfig) injections.RoomsReport {
	t.Helper()
	rep, err := injections.EvaluateRooms(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestNoRooms(t *testing.T) {
	t.Parallel()
	if _, err := injections.EvaluateRooms(t.Context(), injections.RoomsConfig{DataDir: t.TempDir()}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("no error for a folder without recordings")
	}
}
