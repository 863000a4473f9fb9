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

// unit is whose exposure is logged.
type unit struct {
	experiment string
	version    int
	id         string
}

// The last two bits of a unit's hash say which kinds were logged.
const (
	loggedBucketed = 1
	loggedExposed  = 2
	loggedBoth     = loggedBucketed | loggedExposed
)

// first reports whether the unit's kind was not logged lately, and notes it.
func (e *exposures) first(u unit, kind event.ExposureKind, nowMs int64) bool {
	seed := e.logged.seed
	h := (maphash.String(seed, u.id) + 31*maphash.String(seed, u.experiment) + uint64(u.version)) << 2
	this, had := uint64(loggedBucketed), e.logged.marks(h)
	if kind == event.Exposed {
		this = loggedExposed
	}
	if had&this != 0 {
		return false
	}
	if had != 0 {
		delete(e.logged.young, h|had)
	}
	e.logged.put(h|had|this, nowMs)
	return true
}

// marks is the last two bits of what is held that has the others of h.
func (m *memory) marks(h uint64) (bits uint64) {
	for b := uint64(loggedBucketed); b <= loggedBoth; b++ {
		if _, ok := m.young[h|b]; ok {
			bits |= b
		}
	}
	for _, g := range m.old {
		for _, x := range g[placeOf(g, h):] {
			if x > h|loggedBoth {
				break
			}
			bits |= x - h
		}
	}
	return bits
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
		Schema: event.SchemaVersion, ExposureID: a.Experiment + "|" + strconv.Itoa(a.Version) + "|" + a.Unit + "|" + string(kind), Experiment: a.Experiment, ExperimentVersion: a.Version, Unit: a.Unit,
		Variant: a.Variant, Kind: kind, RoomID: r.id, DanmakuID: d, Degraded: a.Degraded, TimeMs: nowMs,
	})
}

// bucket assigns a viewer who came into scope without a danmaku.
func (r *room) bucket(v event.ViewerID, nowMs int64) {
	if !v.Anonymous() {
		r.expose(event.Bucketed, r.assign(v), v, "", nowMs)
	}
}
