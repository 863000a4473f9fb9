package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Names of the profiles.
const (
	H20MTP  = "h20-mtp" // one H20, speculative decoding (MTP) on
	H20     = "h20"     // the same, MTP off
	Instant = "instant" // no latency at all
)

// Profile is how fast a replica answers.
type Profile struct {
	Name       string
	FirstToken Lognormal  // seconds from the slot to the first token
	Rates      [2]float64 // decode tokens per second of one request, with 1 and with 2 in flight; 0 is instant
	First      Lognormal  // completion tokens of a run's first call, visible ones included: planning takes longer
	Later      Lognormal  // the same of its later calls
}

// Lognormal is a distribution cut off at Max. Zero values are always zero.
type Lognormal struct {
	Median float64
	Sigma  float64
	Max    float64
}

// z95 is the 95 % quantile of the standard normal distribution.
const z95 = 1.6448536269514722

// quantiles is the lognormal with the given 50 % and 95 % quantiles.
func quantiles(p50, p95, most float64) Lognormal {
	return Lognormal{Median: p50, Sigma: math.Log(p95/p50) / z95, Max: most}
}

// Sample draws one value.
func (l Lognormal) Sample(r *rand.Rand) float64 {
	if l.Median == 0 {
		return 0
	}
	return math.Min(l.Median*math.Exp(l.Sigma*r.NormFloat64()), l.Max)
}

// ProfileNamed is the profile of that name.
func ProfileNamed(name string) (Profile, error) {
	p := Profile{Name: name, FirstToken: quantiles(0.25, 0.6, 1.2),
		First: Lognormal{Median: 150, Sigma: 1, Max: 480}, Later: Lognormal{Median: 95, Sigma: 0.75, Max: 275}}
	switch name {
	case H20MTP:
		p.Rates = [2]float64{271.40, 196.15}
	case H20:
		p.Rates = [2]float64{160.30, 129.22}
	case Instant:
		return Profile{Name: Instant}, nil
	default:
		return Profile{}, fmt.Errorf("policy: profile %q is none of %s, %s, %s", name, H20MTP, H20, Instant)
	}
	return p, nil
}

// slowdown is how much longer prefill and decode take with inFlight requests on
// the replica than alone. Beyond two the replica's throughput is shared.
func (p Profile) slowdown(inFlight int) float64 {
	if inFlight < 2 || p.Rates[1] == 0 {
		return 1
	}
	return p.Rates[0] / p.Rates[1] * float64(inFlight) / 2
}

// Prefill is the time to the first token, drawn as alone, with inFlight requests.
func (p Profile) Prefill(alone time.Duration, inFlight int) time.Duration {
	return time.Duration(float64(alone) * p.slowdown(inFlight))
}

// Decode is the time for n tokens with inFlight requests.
func (p Profile) Decode(n, inFlight int) time.Duration {
	if p.Rates[0] == 0 {
		return 0
	}
	return seconds(float64(n) / p.Rates[0] * p.slowdown(inFlight))
}

// Call is what is drawn for one call.
type Call struct {
	FirstToken time.Duration
	Tokens     int // completion tokens; at least the visible ones are sent
}

// Sampler draws calls. It is safe for concurrent use.
type Sampler struct {
	profile Profile
	mu      sync.Mutex
	rand    *rand.Rand
}

// NewSampler draws from the profile by seed.
func NewSampler(p Profile, seed uint64) *Sampler {
	return &Sampler{profile: p, rand: rand.New(rand.NewPCG(seed, 0x1a7e9c))}
}

// Call draws the next call; first says that it opens a run.
func (s *Sampler) Call(first bool) Call {
	tokens := s.profile.Later
	if first {
		tokens = s.profile.First
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Call{
		FirstToken: seconds(s.profile.FirstToken.Sample(s.rand)),
		Tokens:     int(math.Round(tokens.Sample(s.rand))),
	}
}

// Tool latency: a lognormal body, and now and then a moment in which every call
// is slow, just under the tool limit of 5 s: a back-end that stalls does so for
// all who ask at that time. Most of the agent's tail comes from here.
const (
	toolMedian   = 0.68
	toolSigma    = 0.45
	toolBodyMax  = 3.5
	toolSlow     = 0.18 // share of slow moments
	toolSlowFrom = 4.5
	toolSlowTo   = 4.65
	toolMoment   = 500 * time.Millisecond
)

// ToolLatency gives the simulated durations of tool calls by seed, to go with
// profiles h20-mtp and h20. now is room time: calls that begin in the same moment
// are slow together or not at all. The function is safe for concurrent use.
func ToolLatency(seed uint64, now func() time.Time) func() time.Duration {
	r := rand.New(rand.NewPCG(seed, 0x7001))
	body := Lognormal{Median: toolMedian, Sigma: toolSigma, Max: toolBodyMax}
	var mu sync.Mutex
	return func() time.Duration {
		moment := uint64(now().UnixMilli() / toolMoment.Milliseconds())
		slow := rand.New(rand.NewPCG(seed, moment)).Float64() < toolSlow
		mu.Lock()
		defer mu.Unlock()
		if slow {
			return seconds(toolSlowFrom + (toolSlowTo-toolSlowFrom)*r.Float64())
		}
		return seconds(body.Sample(r))
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Chunks is in how many pieces a replica waits for the tokens of a call; the
// number in flight is looked at before each.
const Chunks = 3

// Share is how many of n tokens the i'th of Chunks pieces has.
func Share(n, i int) int { return n*(i+1)/Chunks - n*i/Chunks }
