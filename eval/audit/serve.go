package audit

import (
	"slices"

	"livehost/streams/event"
)

// eligible reports whether the danmaku passed the filters, was not a duplicate
// and was not retracted in time. What was placed in a window passed, whatever its
// outcome says.
func (f *fate) eligible() bool {
	state := f.state()
	if state == event.Retracted {
		return false
	}
	return f.member != nil || f.outcome != nil && f.outcome.Eligible && state != event.Filtered
}

func (f *fate) state() event.State {
	if f.outcome == nil {
		return ""
	}
	return f.outcome.State
}

// exempt reports states that attainment does not ask an answer of.
func exempt(s event.State) bool {
	return s == event.Silent || s == event.HandedOver || s == event.Retracted || s == event.Suppressed
}

func served(s event.State) bool { return s == event.Answered || s == event.Merged }

// tally is what attainment and its neighbours are computed from, for the run or
// one variant.
type tally struct {
	eligible, admitted, shed, windows int
	outcomes                          map[event.State]int
	asked, met                        int // admitted and not exempt; of those in time
	latencies                         []int64
}

func (t *tally) add(f *fate, latency int64) {
	if !f.eligible() {
		return
	}
	state := f.state()
	t.eligible++
	if state != "" {
		t.outcomes[state]++
	}
	if state == event.Shed {
		t.shed++
	}
	if f.member == nil {
		return
	}
	t.admitted++
	if exempt(state) {
		return
	}
	t.asked++
	if latency < MissMs {
		t.met++
	}
	t.latencies = append(t.latencies, latency)
}

// serve fills in how many were served, how fast, and what capacity allowed.
func (v *View) serve(s *Summary, opt Options) {
	total := &tally{outcomes: map[event.State]int{}}
	arms := map[event.Variant]*tally{}
	var demands []demand
	for _, key := range v.keys {
		f := v.fates[key]
		latency := v.latency(key, f, opt)
		total.add(f, latency)
		if !f.eligible() {
			continue
		}
		arm := arms[f.variant()]
		if arm == nil {
			arm = &tally{outcomes: map[event.State]int{}}
			arms[f.variant()] = arm
		}
		arm.add(f, latency)
		if st := f.state(); st != event.Silent && st != event.HandedOver {
			demands = append(demands, demand{room: f.accepted.V.RoomID, variant: f.variant(), atMs: f.platformMs(opt.Room)})
		}
	}
	for _, w := range v.windows {
		if arm := arms[w.Variant]; arm != nil && w.Kind == event.DanmakuWindow {
			arm.windows++
		}
	}
	s.Eligible, s.Admitted = total.eligible, total.admitted
	s.Attainment, s.ShedShare = share(total.met, total.asked), share(total.shed, total.eligible)
	slices.Sort(total.latencies)
	s.LatencyMs = Latency{P50: percentile(total.latencies, 50), P95: percentile(total.latencies, 95), P99: percentile(total.latencies, 99)}
	s.CapacityBound = capacityBound(demands, opt.Slots, v.medianRunMs())
	s.ServedShare = share(s.Outcomes[event.Answered]+s.Outcomes[event.Merged], s.CapacityBound)
	for name, arm := range arms {
		slices.Sort(arm.latencies)
		s.Variants[name] = VariantSummary{
			Eligible: arm.eligible, Admitted: arm.admitted, Outcomes: arm.outcomes, Windows: arm.windows,
			Attainment: share(arm.met, arm.asked), P50Ms: percentile(arm.latencies, 50),
		}
	}
}

// latency is room time from the danmaku to the reply that answers it, MissMs
// when it was not served, or not in time.
func (v *View) latency(key Key, f *fate, opt Options) int64 {
	r := v.reply(key)
	if r == nil || !served(f.state()) {
		return MissMs
	}
	produced := r.V.CreatedMs
	if opt.Room != nil {
		produced = opt.Room(r.Wall).UnixMilli()
	}
	return min(max(produced-f.platformMs(opt.Room), 0), MissMs)
}

// medianRunMs is the middle room time of the runs that gave a reply.
func (v *View) medianRunMs() int64 {
	var ms []int64
	for _, r := range v.replies {
		if r.V.Kind == event.DanmakuWindow {
			ms = append(ms, r.V.Timing.RunMs)
		}
	}
	slices.Sort(ms)
	if p := percentile(ms, 50); p != nil {
		return *p
	}
	return 0
}

// overhead is our own wall time per answered danmaku. A danmaku that was asked
// again also waited for its first answer and is left out.
func (v *View) overhead() Overhead {
	var ms []float64
	for _, key := range v.keys {
		f := v.fates[key]
		if f.state() != event.Answered {
			continue
		}
		r := v.reply(key)
		if r == nil {
			continue
		}
		m := member(r.V.Members, key.ID)
		if m == nil || m.Ask > 1 {
			continue
		}
		t := r.V.Timing
		waited := m.WaitWallUs + t.LaneWallUs + t.SlotWallUs + t.PolicyWallUs + t.ToolWallUs
		ms = append(ms, float64(r.Wall.Sub(f.accepted.Wall).Microseconds()-waited)/1000)
	}
	slices.Sort(ms)
	return Overhead{P50: percentile(ms, 50), P99: percentile(ms, 99)}
}

func member(members []event.Member, id event.DanmakuID) *event.Member {
	for i := range members {
		if members[i].DanmakuID == id {
			return &members[i]
		}
	}
	return nil
}
