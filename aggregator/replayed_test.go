package aggregator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
)

// A dead letter that is replayed keeps the time at which it first came into the
// log (streams/kafka), so that it is as late as it was. Were it given the time of
// the replay, a platform time that is an hour off would count as a wrong clock,
// and the log's time be taken instead.
func TestReplayedOldDanmakuExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, aggregator.DefaultConfig())
		r.say("fresh", "a1", "多少钱")
		r.pass(time.Second)
		old := r.danmaku("old", "a2", "这个有货吗")
		old.PlatformTimeMs = time.Now().Add(-time.Hour).UnixMilli()
		r.log.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		r.put(old)
		r.log.Now = nil
		r.want("old", "expired too_old")
		for _, w := range r.windows(1) {
			for _, m := range w.Members {
				if m.DanmakuID == "old" {
					t.Errorf("window %s holds a danmaku of an hour ago", w.WindowID)
				}
			}
		}
	})
}
