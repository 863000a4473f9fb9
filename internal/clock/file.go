package clock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// beat is how often, in wall time, the state file says the process is alive.
const beat = 100 * time.Millisecond

// state is the content of the clock's file.
type state struct {
	Segments []Segment `json:"segments"`
	BeatMs   int64     `json:"beat_ms"` // wall time of the last beat
}

// Keeper keeps a clock's history in a file, so that room time goes on after a
// restart.
type Keeper struct {
	path  string
	state state
}

// Open starts a clock kept in the file at path. The first time its room time is
// start; later it goes on from the recorded history, the downtime having passed
// at speed 1. Run must be running for the history to be right after a kill: up to
// one beat of wall time is taken to have passed at the old speed.
func Open(path string, start time.Time, speed float64) (*Clock, *Keeper, error) {
	now := time.Now().UnixMilli()
	k := &Keeper{path: path}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		k.state.Segments = []Segment{{WallMs: now, RoomMs: start.UnixMilli(), Speed: speed}}
	case err != nil:
		return nil, nil, fmt.Errorf("clock: %w", err)
	default:
		err := json.Unmarshal(b, &k.state)
		if err == nil && len(k.state.Segments) == 0 {
			err = errors.New("it holds no segment")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("clock: %s is not a clock history: %w; remove the data directory to start anew", path, err)
		}
		k.resume(now, speed)
	}
	c, err := FromSegments(k.state.Segments)
	if err != nil {
		return nil, nil, err
	}
	return c, k, k.write()
}

func (k *Keeper) resume(now int64, speed float64) {
	last := k.state.Segments[len(k.state.Segments)-1]
	now = max(now, last.WallMs) // the wall clock may have been set back
	died := min(now, max(k.state.BeatMs, last.WallMs)+beat.Milliseconds())
	down := Segment{WallMs: died, RoomMs: last.room(time.UnixMilli(died)).UnixMilli(), Speed: 1}
	up := Segment{WallMs: now, RoomMs: down.room(time.UnixMilli(now)).UnixMilli(), Speed: speed}
	k.state.Segments = append(k.state.Segments, down, up)
}

// Run beats until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	t := time.NewTicker(beat)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := k.write(); err != nil {
				return err
			}
		case <-ctx.Done():
			return k.write()
		}
	}
}

// write replaces the file in one step, so that a kill leaves the old or the new.
func (k *Keeper) write() error {
	k.state.BeatMs = time.Now().UnixMilli()
	b, err := json.Marshal(k.state)
	if err != nil {
		return fmt.Errorf("clock: %w", err)
	}
	tmp := k.path + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return fmt.Errorf("clock: %w; is %s writable?", err, filepath.Dir(k.path))
	}
	if err := os.Rename(tmp, k.path); err != nil {
		return fmt.Errorf("clock: %w", err)
	}
	return nil
}
