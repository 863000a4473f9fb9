package kafka

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// The headers of a dead letter, beside those the record had.
const (
	headerPrefix       = "dlq-"
	HeaderReason       = "dlq-reason"
	HeaderTopic        = "dlq-topic"
	HeaderPartition    = "dlq-partition"
	HeaderOffset       = "dlq-offset"
	HeaderAppendTimeMs = "dlq-append-time-ms"
	// HeaderBytes is on a stub: the size of the value that was too large to keep.
	HeaderBytes = "dlq-bytes"
)

// stubBytes bounds each part of a stub, and the reason of a dead letter: some quote what
// is wrong, which may be most of the record, and there is not room for it twice.
const stubBytes = 4096

// task is one record on its way through the handler.
type task struct {
	unit *unit
	log  *partitionLog
	rec  streams.Record
	job  *job // itself, as the lanes know it

	attempt  int32 // hand-overs so far; guarded by unit.mu
	acked    bool  // the present hand-over was acknowledged; guarded by unit.mu
	failedMs int64 // when handling failed first; only the hand-overs, one after another, use it
}

// job is a task in its lane.
type job = streams.Job[event.RoomID, task]

// keySample is how many records pass between two checks that a producer's
// partitioner is ours.
const keySample = 64

// dispatch starts the records of one partition: they go to their lanes, or wait
// while the unit's state is being restored. Only the polling goroutine calls it.
func (s *session) dispatch(p kgo.FetchTopicPartition) {
	u := s.unit(p.Topic, p.Partition)
	if u == nil {
		return
	}
	l, lost, err := u.start(p)
	if err != nil { // the log went back, as after a topic was created again
		s.log.Error("the log went back; what follows is handled again", "topic", p.Topic, "partition", p.Partition, "err", err)
		s.rewind(u, p)
		s.restart()
	}
	if lost > 0 {
		s.log.Error("records are lost: retention removed them before they were handled", "topic", p.Topic, "partition", p.Partition, "lost", lost)
	}
	if l == nil {
		return
	}
	tasks := s.batch[:0]
	for _, r := range p.Records {
		if r.Attrs.IsControl() {
			s.skip(&task{unit: u, log: l, rec: streams.Record{Offset: r.Offset}})
			continue
		}
		t := task{unit: u, log: l, rec: recordOf(r, s.room(r.Key))}
		if len(r.Key) == 0 || !utf8.Valid(r.Key) {
			u.skipHandler(l)
			s.deadLetter(&t, errors.New("the key is not a room id"))
			continue
		}
		tasks = append(tasks, t)
		if r.Offset%keySample == 0 && topic.PartitionOf(t.rec.Key, s.topics[p.Topic].partitions) != p.Partition {
			s.log.Error("record is in another partition than its key says: a producer uses another partitioner",
				"topic", p.Topic, "partition", p.Partition, "offset", r.Offset)
		}
	}
	u.pause(s.client, l, s.binding.MaxUnfinished)
	if !u.keep(l, tasks, s.ordered()) {
		s.lanes.PutAll(tasks, taskRoom)
	}
	clear(tasks)
	s.batch = tasks
}

// skip finishes a record that is nobody's: the end of a producer's transaction.
func (s *session) skip(t *task) {
	t.unit.skipHandler(t.log)
	t.unit.mu.Lock()
	defer t.unit.mu.Unlock()
	s.finish(t)
}

func taskRoom(t *task) event.RoomID { return t.rec.Key }

// maxRooms bounds the room ids that are remembered to be used again.
const maxRooms = 10_000

// room is the key as a room id. The same few rooms come again and again.
func (s *session) room(key []byte) event.RoomID {
	if id, ok := s.rooms[string(key)]; ok {
		return id
	}
	if len(s.rooms) >= maxRooms {
		clear(s.rooms)
	}
	id := event.RoomID(key)
	s.rooms[string(key)] = id
	return id
}

// handle is one hand-over, called by the lanes.
func (s *session) handle(j *job) {
	t := &j.Value
	u := t.unit
	t.job = j
	attempt, ok := u.begin(t)
	if !ok {
		return
	}
	s.binding.Handler.Handle(u.ctx, t.rec, func(err error) { s.ack(t, attempt, err) })

	u.end()
}

// ack is the handler's word on one hand-over.
func (s *session) ack(t *task, attempt int32, err error) {
	u := t.unit
	u.mu.Lock()
	if t.acked || t.attempt != attempt {
		u.mu.Unlock()
		s.log.Error("record was acknowledged twice", "topic", t.rec.Topic, "partition", t.rec.Partition, "offset", t.rec.Offset)
		return
	}
	t.acked = true
	if err == nil {
		s.finish(t)
		u.mu.Unlock()
		return
	}
	u.mu.Unlock()
	switch fault.KindOf(err) {
	case fault.Conflict:
		u.mu.Lock()
		s.finish(t)
		u.mu.Unlock()
	case fault.Invalid:
		s.deadLetter(t, err)
	case fault.Exhausted, fault.Unavailable:
		s.retry(t, err)
	case fault.Canceled: // our own end: the record stays unfinished for the next owner
		s.leave(t)
	default:
		s.leave(t)
		err = fmt.Errorf("kafka: group %s: %s partition %d offset %d: %w", s.binding.Group, t.rec.Topic, t.rec.Partition, t.rec.Offset, err)
		s.log.Error("handling failed, the partition stops", "err", err)
		s.fail(err)
	}
}

