package kafka_test

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/streams"
	"livehost/streams/event"
)

// Compaction takes a tombstone in the end and leaves its batch, without records, at the
// end of the log: reading ends there. A stage would never have its state back.
func TestReadEndsBehindATombstoneThatIsGone(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	const records = 3
	for range records {
		record := &kgo.Record{Topic: event.TopicRoomState, Key: []byte(faultRoom), Value: []byte("{}")}
		if err := f.client().ProduceSync(t.Context(), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	// The broker of the tests keeps tombstones: the answers are those of one that does not.
	f.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		asked := req.(*kmsg.FetchRequest)
		if len(asked.Topics) == 0 {
			return nil, nil, false
		}
		p := kmsg.NewFetchResponseTopicPartition()
		p.Partition, p.HighWatermark, p.LastStableOffset, p.LogStartOffset = asked.Topics[0].Partitions[0].Partition, records, records, 0
		if asked.Topics[0].Partitions[0].FetchOffset < records {
			p.RecordBatches = append(batchWithout(0, 0), batchWithout(1, records-1)...)
		}
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic, topic.TopicID, topic.Partitions = asked.Topics[0].Topic, asked.Topics[0].TopicID, []kmsg.FetchResponseTopicPartition{p}
		answer := asked.ResponseKind().(*kmsg.FetchResponse)
		answer.Topics = []kmsg.FetchResponseTopic{topic}
		return answer, nil, true
	})
	n := 0
	end, err := f.sys.Reader.Read(t.Context(), event.TopicRoomState, f.partition(faultRoom), 0, func(streams.Record) error { n++; return nil })
	if err != nil || end != records || n > 0 {
		t.Errorf("%d records up to %d, %v; want none up to %d", n, end, err, records)
	}
}

// batchWithout is the batch of the offsets, of which no record is left.
func batchWithout(first, last int64) []byte {
	b := kmsg.RecordBatch{
		FirstOffset: first, LastOffsetDelta: int32(last - first), Length: 49, Magic: 2,
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, FirstTimestamp: 1, MaxTimestamp: 1,
	}
	raw := b.AppendTo(nil)
	const checksumAt, checkedFrom = 17, 21
	binary.BigEndian.PutUint32(raw[checksumAt:], crc32.Checksum(raw[checkedFrom:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}
