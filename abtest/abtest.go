package abtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"livehost/abtest/assign"
	"livehost/streams/event"
)

// Assignment is what a stage needs to know of one unit.
type Assignment struct {
	Experiment string
	Version    int
	Variant    event.Variant
	Unit       string // the viewer or room id that was assigned
	UnitKind   event.UnitKind
	Enrolled   bool // in the experiment: exposures are logged
	Degraded   bool // from a snapshot that could not be refreshed
}

// Snapshot is everything that decides assignments, at one moment.
type Snapshot struct {
	Definition assign.Definition        `json:"definition"`
	Overrides  map[string]event.Variant `json:"overrides,omitempty"` // by unit id
	Killed     bool                     `json:"killed,omitempty"`    // kill switch: everyone gets control
}

// Definitions is where the layer's state is kept.
type Definitions interface {
	// Load reads the layer's present state; false when nothing is stored for it.
	Load(ctx context.Context, layer string) (Snapshot, bool, error)
	// Ensure stores the state of the snapshot's layer unless it has one.
	Ensure(ctx context.Context, s Snapshot) error
}

// Overrides keeps the variants that were fixed by hand (test viewers, support).
type Overrides interface {
	// Stick stores the unit's variant unless one is stored already, and returns
	// what is stored: the first writer wins.
	Stick(ctx context.Context, layer, unit string, variant event.Variant) (event.Variant, error)
}

// Config is the assigner's values.
type Config struct {
	Layer        string        `yaml:"layer"`         // whose experiment decides
	Refresh      time.Duration `yaml:"refresh"`       // wall time between loads; bounds how long a kill switch takes
	LoadTimeout  time.Duration `yaml:"load_timeout"`  // wall time for one load
	SnapshotPath string        `yaml:"snapshot_path"` // file of the disk snapshot; empty: none
}

// DefaultConfig refreshes the default layer twice a second.
func DefaultConfig() Config {
	return Config{Layer: Default().Layer, Refresh: 500 * time.Millisecond, LoadTimeout: 2 * time.Second}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.Layer == "" {
		errs = append(errs, errors.New("layer: empty"))
	}
	if c.Refresh <= 0 {
		errs = append(errs, fmt.Errorf("refresh: %v, want more than 0", c.Refresh))
	}
	if c.LoadTimeout <= 0 {
		errs = append(errs, fmt.Errorf("load_timeout: %v, want more than 0", c.LoadTimeout))
	}
	return errors.Join(errs...)
}

// Deps is what an Assigner works with; all are required.
type Deps struct {
	Definitions Definitions
	Overrides   Overrides
	Log         *slog.Logger
}

// Assigner answers from its snapshot. It is safe for concurrent use.
type Assigner struct {
	cfg  Config
	deps Deps
	now  atomic.Pointer[current]
	mu   sync.Mutex // one refresh or Stick at a time, so that an older load never replaces a newer one
}

type current struct {
	Snapshot
	degraded bool
}

// New starts from the disk snapshot, or from Default when there is none; both
// count as degraded until the first Refresh succeeds. An unreadable snapshot file
// is reported in the log and ignored.
func New(cfg Config, deps Deps) (*Assigner, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("abtest: %w", err)
	}
	a := &Assigner{cfg: cfg, deps: deps}
	snapshot, err := readSnapshot(cfg.SnapshotPath, cfg.Layer)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			deps.Log.Warn("disk snapshot of the experiment ignored", "err", err)
		}
		snapshot = Snapshot{Definition: Default()}
		snapshot.Definition.Layer = cfg.Layer
	}
	a.now.Store(&current{Snapshot: snapshot, degraded: true})
	return a, nil
}

// Definition is the definition in force.
func (a *Assigner) Definition() assign.Definition { return a.now.Load().Definition }

