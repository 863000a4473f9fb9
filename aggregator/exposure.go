package aggregator

import (
	"fmt"

	"livehost/streams/event"
)

// exposures remembers what was logged, so that each unit's first events are
// logged once; a repeat after a restart has the same id.
type exposures struct{ sent *memory }

// exposureMemoryMs bounds the memory: a repeat is harmless.
const exposureMemoryMs = 3_600_000

func newExposures() exposures { return exposures{newMemory(exposureMemoryMs)} }

func (r *room) assign(v event.ViewerID) Assignment { return r.p.a.deps.Assigner.Assign(r.id, v) }

// expose logs that a viewer came into an experiment's scope.
func (r *room) expose(kind event.ExposureKind, a Assignment, v event.ViewerID, d event.DanmakuID, nowMs int64) {
	if !a.Enrolled || v.Anonymous() {
		return
	}
	id := fmt.Sprintf("%s|%d|%s|%s", a.Experiment, a.Version, a.Unit, kind)
	if r.logged.sent.has(id) {
		return
	}
	r.logged.sent.add(id, nowMs)
	r.emit(event.Exposure{
		Schema: event.SchemaVersion, ExposureID: id, Experiment: a.Experiment, ExperimentVersion: a.Version, Unit: a.Unit,
		Variant: a.Variant, Kind: kind, RoomID: r.id, DanmakuID: d, Degraded: a.Degraded, TimeMs: nowMs,
	})
}

// bucket assigns a viewer who came into scope without a danmaku.
func (r *room) bucket(v event.ViewerID, nowMs int64) {
	if !v.Anonymous() {
		r.expose(event.Bucketed, r.assign(v), v, "", nowMs)
	}
}
