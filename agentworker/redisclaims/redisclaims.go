package redisclaims

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"livehost/agentworker"
	"livehost/internal/fault"
)

// Config names and bounds the keys.
type Config struct {
	Prefix string        // of every key
	Keep   time.Duration // wall; how long a claim is remembered after its last change
}

// DefaultConfig keeps claims for ten minutes.
func DefaultConfig() Config { return Config{Prefix: "livehost:claim", Keep: 10 * time.Minute} }

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.Prefix == "" {
		errs = append(errs, errors.New("prefix: is empty"))
	}
	if c.Keep < time.Minute {
		errs = append(errs, fmt.Errorf("keep: %v is below a minute", c.Keep))
	}
	return errors.Join(errs...)
}

// Deps are the collaborators.
type Deps struct {
	Client redis.UniversalClient
}

// Claims is agentworker.Claims in Redis.
type Claims struct {
	cfg    Config
	client redis.UniversalClient
}

var _ agentworker.Claims = (*Claims)(nil)

// New makes claims over a client.
func New(cfg Config, deps Deps) (*Claims, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("redisclaims: %w", err)
	}
	return &Claims{cfg: cfg, client: deps.Client}, nil
}

// The scripts take ARGV: window, lease ms, keep ms, then their own.
const now = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `

var (
	// claim returns {wait} or {0, attempt, index of each key taken...}.
	claim = redis.NewScript(now + `
local wait, attempt, take = 0, 0, {}
for i, k in ipairs(KEYS) do
  local h = redis.call('HMGET', k, 'w', 'a', 'l', 'd')
  if not h[1] then
    take[#take + 1] = i
  elseif h[1] == ARGV[1] and h[4] ~= '1' then
    local left = tonumber(h[3]) - now
    if left > 0 then
      if left > wait then wait = left end
    else
      take[#take + 1] = i
      local a = tonumber(h[2])
      if a > attempt then attempt = a end
    end
  end
end
if wait > 0 then return {wait} end
attempt = attempt + 1
local out = {0, attempt}
for _, i in ipairs(take) do
  redis.call('HSET', KEYS[i], 'w', ARGV[1], 'a', attempt, 'l', now + ARGV[2], 'd', '0')
  redis.call('PEXPIRE', KEYS[i], ARGV[3])
  out[#out + 1] = i
end
return out`)

	// renew returns 1 when the attempt holds all keys, or those it does not hold are
	// forgotten: a restarted Redis is empty. ARGV[4] is the attempt.
	renew = redis.NewScript(now + `
for _, k in ipairs(KEYS) do
  local h = redis.call('HMGET', k, 'w', 'a')
  if h[1] and (h[1] ~= ARGV[1] or h[2] ~= ARGV[4]) then return 0 end
end
for _, k in ipairs(KEYS) do
  redis.call('HSET', k, 'w', ARGV[1], 'a', ARGV[4], 'l', now + ARGV[2])
  redis.call('HSETNX', k, 'd', '0')
  redis.call('PEXPIRE', k, ARGV[3])
end
return 1`)

	// mark takes ARGV[4] attempt and ARGV[5] the mark.
	mark = redis.NewScript(`
for _, k in ipairs(KEYS) do
  local h = redis.call('HMGET', k, 'w', 'a', 'd')
  if h[3] == '1' then
    -- stays done
  elseif ARGV[5] == '3' then
    if h[1] == ARGV[1] then redis.call('DEL', k) end
  elseif not h[1] or h[1] == ARGV[1] or ARGV[5] == '1' then
    local a, d = tonumber(ARGV[4]), '0'
    if h[2] and tonumber(h[2]) > a then a = tonumber(h[2]) end
    if ARGV[5] == '1' then d = '1' end
    redis.call('HSET', k, 'w', ARGV[1], 'a', a, 'd', d)
    redis.call('HSETNX', k, 'l', 0)
    redis.call('PEXPIRE', k, ARGV[3])
  end
end
return 1`)
)

// Claim takes what it may.
func (c *Claims) Claim(ctx context.Context, req agentworker.Claim) (agentworker.Claimed, error) {
	if len(req.Keys) == 0 {
		return agentworker.Claimed{Attempt: 1}, nil
	}
	out, err := claim.Run(ctx, c.client, c.keys(req), c.args(req)...).Int64Slice()
	if err != nil {
		return agentworker.Claimed{}, unavailable("claim", err)
	}
	if out[0] > 0 {
		return agentworker.Claimed{Wait: time.Duration(out[0]) * time.Millisecond}, nil
	}
	got := agentworker.Claimed{Attempt: int(out[1])}
	for _, i := range out[2:] {
		got.Held = append(got.Held, req.Keys[i-1])
	}
	return got, nil
}

// Renew sets the lease of an attempt that still holds its keys.
func (c *Claims) Renew(ctx context.Context, req agentworker.Claim, attempt int) (bool, error) {
	if len(req.Keys) == 0 {
		return true, nil
	}
	held, err := renew.Run(ctx, c.client, c.keys(req), append(c.args(req), attempt)...).Int()
	if err != nil {
		return false, unavailable("renew", err)
	}
	return held == 1, nil
}

// Mark records what became of keys.
func (c *Claims) Mark(ctx context.Context, req agentworker.Claim, attempt int, m agentworker.Mark) error {
	if len(req.Keys) == 0 {
		return nil
	}
	if err := mark.Run(ctx, c.client, c.keys(req), append(c.args(req), attempt, int(m))...).Err(); err != nil {
		return unavailable("mark", err)
	}
	return nil
}

// keys begin with the room as hash tag; braces in it would end the tag early.
func (c *Claims) keys(req agentworker.Claim) []string {
	keys := make([]string, 0, len(req.Keys))
	for _, k := range req.Keys {
		keys = append(keys, fmt.Sprintf("%s:{%x}:%s:%s", c.cfg.Prefix, string(req.RoomID), k.DanmakuID, strconv.Itoa(k.Ask)))
	}
	return keys
}

func (c *Claims) args(req agentworker.Claim) []any {
	return []any{string(req.WindowID), req.Lease.Milliseconds(), c.cfg.Keep.Milliseconds()}
}

func unavailable(what string, err error) error {
	return fault.Errorf(fault.Unavailable, "redis claims: %s: %w", what, err)
}
