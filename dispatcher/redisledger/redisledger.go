package redisledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// Config is the ledger's values.
type Config struct {
	TTL time.Duration `yaml:"ttl"` // wall time a claim is kept; longer than any reply can be handed over again
}

// DefaultConfig keeps claims for an hour.
func DefaultConfig() Config { return Config{TTL: time.Hour} }

// Validate lists every problem.
func (c Config) Validate() error {
	if c.TTL < time.Minute {
		return fmt.Errorf("ttl: %v, want a minute or more", c.TTL)
	}
	return nil
}

// Ledger is a dispatcher.Ledger. It is safe for concurrent use.
type Ledger struct {
	client redis.UniversalClient
	ttl    time.Duration
}

var _ dispatcher.Ledger = (*Ledger)(nil)

// What beginScript answers instead of codes of claims.
const (
	fencedOff = -1
	voiceHeld = -2
)

// fenceTTL outlives any pause between two claims of a live owner.
const fenceTTL = 24 * time.Hour

// New uses the client; its owner closes it.
func New(cfg Config, client redis.UniversalClient) (*Ledger, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("redisledger: %w", err)
	}
	return &Ledger{client: client, ttl: cfg.TTL}, nil
}

func fenceKey(room event.RoomID) string { return "livehost:ledger:{" + tag(room) + "}:fence" }

func claimKeys(c dispatcher.Claim, first ...string) []string {
	prefix := "livehost:ledger:{" + tag(c.Room) + "}:" + c.Channel + ":"
	for _, id := range c.Danmaku {
		first = append(first, prefix+string(id))
	}
	return first
}

// tag keeps a closing brace in a room's id from ending the hash tag early, and different
// rooms apart.
func tag(room event.RoomID) string { return tagEscape.Replace(string(room)) }

var tagEscape = strings.NewReplacer("%", "%25", "}", "%7D")

// Acquire implements dispatcher.Ledger.
func (l *Ledger) Acquire(ctx context.Context, room event.RoomID) (int64, error) {
	fence, err := acquireScript.Run(ctx, l.client, []string{fenceKey(room)}, time.Now().UnixMicro(), fenceTTL.Milliseconds()).Int64()
	if err != nil {
		return 0, classify("acquire", room, err)
	}
	return fence, nil
}

// acquireScript takes the fence's key; the time in microseconds and the TTL in
// milliseconds. The time makes fences rise although the key expired, or Redis lost it: a
// receiver that remembers a higher one would refuse the room for ever. Until the year 2255
// they stay below 2^53, where Lua's numbers lose digits.
var acquireScript = redis.NewScript(`
local fence = math.max(tonumber(redis.call('GET', KEYS[1]) or '0') + 1, tonumber(ARGV[1]))
redis.call('SET', KEYS[1], string.format('%.0f', fence), 'PX', ARGV[2])
return fence`)

// beginScript takes the fence, lease and claim keys; fence, value, TTL and lease in
// milliseconds, and the lease's value. It answers -1 when fenced off, -2 when the voice
// is an earlier owner's, else one code a claim: 0 granted, 1 done, 2 unknown, 3 skipped.
var beginScript = redis.NewScript(`
local owner = tonumber(redis.call('GET', KEYS[1]) or '0')
if tonumber(ARGV[1]) < owner then return {-1} end
if tonumber(ARGV[4]) > 0 then
  local held = redis.call('GET', KEYS[2])
  if held and string.match(held, '^(%d+)|') ~= ARGV[1] then return {-2} end
  redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[4])
end
local out = {}
for i = 3, #KEYS do
  local have = redis.call('GET', KEYS[i])
  if not have or have == ARGV[2] then
    redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3])
    out[i-2] = 0
  elseif string.sub(have, 1, 8) == 'sending|' then
    out[i-2] = 2
  elseif string.sub(have, 1, 8) == 'skipped|' then
    out[i-2] = 3
  else
    out[i-2] = 1
  end
end
return out`)

// finishScript takes the lease and claim keys; the lease's value, the claims' value
// (” to forget them) and the TTL in milliseconds.
var finishScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
for i = 2, #KEYS do
  if ARGV[2] == '' then redis.call('DEL', KEYS[i])
  else redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3]) end
end
return #KEYS`)

func leaseKey(room event.RoomID) string { return "livehost:ledger:{" + tag(room) + "}:lease" }

func leaseValue(c dispatcher.Claim) string { return fmt.Sprintf("%d|%s", c.Fence, c.Delivery) }

// Begin implements dispatcher.Ledger.
func (l *Ledger) Begin(ctx context.Context, c dispatcher.Claim) (dispatcher.Grant, error) {
	value := fmt.Sprintf("sending|%d|%s", c.Fence, c.Delivery)
	codes, err := beginScript.Run(ctx, l.client, claimKeys(c, fenceKey(c.Room), leaseKey(c.Room)),
		c.Fence, value, l.ttl.Milliseconds(), c.Lease.Milliseconds(), leaseValue(c)).Int64Slice()
	if err != nil {
		return dispatcher.Grant{}, classify("begin", c.Room, err)
	}
	if len(codes) == 1 && codes[0] == fencedOff {
		return dispatcher.Grant{}, fmt.Errorf("redisledger: begin in room %s with fence %d: %w", c.Room, c.Fence, dispatcher.ErrFenced)
	}
	if len(codes) == 1 && codes[0] == voiceHeld {
		return dispatcher.Grant{}, fmt.Errorf("redisledger: begin in room %s: %w", c.Room, dispatcher.ErrVoiceHeld)
	}
	if len(codes) != len(c.Danmaku) {
		return dispatcher.Grant{}, fault.Errorf(fault.Internal, "redisledger: begin: %d answers to %d danmaku", len(codes), len(c.Danmaku))
	}
	var g dispatcher.Grant
	for i, id := range c.Danmaku {
		list := map[int64]*[]event.DanmakuID{0: &g.Granted, 1: &g.Done, 2: &g.Unknown, 3: &g.Skipped}[codes[i]]
		*list = append(*list, id)
	}
	return g, nil
}

// Finish implements dispatcher.Ledger.
func (l *Ledger) Finish(ctx context.Context, c dispatcher.Claim, state dispatcher.ClaimState) error {
	value := ""
	if state != dispatcher.ClaimReleased {
		value = fmt.Sprintf("%s|%d|%s", state, c.Fence, c.Delivery)
	}
	if err := finishScript.Run(ctx, l.client, claimKeys(c, leaseKey(c.Room)), leaseValue(c), value, l.ttl.Milliseconds()).Err(); err != nil {
		return classify("finish", c.Room, err)
	}
	return nil
}

// classify keeps a caller's own end what it is; everything else is Redis away.
func classify(what string, room event.RoomID, err error) error {
	err = fmt.Errorf("redisledger: %s in room %s: %w", what, room, err)
	if errors.Is(err, context.Canceled) {
		return fault.Wrap(fault.Canceled, err)
	}
	return fault.Wrap(fault.Unavailable, err)
}