// finish marks the record done. The caller holds unit.mu.
func (s *session) finish(t *task) {
	u, l := t.unit, t.log
	if u.state == closed {
		return // too late: the next owner handles it again
	}
	if err := l.tracker.Finish(t.rec.Offset); err != nil {
		s.fail(fmt.Errorf("kafka: %s partition %d: %w", l.topic, l.partition, err))
		return
	}
	t.rec.Value, t.rec.Headers = nil, nil // its neighbours may keep the task alive
	u.handed--
	u.down()
	if l.paused && l.relieved(s.binding.MaxUnfinished) {
		u.resume(s.client, l)
	}
}

// leave gives the record up without finishing it.
func (s *session) leave(t *task) {
	t.unit.mu.Lock()
	defer t.unit.mu.Unlock()
	t.unit.handed--
	t.unit.down()
}

// retry hands the record over again later, before all later records of its room.
func (s *session) retry(t *task, err error) {
	if t.failedMs == 0 {
		t.failedMs = time.Now().UnixMilli()
	}
	if tried := time.Since(time.UnixMilli(t.failedMs)); tried > s.cfg.RetryFor {
		s.deadLetter(t, fmt.Errorf("given up after %v and %d attempts: %w", tried.Round(time.Second), t.attempt, err))
		return
	}
	s.leave(t)
	delay := s.cfg.delay(err, int(t.attempt)-1)
	s.log.Warn("handling failed, will try again", "topic", t.rec.Topic, "partition", t.rec.Partition, "offset", t.rec.Offset,
		"attempt", t.attempt, "delay", delay, "err", err)
	s.lanes.Retry(t.job, delay)
}

// deadLetter moves the record to the dead-letter topic and finishes it when the
// broker has it there.
func (s *session) deadLetter(t *task, reason error) {
	s.log.Warn("record is a dead letter", "topic", t.rec.Topic, "partition", t.rec.Partition, "offset", t.rec.Offset, "err", reason)
	// A producer that is full must not block the caller, who may be the producer's
	// own goroutine telling of an acknowledgement.
	go s.sendDeadLetter(t, deadLetterOf(t.rec, reason), 0)
}

func (s *session) sendDeadLetter(t *task, letter *kgo.Record, attempt int) {
	s.dead.client.Produce(t.unit.ctx, letter, func(_ *kgo.Record, err error) {
		u := t.unit
		u.mu.Lock()
		defer u.mu.Unlock()
		if err == nil {
			s.finish(t)
			return
		}
		if u.ctx.Err() != nil || u.state == closed {
			u.handed--
			u.down()
			return
		}
		s.log.Error("dead letter was refused, will try again", "topic", letter.Topic, "err", err)
		again := deadLetterAgain(letter)
		if fault.KindOf(classify(err)) == fault.Invalid {
			again = stubOf(letter)
		}
		time.AfterFunc(s.cfg.backoff(attempt), func() { s.sendDeadLetter(t, again, attempt+1) })
	})
}

// stubOf is the dead letter of a record that is larger than the dead-letter topic
// takes: headers of ours that say where the record is, without it.
func stubOf(letter *kgo.Record) *kgo.Record {
	stub := &kgo.Record{Topic: letter.Topic, Key: letter.Key[:min(len(letter.Key), stubBytes)]}
	for _, h := range letter.Headers {
		if strings.HasPrefix(h.Key, headerPrefix) && h.Key != HeaderBytes {
			stub.Headers = append(stub.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value[:min(len(h.Value), stubBytes)]})
		}
	}
	stub.Headers = append(stub.Headers, kgo.RecordHeader{Key: HeaderBytes, Value: []byte(strconv.Itoa(len(letter.Value)))})
	return stub
}

func deadLetterOf(r streams.Record, reason error) *kgo.Record {
	letter := &kgo.Record{Topic: topic.DLQ(r.Topic), Key: []byte(r.Key), Value: r.Value}
	add := func(key, value string) {
		letter.Headers = append(letter.Headers, kgo.RecordHeader{Key: key, Value: []byte(value)})
	}
	for k, v := range r.Headers {
		if !strings.HasPrefix(k, headerPrefix) { // of a former death
			add(k, v)
		}
	}
	why := reason.Error()
	add(HeaderReason, strings.ToValidUTF8(why[:min(len(why), stubBytes)], ""))
	add(HeaderTopic, r.Topic)
	add(HeaderPartition, strconv.Itoa(int(r.Partition)))
	add(HeaderOffset, strconv.FormatInt(r.Offset, 10))
	add(HeaderAppendTimeMs, strconv.FormatInt(r.AppendTime.UnixMilli(), 10))
	return letter
}

// deadLetterAgain is a fresh record: the client has written to the refused one.
func deadLetterAgain(r *kgo.Record) *kgo.Record {
	return &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value, Headers: r.Headers}
}

func retriable(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Exhausted || kind == fault.Unavailable
}
