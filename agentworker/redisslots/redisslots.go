package redisslots

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"livehost/agentworker/routing"
	"livehost/internal/fault"
)

// Config names the keys.
type Config struct {
	Prefix string // of every key; the same for all processes that share the replicas
}

// DefaultConfig is livehost:slot.
func DefaultConfig() Config { return Config{Prefix: "livehost:slot"} }

// Validate lists every problem.
func (c Config) Validate() error {
	if c.Prefix == "" {
		return errors.New("prefix: is empty")
	}
	return nil
}

// Deps are the collaborators.
type Deps struct {
	Client redis.UniversalClient
}

// Slots is routing.Slots in Redis.
type Slots struct {
	cfg    Config
	client redis.UniversalClient
	born   atomic.Value // string: the store's mark, as last seen
}

var _ routing.Slots = (*Slots)(nil)

// New makes slots over a client.
func New(cfg Config, deps Deps) (*Slots, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("redisslots: %w", err)
	}
	s := &Slots{cfg: cfg, client: deps.Client}
	s.born.Store("")
	return s, nil
}

// take has KEYS: the kept tickets, the store's mark, then leases and queue of each
// replica. ARGV: ticket, ms left, ms of lease, ms of patience, place of the avoided
// replica (0: none), the mark last seen, the slots of each replica, then of each
// lease held: its replica's place, ticket, ms left. It returns the replica's place
// (0: none) and the mark. An ask that the client sends again, for want of an answer,
// takes no second slot. Leases are told to a store with another mark alone: it
// came back empty. To one that forgets nothing they would bring back what was given
// back in the meantime.
var take = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ticket, kept, minute = ARGV[1], KEYS[1], 60000
local deadline = now + ARGV[2]
local avoid, n = tonumber(ARGV[5]), (#KEYS - 2) / 2
redis.call('SET', KEYS[2], ticket, 'NX')
local born = redis.call('GET', KEYS[2])
if born ~= ARGV[6] then
  for i = 7 + n, #ARGV, 3 do
    local leases = KEYS[1 + 2 * ARGV[i]]
    redis.call('ZADD', leases, 'NX', now + ARGV[i + 2], ARGV[i + 1])
    redis.call('PEXPIRE', leases, ARGV[i + 2] + minute)
  end
end
redis.call('ZREMRANGEBYSCORE', kept, '-inf', now)
local best, least = 0, 0
for i = 1, n do
  local leases, queue = KEYS[1 + 2 * i], KEYS[2 + 2 * i]
  redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
  redis.call('ZREM', leases, ticket)
  local used = redis.call('ZCARD', leases)
  local free = ARGV[6 + i] - used
  if free > 0 then
    for _, other in ipairs(redis.call('ZRANGEBYSCORE', queue, '-inf', string.format('(%.0f', deadline))) do
      if not redis.call('ZSCORE', kept, other) then
        redis.call('ZREM', queue, other)
      elseif other ~= ticket then
        free = free - 1
      end
    end
    if free > 0 and (best == 0 or best == avoid or (i ~= avoid and used < least)) then best, least = i, used end
  end
end
if best == 0 then
  redis.call('ZADD', kept, now + ARGV[4], ticket)
  redis.call('PEXPIRE', kept, minute)
  for i = 1, n do
    redis.call('ZADD', KEYS[2 + 2 * i], deadline, ticket)
    redis.call('PEXPIRE', KEYS[2 + 2 * i], minute)
  end
  return {0, born}
end
redis.call('ZREM', kept, ticket)
for i = 1, n do redis.call('ZREM', KEYS[2 + 2 * i], ticket) end
redis.call('ZADD', KEYS[1 + 2 * best], now + ARGV[3], ticket)
redis.call('PEXPIRE', KEYS[1 + 2 * best], ARGV[3] + minute)
return {best, born}`)

// Take takes a slot or joins the queue.
func (s *Slots) Take(ctx context.Context, a routing.Ask) (int, error) {
	keys := []string{s.key("kept"), s.key("mark")}
	args := []any{a.Ticket, ms(a.Left), ms(a.Lease), ms(a.Patience), a.Avoid + 1, s.born.Load()}
	place := map[string]int{}
	for i, w := range a.Replicas {
		place[w.Replica] = i + 1
		keys = append(keys, s.key("leases:"+w.Replica), s.key("queue:"+w.Replica))
		args = append(args, w.Slots)
	}
	for _, l := range a.Held {
		if left := time.Until(l.Ends); place[l.Replica] > 0 && left > 0 {
			args = append(args, place[l.Replica], l.Ticket, ms(left))
		}
	}
	got, err := take.Run(ctx, s.client, keys, args...).Slice()
	if err != nil {
		return -1, fault.Errorf(fault.Unavailable, "redis slots: take: %w", err)
	}
	granted, _ := got[0].(int64)
	if mark, ok := got[1].(string); ok {
		s.born.Store(mark)
	}
	return int(granted) - 1, nil
}

// Give gives a slot back.
func (s *Slots) Give(ctx context.Context, l routing.Lease) error {
	if err := s.client.ZRem(ctx, s.key("leases:"+l.Replica), l.Ticket).Err(); err != nil {
		return fault.Errorf(fault.Unavailable, "redis slots: give: %w", err)
	}
	return nil
}

func (s *Slots) key(what string) string { return s.cfg.Prefix + ":{policy}:" + what }

// ms is at least one: what has no time left is over at once, not for ever.
func ms(d time.Duration) int64 { return max(d.Milliseconds(), 1) }
