package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"livehost/abtest"
	"livehost/abtest/assign"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// Store reads and writes layers. It is safe for concurrent use.
type Store struct{ client redis.UniversalClient }

// New uses the client; its owner closes it.
func New(client redis.UniversalClient) *Store { return &Store{client} }

var (
	_ abtest.Definitions = (*Store)(nil)
	_ abtest.Overrides   = (*Store)(nil)
)

func key(layer, what string) string { return "livehost:abtest:{" + layer + "}:" + what }

// Load reads the layer in one transaction, so that a definition is never paired
// with another moment's overrides.
func (s *Store) Load(ctx context.Context, layer string) (abtest.Snapshot, bool, error) {
	var definition, killed *redis.StringCmd
	var overrides *redis.MapStringStringCmd
	_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		definition = p.Get(ctx, key(layer, "definition"))
		overrides = p.HGetAll(ctx, key(layer, "override"))
		killed = p.Get(ctx, key(layer, "killed"))
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return abtest.Snapshot{}, false, unavailable("load layer", layer, err)
	}
	raw, err := definition.Bytes()
	if errors.Is(err, redis.Nil) {
		return abtest.Snapshot{}, false, nil
	}
	if err != nil {
		return abtest.Snapshot{}, false, unavailable("load layer", layer, err)
	}
	out := abtest.Snapshot{Killed: killed.Err() == nil, Overrides: make(map[string]event.Variant, len(overrides.Val()))}
	for unit, v := range overrides.Val() {
		out.Overrides[unit] = event.Variant(v)
	}
	if err := json.Unmarshal(raw, &out.Definition); err != nil {
		return abtest.Snapshot{}, false, fault.Errorf(fault.Invalid, "layer %s: definition: %w", layer, err)
	}
	return out, true, nil
}

// Put stores a definition, replacing the layer's.
func (s *Store) Put(ctx context.Context, d assign.Definition) error {
	raw, err := encode(d)
	if err != nil {
		return err
	}
	if err := s.client.Set(ctx, key(d.Layer, "definition"), raw, 0).Err(); err != nil {
		return unavailable("put layer", d.Layer, err)
	}
	return nil
}

// restored is the reason of a kill switch that Redis lost and got back.
const restored = "restored after Redis lost it"

// Ensure stores a layer's whole state unless it has a definition.
func (s *Store) Ensure(ctx context.Context, snapshot abtest.Snapshot) error {
	layer := snapshot.Definition.Layer
	raw, err := encode(snapshot.Definition)
	if err != nil {
		return err
	}
	k := key(layer, "definition")
	err = s.client.Watch(ctx, func(tx *redis.Tx) error {
		if n, err := tx.Exists(ctx, k).Result(); err != nil || n > 0 {
			return err
		}
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, k, raw, 0)
			for unit, v := range snapshot.Overrides {
				p.HSetNX(ctx, key(layer, "override"), unit, string(v))
			}
			if snapshot.Killed {
				p.SetNX(ctx, key(layer, "killed"), restored, 0)
			}
			return nil
		})
		return err
	}, k)
	if err != nil && !errors.Is(err, redis.TxFailedErr) { // another process was quicker
		return unavailable("ensure layer", layer, err)
	}
	return nil
}

func encode(d assign.Definition) ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, fault.Errorf(fault.Invalid, "definition of %q: %w", d.Experiment, err)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "definition of %q: %w", d.Experiment, err)
	}
	return raw, nil
}

// Stick stores the unit's variant unless one is stored, and returns what is
// stored.
func (s *Store) Stick(ctx context.Context, layer, unit string, variant event.Variant) (event.Variant, error) {
	k := key(layer, "override")
	var stored *redis.StringCmd
	_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSetNX(ctx, k, unit, string(variant))
		stored = p.HGet(ctx, k, unit)
		return nil
	})
	if err != nil {
		return "", unavailable("stick in layer", layer, err)
	}
	return event.Variant(stored.Val()), nil
}

// Kill gives control to every unit of the layer until Revive; reason is kept for
// people.
func (s *Store) Kill(ctx context.Context, layer, reason string) error {
	if err := s.client.Set(ctx, key(layer, "killed"), reason, 0).Err(); err != nil {
		return unavailable("kill layer", layer, err)
	}
	return nil
}

// Revive undoes Kill.
func (s *Store) Revive(ctx context.Context, layer string) error {
	if err := s.client.Del(ctx, key(layer, "killed")).Err(); err != nil {
		return unavailable("revive layer", layer, err)
	}
	return nil
}

// unavailable keeps a cancelled caller's error what it is.
func unavailable(what, layer string, err error) error {
	err = fmt.Errorf("redis: %s %s: %w", what, layer, err)
	if errors.Is(err, context.Canceled) {
		return fault.Wrap(fault.Canceled, err)
	}
	return fault.Wrap(fault.Unavailable, err)
}
