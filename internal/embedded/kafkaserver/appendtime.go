package kafkaserver

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Where the fields of a record batch (magic 2) are.
const (
	batchMagicAt      = 16
	batchCRCAt        = 17
	batchAttributesAt = 21 // the checksum covers from here on
	batchFirstTimeAt  = 27
	batchMaxTimeAt    = 35
	batchHeaderBytes  = 61
)

// stampAppendTime gives the batches of a produce request the present time before
// the broker stores them. The broker itself keeps producers' timestamps whatever
// the topic's message.timestamp.type says, but the log's append time is what
// room time and retention are computed from. A batch it cannot read is left for
// the broker to refuse.
func stampAppendTime(req kmsg.Request) (kmsg.Response, error, bool) {
	now := time.Now().UnixMilli()
	produce := req.(*kmsg.ProduceRequest)
	for t := range produce.Topics {
		for p := range produce.Topics[t].Partitions {
			part := &produce.Topics[t].Partitions[p]
			part.Records = stamp(part.Records, now)
		}
	}
	return nil, nil, false // go on to the broker
}

// stamp returns the batch with all its records at now (Unix milliseconds).
func stamp(raw []byte, now int64) []byte {
	if len(raw) < batchHeaderBytes || raw[batchMagicAt] != 2 || !intact(raw) {
		return raw
	}
	first := binary.BigEndian.Uint64(raw[batchFirstTimeAt:])
	last := binary.BigEndian.Uint64(raw[batchMaxTimeAt:])
	if first != last {
		// Records carry their distance from the first one's time.
		flat := flatten(raw)
		if flat == nil {
			return raw
		}
		raw = flat
	}
	binary.BigEndian.PutUint64(raw[batchFirstTimeAt:], uint64(now))
	binary.BigEndian.PutUint64(raw[batchMaxTimeAt:], uint64(now))
	binary.BigEndian.PutUint32(raw[batchCRCAt:], checksum(raw))
	return raw
}

// flatten re-encodes a batch, uncompressed, with all distances zero; nil when
// its records cannot be read.
func flatten(raw []byte) []byte {
	var b kmsg.RecordBatch
	if err := b.ReadFrom(raw); err != nil {
		return nil
	}
	records, err := kfake.BatchRecords(b)
	if err != nil {
		return nil
	}
	const compression = 0x7
	b.Attributes &^= compression
	b.Records = nil
	for _, r := range records {
		r.TimestampDelta, r.TimestampDelta64 = 0, 0
		r.Length = 0
		body := r.AppendTo(nil)
		r.Length = int32(len(body) - 1) // a zero length is one byte
		b.Records = r.AppendTo(b.Records)
	}
	b.Length = int32(batchHeaderBytes - 12 + len(b.Records))
	return b.AppendTo(nil)
}

func intact(raw []byte) bool { return binary.BigEndian.Uint32(raw[batchCRCAt:]) == checksum(raw) }

func checksum(raw []byte) uint32 {
	return crc32.Checksum(raw[batchAttributesAt:], crc32.MakeTable(crc32.Castagnoli))
}
