package kafka

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A quiet partition, whose records are finished whenever somebody looks, keeps nothing
// of them: a process runs for months.
func TestAgesOfFinishedRecordsAreForgotten(t *testing.T) {
	t.Parallel()
	l := &partitionLog{topic: "t", next: -1, end: -1}
	u := &unit{state: open, logs: map[string]*partitionLog{l.topic: l}}
	take := func(offset int64) {
		t.Helper()
		records := []*kgo.Record{{Offset: offset, Timestamp: time.UnixMilli(offset)}}
		if _, _, err := u.start(kgo.FetchTopicPartition{Topic: l.topic, FetchPartition: kgo.FetchPartition{Records: records}}); err != nil {
			t.Fatal(err)
		}
	}
	for offset := range int64(1000) {
		take(offset)
		if err := l.tracker.Finish(offset); err != nil {
			t.Fatal(err)
		}
		u.progress()
	}
	if len(l.ages) > 1 {
		t.Errorf("%d ages are kept, and no record is unfinished", len(l.ages))
	}
	take(1000)
	take(1001)
	if p := u.progress()[0]; !p.Oldest.Equal(time.UnixMilli(1000)) {
		t.Errorf("the oldest is of %v, want that of the first unfinished", p.Oldest)
	}
}
