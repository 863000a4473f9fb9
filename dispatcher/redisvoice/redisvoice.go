package redisvoice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/internal/fault"
)

const (
	key   = "livehost:voice:stops"
	every = 200 * time.Millisecond // wall time between two looks; a change is seen within twice that
)

// Switch is a dispatcher.Switch, and what operators turn. It is safe for concurrent use.
type Switch struct {
	client redis.UniversalClient
	log    *slog.Logger
}

var _ dispatcher.Switch = (*Switch)(nil)

// New uses the client; its owner closes it.
func New(client redis.UniversalClient, log *slog.Logger) *Switch {
	return &Switch{client: client, log: log}
}

// field names what a stop covers.
func field(s dispatcher.Stop) string {
	switch {
	case s.Room != "":
		return "room/" + string(s.Room)
	case s.Variant != "":
		return "variant/" + string(s.Variant)
	}
	return "all"
}

// Stop puts a stop in force, in place of an earlier one of the same cover.
func (s *Switch) Stop(ctx context.Context, stop dispatcher.Stop) error {
	value, err := json.Marshal(stop)
	if err != nil {
		return fault.Errorf(fault.Internal, "redisvoice: %w", err)
	}
	if err := s.client.HSet(ctx, key, field(stop), value).Err(); err != nil {
		return fault.Errorf(fault.Unavailable, "redisvoice: stop: %w", err)
	}
	return nil
}

// Resume ends the stop with the same cover; false when there was none.
func (s *Switch) Resume(ctx context.Context, stop dispatcher.Stop) (bool, error) {
	n, err := s.client.HDel(ctx, key, field(stop)).Result()
	if err != nil {
		return false, fault.Errorf(fault.Unavailable, "redisvoice: resume: %w", err)
	}
	return n > 0, nil
}

// List is every stop in force, in a stable order.
func (s *Switch) List(ctx context.Context) ([]dispatcher.Stop, error) {
	entries, err := s.client.HGetAll(ctx, key).Result()
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "redisvoice: list: %w", err)
	}
	stops := make([]dispatcher.Stop, 0, len(entries))
	for name, value := range entries {
		var stop dispatcher.Stop
		if err := json.Unmarshal([]byte(value), &stop); err != nil || field(stop) != name {
			s.log.Error("a voice stop cannot be read", "field", name, "err", fmt.Sprint(err))
			continue
		}
		stops = append(stops, stop)
	}
	slices.SortFunc(stops, func(a, b dispatcher.Stop) int { return cmp.Compare(field(a), field(b)) })
	return stops, nil
}

// Watch implements dispatcher.Switch.
func (s *Switch) Watch(ctx context.Context, changed func([]dispatcher.Stop)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	away := false
	for {
		limited, cancel := clock.WithWallTimeout(ctx, 2*every)
		stops, err := s.List(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !away {
				s.log.Warn("the voice switch cannot be read, the last stops stay in force", "err", err)
			}
			away = true
		default:
			away = false
			changed(stops)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
