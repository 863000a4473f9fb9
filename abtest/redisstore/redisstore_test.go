package redisstore_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"livehost/abtest"
	"livehost/abtest/assign"
	"livehost/abtest/redisstore"
	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

func open(t *testing.T) (*miniredis.Miniredis, *redisstore.Store) {
	t.Helper()
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	return server, redisstore.New(client)
}

// The same on a real server, in a database of its own.
func TestStoreOnRealServer(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: testkit.RealServer(t, testkit.RedisAddr), DB: 2})
	t.Cleanup(func() { _ = client.Close() })
	must(t, client.FlushDB(t.Context()).Err())
	store(t, redisstore.New(client))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	store(t, s)
	for _, k := range server.Keys() {
		if !strings.Contains(k, "{harness}") {
			t.Errorf("key %s has no hash tag", k)
		}
	}
	server.Close()
	if _, _, err := s.Load(t.Context(), abtest.Default().Layer); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Redis away: %v", err)
	}
}

// store is what every store must do, beginning empty.
func store(t *testing.T, s *redisstore.Store) {
	t.Helper()
	ctx, d := t.Context(), abtest.Default()
	if _, found, err := s.Load(ctx, d.Layer); found || err != nil {
		t.Fatalf("empty Redis: found %v, %v", found, err)
	}
	must(t, s.Ensure(ctx, abtest.Snapshot{Definition: d}))
	next := d
	next.Version = 2
	must(t, s.Ensure(ctx, abtest.Snapshot{Definition: next, Overrides: map[string]event.Variant{"u9": abtest.Harness}, Killed: true})) // does not replace
	for _, v := range []event.Variant{abtest.Harness, abtest.ReactBaseline} {
		got, err := s.Stick(ctx, d.Layer, "用户1", v)
		if err != nil || got != abtest.Harness {
			t.Errorf("Stick(%s) = %s, %v, want the first writer's", v, got, err)
		}
	}
	must(t, s.Kill(ctx, d.Layer, "prices wrong"))
	got, found, err := s.Load(ctx, d.Layer)
	want := abtest.Snapshot{Definition: d, Overrides: map[string]event.Variant{"用户1": abtest.Harness}, Killed: true}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(assign.Table{})); diff != "" || !found || err != nil {
		t.Errorf("Load: found %v, %v (-want +got):\n%s", found, err, diff)
	}
	must(t, s.Revive(ctx, d.Layer))
	must(t, s.Put(ctx, next))
	if got, _, _ := s.Load(ctx, d.Layer); got.Killed || got.Definition.Version != 2 {
		t.Errorf("after Revive and Put: killed %v, version %d", got.Killed, got.Definition.Version)
	}
	if err := s.Put(ctx, assign.Definition{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("storing an invalid definition: %v", err)
	}
}

// Redis -> memory -> disk -> compiled default; nobody flips on the way.
func TestWayDown(t *testing.T) {
	t.Parallel()
	server, store := open(t)
	ctx := t.Context()
	cfg := abtest.DefaultConfig()
	cfg.SnapshotPath = filepath.Join(t.TempDir(), "abtest.json")
	deps := abtest.Deps{Definitions: store, Overrides: store, Log: slog.New(slog.DiscardHandler)}
	start := func() *abtest.Assigner {
		a, err := abtest.New(cfg, deps)
		must(t, err)
		return a
	}
	a := start()
	if got := a.Assign("r", "u1"); !got.Degraded || !got.Enrolled || got.Experiment != "harness-vs-react" {
		t.Errorf("before the first load: %+v, want the compiled default, degraded", got)
	}
	must(t, a.Refresh(ctx)) // stores it
	if got := a.Assign("r", "u1"); got.Degraded || got.Version != 1 {
		t.Errorf("after the first load: %+v", got)
	}
	d := abtest.Default()
	d.Version = 7
	must(t, store.Put(ctx, d))
	must(t, a.Refresh(ctx))
	healthy := a.Assign("r", "u1")
	if healthy.Degraded || healthy.Version != 7 {
		t.Errorf("loaded: %+v", healthy)
	}
	other := abtest.Harness
	if healthy.Variant == other {
		other = abtest.ReactBaseline
	}
	if v, err := a.Stick(ctx, "u1", other); v != other || err != nil {
		t.Errorf("Stick = %s, %v", v, err)
	}
	if _, err := a.Stick(ctx, "u1", "nonsense"); err == nil {
		t.Error("an unknown variant was stuck")
	}
	must(t, a.Refresh(ctx)) // the disk snapshot has the override now
	server.Close()
	if err := a.Refresh(ctx); err == nil {
		t.Fatal("Redis is away: no error")
	}
	want := abtest.Assignment{Experiment: d.Experiment, Version: 7, Variant: other, Unit: "u1", UnitKind: event.UnitViewer, Enrolled: true, Degraded: true}
	if diff := cmp.Diff(want, a.Assign("r", "u1")); diff != "" {
		t.Errorf("memory snapshot (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, start().Assign("r", "u1")); diff != "" {
		t.Errorf("disk snapshot (-want +got):\n%s", diff)
	}
}

// A Redis that lost its data is filled with what is in force, not with what is
// compiled in: nobody flips, overrides and the kill switch hold.
func TestRedisThatLostItsDataIsFilledAgain(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"goes on": false, "restarts": true} {
		server, store := open(t)
		ctx := t.Context()
		cfg := abtest.DefaultConfig()
		cfg.Layer, cfg.SnapshotPath = "other", filepath.Join(t.TempDir(), "abtest.json")
		d := abtest.Default()
		d.Layer, d.Version = cfg.Layer, 7
		must(t, store.Put(ctx, d))
		must(t, store.Kill(ctx, d.Layer, "prices wrong"))
		start := func() *abtest.Assigner {
			a, err := abtest.New(cfg, abtest.Deps{Definitions: store, Overrides: store, Log: slog.New(slog.DiscardHandler)})
			must(t, err)
			return a
		}
		a := start()
		must(t, a.Refresh(ctx))
		_, err := a.Stick(ctx, "qa", abtest.Harness)
		must(t, err)
		must(t, a.Refresh(ctx))
		server.FlushAll()
		if restart {
			a = start()
		}
		must(t, a.Refresh(ctx))
		if got := a.Assign("r", "u1"); got.Degraded || got.Version != 7 || got.Enrolled {
			t.Errorf("%s: %+v, want version 7 under the kill switch", name, got)
		}
		got, found, err := store.Load(ctx, cfg.Layer)
		want := abtest.Snapshot{Definition: d, Overrides: map[string]event.Variant{"qa": abtest.Harness}, Killed: true}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(assign.Table{})); diff != "" || !found || err != nil {
			t.Errorf("%s: stored: found %v, %v (-want +got):\n%s", name, found, err, diff)
		}
	}
}
