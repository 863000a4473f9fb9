package abtest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"livehost/abtest"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a Definitions whose answer can be changed while it is in use.
type source struct {
	now atomic.Pointer[abtest.Snapshot]
}

func (s *source) Load(context.Context, string) (abtest.Snapshot, bool, error) {
	if p := s.now.Load(); p != nil {
		return *p, true, nil
	}
	return abtest.Snapshot{}, false, errors.New("away")
}

func (s *source) Ensure(context.Context, abtest.Snapshot) error { return errors.New("away") }

func (s *source) Stick(context.Context, string, string, event.Variant) (event.Variant, error) {
	return "", errors.New("away")
}

func assigner(t *testing.T, cfg abtest.Config, s *source) *abtest.Assigner {
	t.Helper()
	a, err := abtest.New(cfg, abtest.Deps{Definitions: s, Overrides: s, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDefault(t *testing.T) {
	t.Parallel()
	d := abtest.Default()
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	if d.Variants[0].Weight != 5000 || d.Variants[1].Weight != 5000 || d.Control != abtest.ReactBaseline {
		t.Errorf("default is not 50:50 against react-baseline: %+v", d.Variants)
	}
}

func TestAssign(t *testing.T) {
	t.Parallel()
	plain := abtest.Snapshot{Definition: abtest.Default(), Overrides: map[string]event.Variant{"qa": "gone"}}
	killed, room := plain, plain
	killed.Killed = true
	room.Definition.Unit = event.UnitRoom
	for _, tt := range []struct {
		name     string
		snapshot abtest.Snapshot
		viewer   event.ViewerID
		enrolled bool
		unit     string
	}{
		{"viewer", plain, "u1", true, "u1"},
		{"override of an unknown variant is ignored", plain, "qa", true, "qa"},
		{"no id", plain, "", false, ""},
		{"id 0", plain, "0", false, "0"},
		{"kill switch", killed, "u1", false, "u1"},
		{"room unit takes anonymous viewers", room, "0", true, "r"},
	} {
		s := &source{}
		s.now.Store(&tt.snapshot)
		a := assigner(t, abtest.DefaultConfig(), s)
		if err := a.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := a.Assign("r", tt.viewer)
		if got.Enrolled != tt.enrolled || got.Unit != tt.unit || got.UnitKind != tt.snapshot.Definition.Unit || got.Degraded {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if !tt.enrolled && got.Variant != abtest.ReactBaseline {
			t.Errorf("%s: variant %s, want control", tt.name, got.Variant)
		}
	}
}

func TestRunFollowsTheKillSwitchWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.now.Store(&abtest.Snapshot{Definition: abtest.Default()})
		a := assigner(t, abtest.DefaultConfig(), s)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.Run(ctx) }()
		synctest.Wait()
		if got := a.Assign("r", "u1"); !got.Enrolled || got.Degraded {
			t.Errorf("running: %+v", got)
		}
		s.now.Store(&abtest.Snapshot{Definition: abtest.Default(), Killed: true})
		<-time.After(time.Second) // bubble time
		synctest.Wait()
		if got := a.Assign("r", "u1"); got.Enrolled {
			t.Errorf("killed a second ago: %+v", got)
		}
		s.now.Store(nil)
		<-time.After(time.Second)
		synctest.Wait()
		if got := a.Assign("r", "u1"); got.Enrolled || !got.Degraded {
			t.Errorf("Redis away: %+v, want still killed, degraded", got)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestBadSnapshotFileFallsToDefault(t *testing.T) {
	t.Parallel()
	for i, content := range []string{"{", "{}", `{"definition":{"layer":"other"}}`} {
		cfg := abtest.DefaultConfig()
		cfg.SnapshotPath = filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(cfg.SnapshotPath, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := assigner(t, cfg, &source{}).Assign("r", "u1"); got.Experiment != "harness-vs-react" || !got.Degraded {
			t.Errorf("file %q: %+v", content, got)
		}
	}
}

func TestConfigValidateListsEverything(t *testing.T) {
	t.Parallel()
	_, err := abtest.New(abtest.Config{}, abtest.Deps{})
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 3 {
		t.Errorf("New with an empty config: %v, want 3 problems", err)
	}
}
