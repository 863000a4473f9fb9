package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/topic"
)

// GroupLag is how far a consumer group is behind in one partition.
type GroupLag struct {
	Group     string
	Topic     string
	Partition int32
	Committed int64     // -1: nothing was committed; the group begins at Start
	Start     int64     // first retained offset
	End       int64     // offset after the last stable record
	Oldest    time.Time // when the oldest unfinished record came into the log; zero: there is none
}

// Lag is how many retained records are unfinished.
func (l GroupLag) Lag() int64 { return max(0, l.End-max(l.Committed, l.Start)) }

// Lost is how many records retention removed before they were finished.
func (l GroupLag) Lost() int64 {
	if l.Committed < 0 {
		return 0
	}
	return max(0, l.Start-l.Committed)
}

// Lags is the lag of every group in every partition of the topics that it has
// committed in, ordered by group, topic and partition. A partition in which it
// never committed anything is one it has not begun: it may hang there.
func (r *Reader) Lags(ctx context.Context) ([]GroupLag, error) {
	groups, err := r.admin.ListGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("kafka: list groups: %w", classify(err))
	}
	var out []GroupLag
	topics := make(map[string]bool)
	for _, group := range groups.Groups() {
		offsets, err := r.admin.FetchOffsets(ctx, group)
		if err != nil {
			return nil, fmt.Errorf("kafka: offsets of group %s: %w", group, classify(err))
		}
		offsets.Each(func(o kadm.OffsetResponse) {
			topics[o.Topic] = true
			out = append(out, GroupLag{Group: group, Topic: o.Topic, Partition: o.Partition, Committed: o.At})
		})
	}
	if len(out) == 0 {
		return nil, nil
	}
	if out, err = r.place(ctx, topics, out); err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Lag() > 0 {
			if out[i].Oldest, err = r.appended(ctx, out[i].Topic, out[i].Partition, max(out[i].Committed, out[i].Start)); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(out, func(a, b GroupLag) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return out, nil
}

// place adds the partitions that were not committed in, and notes where all begin and end.
func (r *Reader) place(ctx context.Context, topics map[string]bool, lags []GroupLag) ([]GroupLag, error) {
	var names []string
	for name := range topics {
		names = append(names, name)
	}
	starts, err := r.admin.ListStartOffsets(ctx, names...)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("kafka: list offsets: %w", classify(err))
	}
	ends, err := r.admin.ListCommittedOffsets(ctx, names...) // up to the last stable one
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("kafka: list offsets: %w", classify(err))
	}
	type place struct {
		group, topic string
		partition    int32
	}
	committed, reads := make(map[place]bool), make(map[place]bool)
	for _, l := range lags {
		committed[place{l.Group, l.Topic, l.Partition}] = true
		reads[place{group: l.Group, topic: l.Topic}] = true
	}
	for at := range reads {
		for p := range starts[at.topic] {
			if !committed[place{at.group, at.topic, p}] {
				lags = append(lags, GroupLag{Group: at.group, Topic: at.topic, Partition: p, Committed: -1})
			}
		}
	}
	for i := range lags {
		l := &lags[i]
		if o, ok := starts.Lookup(l.Topic, l.Partition); ok {
			l.Start = o.Offset
		}
		if o, ok := ends.Lookup(l.Topic, l.Partition); ok {
			l.End = o.Offset
		}
	}
	return lags, nil
}

// appended is when the first record at or after the offset came into the log.
func (r *Reader) appended(ctx context.Context, topicName string, partition int32, offset int64) (at time.Time, err error) {
	found := errors.New("found")
	_, err = r.Read(ctx, topicName, partition, offset, func(rec streams.Record) error {
		at = rec.AppendTime
		return found
	})
	if errors.Is(err, found) {
		err = nil
	}
	return at, err
}

