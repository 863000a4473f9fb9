package topic

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"livehost/streams/event"
)

// DefaultPartitions is the number of partitions of every keyed topic. Raising it
// moves rooms between partitions: drain first.
const DefaultPartitions = 12

// Topic is one topic of the log.
type Topic struct {
	Name           string
	Writers        string      // who may write it
	Doc            string      // one record is ...
	Payload        event.Event // zero value of its payload; nil for dead letters, which are any bytes
	Partitions     int32
	Retention      time.Duration // by append time; 0 keeps everything (compacted topics)
	Compact        bool          // keep the last record of each key
	MaxRecordBytes int           // larger records, and batches, are refused by the broker
}

const (
	day = 24 * time.Hour
	kib = 1 << 10
)

// All lists the topics, each followed by its dead-letter topic, with the given
// number of partitions (a dead-letter topic has one).
func All(partitions int32) []Topic {
	keyed := []Topic{
		{Name: event.TopicDanmaku, Writers: "platform, gateway", Payload: event.Danmaku{}, Retention: 8 * day, MaxRecordBytes: 256 * kib,
			Doc: "One viewer comment, as the platform sent it."},
		{Name: event.TopicRoomEvent, Writers: "platform, gateway", Payload: event.RoomEvent{}, Retention: 8 * day, MaxRecordBytes: 256 * kib,
			Doc: "What happened in the room beside danmaku and orders: opened and closed, settings, products, host utterances, gifts, enters, retractions."},
		{Name: event.TopicOrder, Writers: "platform", Payload: event.Order{}, Retention: 30 * day, MaxRecordBytes: 256 * kib,
			Doc: "One status change of one order."},
		{Name: event.TopicWindow, Writers: "aggregator", Payload: event.Window{}, Retention: 8 * day, MaxRecordBytes: 512 * kib,
			Doc: "Danmaku of one room and variant that one run answers together, with the context they are answered in."},
		{Name: event.TopicExposure, Writers: "aggregator", Payload: event.Exposure{}, Retention: 30 * day, MaxRecordBytes: 256 * kib,
			Doc: "A unit came into scope of an experiment."},
		{Name: event.TopicReply, Writers: "agentworker", Payload: event.Reply{}, Retention: 8 * day, MaxRecordBytes: 512 * kib,
			Doc: "What a run decided to say, not yet heard."},
		{Name: event.TopicTrajectory, Writers: "agentworker", Payload: event.Step{}, Retention: 8 * day, MaxRecordBytes: 1024 * kib,
			Doc: "One step of a run."},
		{Name: event.TopicGuardrailHit, Writers: "any stage", Payload: event.GuardrailHit{}, Retention: 30 * day, MaxRecordBytes: 256 * kib,
			Doc: "A guardrail rule matched."},
		{Name: event.TopicDelivery, Writers: "dispatcher", Payload: event.Delivery{}, Retention: 8 * day, MaxRecordBytes: 256 * kib,
			Doc: "What was heard or sent: the only truth of it."},
		{Name: event.TopicOutcome, Writers: "any stage", Payload: event.Outcome{}, Retention: 8 * day, MaxRecordBytes: 256 * kib,
			Doc: "The terminal state of one danmaku."},
		{Name: event.TopicRoomState, Writers: "aggregator", Payload: event.RoomState{}, Compact: true, MaxRecordBytes: 512 * kib,
			Doc: "The aggregator's memory of a room, and the offsets to read back from."},
		{Name: event.TopicSpeechCue, Writers: "dispatcher", Payload: event.SpeechCue{}, Retention: day, MaxRecordBytes: 64 * kib,
			Doc: "What a room's voice does, sentence by sentence, for an avatar driver."},
	}
	all := make([]Topic, 0, 2*len(keyed))
	for _, t := range keyed {
		t.Partitions = partitions
		all = append(all, t, deadLetter(t))
	}
	return all
}

// deadLetter keeps records longer than its source: a person looks at them. The
// source's key, value and headers stay, so it needs room for the reason headers.
func deadLetter(source Topic) Topic {
	return Topic{
		Name:           DLQ(source.Name),
		Writers:        "streams",
		Doc:            "Records of " + source.Name + " that cannot be handled, unchanged, with the reason in headers, and notes of what was replayed.",
		Partitions:     1,
		Retention:      30 * day,
		MaxRecordBytes: source.MaxRecordBytes + 64*kib,
	}
}

// DLQ is the name of the dead-letter topic of a topic.
func DLQ(name string) string { return name + ".dlq" }

// Configs are the topic's settings by Kafka's names.
func (t Topic) Configs() map[string]string {
	c := map[string]string{
		"cleanup.policy":         "delete",
		"retention.ms":           strconv.FormatInt(t.Retention.Milliseconds(), 10),
		"max.message.bytes":      strconv.Itoa(t.MaxRecordBytes),
		"message.timestamp.type": "LogAppendTime",
	}
	if t.Compact {
		c["cleanup.policy"] = "compact"
	}
	if t.Retention == 0 {
		c["retention.ms"] = "-1"
	}
	return c
}

// Validate reports every problem of the topic.
func (t Topic) Validate() error {
	var errs []error
	check := func(ok bool, problem string) {
		if !ok {
			errs = append(errs, fmt.Errorf("topic %q: %s", t.Name, problem))
		}
	}
	check(t.Name != "", "has no name")
	check(t.Partitions > 0, "partitions must be positive")
	check(t.Retention >= 0, "retention must not be negative")
	check(t.MaxRecordBytes > 0, "max record bytes must be positive")
	return errors.Join(errs...)
}
