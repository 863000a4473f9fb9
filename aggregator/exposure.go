package aggregator

import (
	"fmt"
	"hash/maphash"

	"livehost/streams/event"
)

// exposures remembers what was logged, so that a unit's first events are logged
// once in a while; a repeat has the same id and is harmless.
type exposures struct {
	seed   maphash.Seed
	keepMs int64
	young  map[uint64]uint8 // by unit: the kinds logged, one bit each
	old    map[uint64]uint8
	bornMs int64 // of young
}

func newExposures(keepMs int64) *exposures {
	return &exposures{seed: maphash.MakeSeed(), keepMs: keepMs}
}

// unit is whose exposure is logged.
type unit struct {
	experiment string
	version    int
	id         string
}

// first reports whether the unit's kind was not logged lately, and notes it.
func (e *exposures) first(u unit, kind event.ExposureKind, nowMs int64) bool {
	if e.young == nil || nowMs-e.bornMs > e.keepMs/2 {
		e.old, e.young, e.bornMs = e.young, map[uint64]uint8{}, nowMs
	}
	bit := uint8(1)
	if kind == event.Exposed {
		bit = 2
	}
	h := maphash.String(e.seed, u.id) + 31*maphash.String(e.seed, u.experiment) + uint64(u.version)
	logged := e.young[h] | e.old[h]
	e.young[h] = logged | bit
	return logged&bit == 0
}

func (r *room) assign(v event.ViewerID) Assignment { return r.p.a.deps.Assigner.Assign(r.id, v) }

// expose logs that a viewer came into an experiment's scope.
func (r *room) expose(kind event.ExposureKind, a Assignment, v event.ViewerID, d event.DanmakuID, nowMs int64) {
	if !a.Enrolled || v.Anonymous() {
		return
	}
	if !r.logged.first(unit{a.Experiment, a.Version, a.Unit}, kind, nowMs) {
		return
	}
	r.emit(event.Exposure{
		Schema: event.SchemaVersion, ExposureID: fmt.Sprintf("%s|%d|%s|%s", a.Experiment, a.Version, a.Unit, kind), Experiment: a.Experiment, ExperimentVersion: a.Version, Unit: a.Unit,
		Variant: a.Variant, Kind: kind, RoomID: r.id, DanmakuID: d, Degraded: a.Degraded, TimeMs: nowMs,
	})
}

// bucket assigns a viewer who came into scope without a danmaku.
func (r *room) bucket(v event.ViewerID, nowMs int64) {
	if !v.Anonymous() {
		r.expose(event.Bucketed, r.assign(v), v, "", nowMs)
	}
}
