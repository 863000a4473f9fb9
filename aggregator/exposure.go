package aggregator

import (
	"hash/maphash"
	"strconv"

	"livehost/streams/event"
)

// exposures remembers what was logged, so that a unit's first events are logged
// once in a while; a repeat has the same id and is harmless.
type exposures struct{ logged *memory }

func newExposures(keepMs int64) *exposures { return &exposures{newMemory(keepMs)} }

// unit is whose exposure is logged. One that is given another variant is logged
// again: only so can the analysis leave it out.
type unit struct {
	experiment string
	version    int
	variant    event.Variant
	id         string
}

// exposureKinds in the order they are logged in. A kind's mark is its bit.
var exposureKinds = [...]event.ExposureKind{event.Bucketed, event.Exposed}

const (
	markBucketed = 1 << iota
	markExposed
)

// first is which of the kinds were not logged of the unit lately, and notes them.
func (e *exposures) first(u unit, kinds uint64, nowMs int64) uint64 {
	seed := e.logged.seed
	h := maphash.String(seed, u.id) + 31*maphash.String(seed, u.experiment) + 37*maphash.String(seed, string(u.variant)) + uint64(u.version)<<hashShift
	fresh := kinds &^ e.logged.marks(h)
	if fresh != 0 {
		e.logged.mark(h, fresh, nowMs)
	}
	return fresh
}

func (r *room) assign(v event.ViewerID) Assignment { return r.p.a.deps.Assigner.Assign(r.id, v) }

// expose logs that a viewer came into an experiment's scope, as far as kinds say; with
// the danmaku that was eligible, if one was. atMs is when the viewer did it, not when it
// is read: orders count from then on, and the log may be read late.
func (r *room) expose(kinds uint64, a Assignment, v event.ViewerID, d event.DanmakuID, atMs int64) {
	if !a.Enrolled || v.Anonymous() {
		return
	}
	fresh := r.logged.first(unit{a.Experiment, a.Version, a.Variant, a.Unit}, kinds, r.nowMs())
	for i, kind := range exposureKinds {
		if fresh&(1<<i) == 0 {
			continue
		}
		e := event.Exposure{
			Schema: event.SchemaVersion, ExposureID: exposureID(a, kind), Experiment: a.Experiment, ExperimentVersion: a.Version, Unit: a.Unit, UnitKind: a.UnitKind,
			Variant: a.Variant, Kind: kind, RoomID: r.id, Degraded: a.Degraded, TimeMs: atMs,
		}
		if kind == event.Exposed {
			e.DanmakuID = d
		}
		r.emit(e)
	}
}

// exposureID has the unit last: ids of platforms hold any character.
func exposureID(a Assignment, kind event.ExposureKind) string {
	return a.Experiment + "|" + strconv.Itoa(a.Version) + "|" + string(a.Variant) + "|" + string(kind) + "|" + a.Unit
}

// bucket assigns a viewer who came into scope without a danmaku.
func (r *room) bucket(v event.ViewerID, atMs int64) {
	if !v.Anonymous() {
		r.expose(markBucketed, r.assign(v), v, "", atMs)
	}
}