// Apply creates the missing topics and gives existing ones the catalogue's
// settings. It never changes a number of partitions: that would move rooms.
func Apply(ctx context.Context, cfg Config, topics []topic.Topic) (Provisioned, error) {
	before, err := Provision(ctx, cfg, topics)
	if err != nil || len(before.Differs) == 0 {
		return before, err
	}
	cl, err := newClient(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return before, err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	for _, t := range topics {
		var alter []kadm.AlterConfig
		for key, value := range t.Configs() {
			alter = append(alter, kadm.AlterConfig{Name: key, Value: &value})
		}
		answers, err := adm.AlterTopicConfigs(ctx, alter, t.Name)
		if err == nil {
			_, err = answers.On(t.Name, func(r *kadm.AlterConfigsResponse) error { return r.Err })
		}
		if err != nil {
			return before, fmt.Errorf("kafka: settings of topic %s: %w", t.Name, classify(err))
		}
	}
	after, err := Check(ctx, cfg, topics)
	after.Created = before.Created
	for _, d := range before.Differs {
		if !slices.Contains(after.Differs, d) {
			after.Changed = append(after.Changed, d)
		}
	}
	return after, err
}

// Check says which topics are missing and how the others differ from the
// catalogue, and changes nothing.
func Check(ctx context.Context, cfg Config, topics []topic.Topic) (Provisioned, error) {
	var out Provisioned
	cl, adm, have, err := listTopics(ctx, cfg)
	if err != nil {
		return out, err
	}
	defer cl.Close()
	var existing []topic.Topic
	for _, t := range topics {
		if have.Has(t.Name) {
			existing = append(existing, t)
		} else {
			out.Missing = append(out.Missing, t.Name)
		}
	}
	out.Differs, err = differences(ctx, adm, existing)
	return out, err
}

// HeaderReplayed is on a record that was a dead letter: which one. In the dead-letter
// topic it is on the note that the letter was replayed.
const HeaderReplayed = "dlq-replayed"

// Replay puts a dead letter back into the topic it came from, in its room's
// order, and notes beside the letter that it did. The record keeps the append time it
// had at first, so that what was late stays late. A stub cannot be replayed: the record
// is not in it.
func (p *Publisher) Replay(ctx context.Context, letter streams.Record) error {
	target, stub := letter.Headers[HeaderTopic], letter.Headers[HeaderBytes]
	switch {
	case target == "":
		return fault.Errorf(fault.Invalid, "%s offset %d: has no header %s: it is no dead letter", letter.Topic, letter.Offset, HeaderTopic)
	case stub != "":
		return fault.Errorf(fault.Invalid, "%s offset %d: is the stub of a record of %s bytes; correct and publish the record itself (%s partition %s offset %s)",
			letter.Topic, letter.Offset, stub, target, letter.Headers[HeaderPartition], letter.Headers[HeaderOffset])
	case letter.Key == "":
		return fault.Errorf(fault.Invalid, "%s offset %d: has no room as its key", letter.Topic, letter.Offset)
	}
	r := &kgo.Record{Topic: target, Key: []byte(letter.Key), Value: letter.Value}
	for k, v := range letter.Headers {
		if k == HeaderAppendTimeMs || k[:min(len(k), len(headerPrefix))] != headerPrefix {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: k, Value: []byte(v)})
		}
	}
	replayed := kgo.RecordHeader{Key: HeaderReplayed, Value: []byte(letter.Topic + "@" + strconv.FormatInt(letter.Offset, 10))}
	r.Headers = append(r.Headers, replayed)
	if err := p.client.ProduceSync(ctx, r).FirstErr(); err != nil || letter.Topic != topic.DLQ(target) {
		return publishError(r, err)
	}
	note := &kgo.Record{Topic: letter.Topic, Key: []byte(letter.Key), Headers: []kgo.RecordHeader{replayed}}
	for _, k := range [...]string{HeaderPartition, HeaderOffset, HeaderAppendTimeMs} {
		note.Headers = append(note.Headers, kgo.RecordHeader{Key: k, Value: []byte(letter.Headers[k])})
	}
	if err := p.client.ProduceSync(ctx, note).FirstErr(); err != nil {
		return fmt.Errorf("%s offset %d: is back in %s, but it is not noted: %w", letter.Topic, letter.Offset, target, publishError(note, err))
	}
	return nil
}

// DeadLetter is one of a dead-letter topic.
type DeadLetter struct {
	streams.Record
	Replayed bool // the record that it is of was, perhaps from another of its letters
}

// Origin is the record that a letter is of. It has several letters when several groups
// could not handle it, or one did twice.
func (l DeadLetter) Origin() string {
	if l.Headers[HeaderOffset] == "" { // not ours
		return strconv.FormatInt(l.Offset, 10)
	}
	return l.Headers[HeaderPartition] + "@" + l.Headers[HeaderOffset] + "@" + l.Headers[HeaderAppendTimeMs]
}

// DeadLetters calls fn for the dead letters of a topic, in their order.
func (r *Reader) DeadLetters(ctx context.Context, topicName string, fn func(DeadLetter) error) error {
	replayed := make(map[string]bool)
	each := func(fn func(l DeadLetter, note bool) error) error {
		_, err := r.Read(ctx, topic.DLQ(topicName), 0, 0, func(rec streams.Record) error {
			return fn(DeadLetter{Record: rec}, rec.Headers[HeaderReplayed] != "" && rec.Headers[HeaderTopic] == "")
		})
		return err
	}
	err := each(func(l DeadLetter, note bool) error {
		if note {
			replayed[l.Origin()] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(func(l DeadLetter, note bool) error {
		if note {
			return nil
		}
		l.Replayed = replayed[l.Origin()]
		return fn(l)
	})
}

// Leader is the id of the broker that leads a partition.
func Leader(ctx context.Context, cfg Config, topicName string, partition int32) (int32, error) {
	cl, err := newClient(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	have, err := kadm.NewClient(cl).ListTopics(ctx, topicName)
	if err != nil {
		return 0, fmt.Errorf("kafka: list topics: %w", classify(err))
	}
	p, ok := have[topicName].Partitions[partition]
	if !ok || p.Leader < 0 {
		return 0, fault.Errorf(fault.Unavailable, "kafka: %s partition %d has no leader", topicName, partition)
	}
	return p.Leader, nil
}
