package kafka_test

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/streams/event"
	"livehost/streams/topic"
)

// The partition we compute for a room is the one the producer uses.
func TestPartitionOfIsTheProducers(t *testing.T) {
	t.Parallel()
	producer := kgo.StickyKeyPartitioner(nil).ForTopic("t")
	for i := range 2000 {
		room := event.RoomID(fmt.Sprintf("房间-%d", i*i))
		for _, n := range []int32{1, 7, 12} {
			want := producer.Partition(&kgo.Record{Key: []byte(room)}, int(n))
			if got := topic.PartitionOf(room, n); int(got) != want {
				t.Fatalf("room %q of %d partitions: %d, the producer uses %d", room, n, got, want)
			}
		}
	}
}