// Assign is the variant of the viewer in the room.
func (a *Assigner) Assign(room event.RoomID, viewer event.ViewerID) Assignment {
	now := a.now.Load()
	d := now.Definition
	out := Assignment{
		Experiment: d.Experiment, Version: d.Version, Variant: d.Control,
		Unit: string(room), UnitKind: d.Unit, Degraded: now.degraded,
	}
	if d.Unit == event.UnitViewer {
		out.Unit = string(viewer)
		if viewer.Anonymous() {
			return out
		}
	}
	if now.Killed {
		return out
	}
	if v, ok := now.Overrides[out.Unit]; ok && d.Has(v) {
		out.Variant, out.Enrolled = v, true
		return out
	}
	got, enrolled := assign.Assign(d, out.Unit)
	out.Variant, out.Enrolled = got.Variant, enrolled
	return out
}

// Stick fixes a unit's variant for good and returns the one that counts, which
// is an earlier one if there was one.
func (a *Assigner) Stick(ctx context.Context, unit string, variant event.Variant) (event.Variant, error) {
	if !a.Definition().Has(variant) {
		return "", fmt.Errorf("abtest: variant %q is not in %s", variant, a.Definition().Experiment)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	stored, err := a.deps.Overrides.Stick(ctx, a.cfg.Layer, unit, variant)
	if err != nil {
		return "", fmt.Errorf("abtest: stick %s: %w", unit, err)
	}
	next := *a.now.Load()
	next.Overrides = maps.Clone(next.Overrides)
	if next.Overrides == nil {
		next.Overrides = map[string]event.Variant{}
	}
	next.Overrides[unit] = stored
	a.now.Store(&next)
	return stored, nil
}

// Refresh loads the snapshot once. On an error, or when what is stored is not valid,
// the one in force stays and is degraded.
func (a *Assigner) Refresh(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, a.cfg.LoadTimeout) // protocol timeout: wall time
	defer cancel()
	loaded, err := a.load(ctx)
	if err == nil {
		err = loaded.Definition.Validate()
	}
	if err != nil {
		stale := *a.now.Load()
		stale.degraded = true
		a.now.Store(&stale)
		return fmt.Errorf("abtest: refresh: %w", err)
	}
	a.now.Store(&current{Snapshot: loaded})
	return writeSnapshot(a.cfg.SnapshotPath, loaded)
}

// load reads what is stored. A store that has nothing is new or has lost its data: it
// gets what is in force here, so that no process falls back to an older state.
func (a *Assigner) load(ctx context.Context) (Snapshot, error) {
	loaded, found, err := a.deps.Definitions.Load(ctx, a.cfg.Layer)
	if err != nil || found {
		return loaded, err
	}
	if err := a.deps.Definitions.Ensure(ctx, a.now.Load().Snapshot); err != nil {
		return loaded, err
	}
	if loaded, found, err = a.deps.Definitions.Load(ctx, a.cfg.Layer); err == nil && !found {
		err = fmt.Errorf("nothing stored for layer %q", a.cfg.Layer)
	}
	return loaded, err
}

// Run refreshes until ctx ends. The log hears when refreshing starts to fail and
// when it works again, not every attempt.
func (a *Assigner) Run(ctx context.Context) error {
	tick := time.NewTicker(a.cfg.Refresh)
	defer tick.Stop()
	for failing := false; ; {
		err := a.Refresh(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !failing:
			a.deps.Log.Warn("experiment definitions cannot be refreshed, the last ones stay in force", "err", err)
		case err == nil && failing:
			a.deps.Log.Info("experiment definitions are refreshed again")
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func readSnapshot(path, layer string) (Snapshot, error) {
	if path == "" {
		return Snapshot{}, fs.ErrNotExist
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	var s Snapshot
	if err := json.Unmarshal(b, &s); err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", path, err)
	}
	if s.Definition.Layer != layer {
		return Snapshot{}, fmt.Errorf("snapshot %s: layer %q, want %q", path, s.Definition.Layer, layer)
	}
	return s, s.Definition.Validate()
}

// writeSnapshot replaces the file whole, and leaves it alone when nothing changed.
func writeSnapshot(path string, s Snapshot) error {
	if path == "" {
		return nil
	}
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("abtest: snapshot: %w", err)
	}
	if have, err := os.ReadFile(path); err == nil && string(have) == string(b) {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("abtest: snapshot: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // fails after the rename, as it should
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("abtest: snapshot: %w", err)
	}
	return nil
}
