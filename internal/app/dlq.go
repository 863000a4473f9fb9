package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"livehost/internal/cli"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// letter is a dead letter as it is printed.
type letter struct {
	Topic    string       `json:"topic"`  // that it came from
	Offset   int64        `json:"offset"` // in the dead-letter topic
	Room     event.RoomID `json:"room_id"`
	Reason   string       `json:"reason"`
	From     string       `json:"from"` // partition and offset it had
	Appended time.Time    `json:"append_time"`
	Bytes    int          `json:"bytes"`
	Stub     bool         `json:"stub,omitempty"` // the record was too large to keep
	Replayed bool         `json:"replayed,omitempty"`
	Value    string       `json:"value,omitempty"`
}

func letterOf(r kafka.DeadLetter, whole bool) letter {
	l := letter{
		Topic: strings.TrimSuffix(r.Topic, topic.DLQ("")), Offset: r.Offset, Room: r.Key, Appended: r.AppendTime, Bytes: len(r.Value),
		Reason: r.Headers[kafka.HeaderReason], From: r.Headers[kafka.HeaderPartition] + "@" + r.Headers[kafka.HeaderOffset],
		Stub: r.Headers[kafka.HeaderBytes] != "", Replayed: r.Replayed,
	}
	if whole {
		l.Value = string(r.Value)
		if !utf8.Valid(r.Value) {
			l.Value = fmt.Sprintf("%x", r.Value)
		}
	}
	return l
}

// dlqCommand is what the commands on dead letters have in common.
type dlqCommand struct {
	cfg    kafka.Config
	reader *kafka.Reader
	topics []string // whose dead letters
}

func openDLQ(o cli.DLQOptions, std cli.IO) (*dlqCommand, error) {
	cfg, err := kafkaConfig(o.Config)
	if err != nil {
		return nil, err
	}
	d := &dlqCommand{cfg: cfg}
	for _, t := range topic.All(topic.DefaultPartitions) {
		if t.Payload != nil && (o.Topic == "" || o.Topic == t.Name) {
			d.topics = append(d.topics, t.Name)
		}
	}
	if len(d.topics) == 0 {
		return nil, fmt.Errorf("there is no topic %q; docs/topics.md lists them", o.Topic)
	}
	d.reader, err = kafka.NewReader(cfg, newLogger(LogConfig{Level: "error", Format: "text"}, std.Err))
	return d, err
}

// each calls fn for the dead letters of the topics, in their order.
func (d *dlqCommand) each(ctx context.Context, fn func(kafka.DeadLetter) error) error {
	for _, name := range d.topics {
		if err := d.reader.DeadLetters(ctx, name, fn); err != nil {
			return err
		}
	}
	return nil
}

// withDLQ calls run with the command's reader open, and a deadline.
func withDLQ(ctx context.Context, o cli.DLQOptions, std cli.IO, run func(context.Context, *dlqCommand) error) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	d, err := openDLQ(o, std)
	if err != nil {
		return err
	}
	defer d.reader.Close()
	return run(ctx, d)
}

// runDLQList is `livehost dlq list`.
func runDLQList(ctx context.Context, o cli.DLQOptions, std cli.IO) error {
	enc := json.NewEncoder(std.Out)
	return withDLQ(ctx, o, std, func(ctx context.Context, d *dlqCommand) error {
		return d.each(ctx, func(r kafka.DeadLetter) error {
			l := letterOf(r, false)
			if o.JSON {
				return enc.Encode(l)
			}
			if l.Replayed {
				l.Reason += " (replayed)"
			}
			_, err := fmt.Fprintf(std.Out, "%s\t%d\t%s\t%s\t%d bytes\t%s\n", l.Topic, l.Offset, l.Appended.UTC().Format(time.RFC3339), l.Room, l.Bytes, l.Reason)
			return err
		})
	})
}

// runDLQShow is `livehost dlq show`.
func runDLQShow(ctx context.Context, o cli.DLQOptions, std cli.IO) error {
	return withDLQ(ctx, o, std, func(ctx context.Context, d *dlqCommand) error { return d.show(ctx, o, std) })
}

func (d *dlqCommand) show(ctx context.Context, o cli.DLQOptions, std cli.IO) error {
	found, err := d.find(ctx, o)
	if err != nil {
		return err
	}
	l := letterOf(found[0], true)
	if o.JSON {
		return json.NewEncoder(std.Out).Encode(l)
	}
	fmt.Fprintf(std.Out, "topic     %s (partition@offset %s)\nroom      %s\nappended  %s\nreason    %s\n", l.Topic, l.From, l.Room, l.Appended.UTC().Format(time.RFC3339Nano), l.Reason)
	for _, h := range slices.Sorted(maps.Keys(found[0].Headers)) {
		fmt.Fprintf(std.Out, "header    %s: %s\n", h, found[0].Headers[h])
	}
	_, err = fmt.Fprintf(std.Out, "%s\n", l.Value)
	return err
}

// find reads the dead letters with the wanted offsets, or all records that were not
// replayed, one letter of each.
func (d *dlqCommand) find(ctx context.Context, o cli.DLQOptions) ([]kafka.DeadLetter, error) {
	var found []kafka.DeadLetter
	seen := make(map[string]bool)
	err := d.each(ctx, func(r kafka.DeadLetter) error {
		if o.All && !r.Replayed && !seen[r.Origin()] || slices.Contains(o.Offsets, r.Offset) {
			found = append(found, r)
			seen[r.Origin()] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, want := range o.Offsets {
		if !slices.ContainsFunc(found, func(r kafka.DeadLetter) bool { return r.Offset == want }) {
			return nil, fmt.Errorf("%s has no dead letter at offset %d; `livehost dlq list %s` lists them", o.Topic, want, o.Topic)
		}
	}
	return found, nil
}

// runDLQReplay is `livehost dlq replay`.
func runDLQReplay(ctx context.Context, o cli.DLQOptions, std cli.IO) error {
	return withDLQ(ctx, o, std, func(ctx context.Context, d *dlqCommand) error { return d.replay(ctx, o, std) })
}

func (d *dlqCommand) replay(ctx context.Context, o cli.DLQOptions, std cli.IO) error {
	found, err := d.find(ctx, o)
	if err != nil {
		return err
	}
	pub, err := kafka.NewPublisher(d.cfg, newLogger(LogConfig{Level: "error", Format: "text"}, std.Err))
	if err != nil {
		return err
	}
	defer pub.Close()
	var problems []error
	done := 0
	for _, r := range found {
		if err := pub.Replay(ctx, r.Record); err != nil {
			problems = append(problems, err)
			continue
		}
		done++
	}
	fmt.Fprintf(std.Out, "%d of %d dead letters are back in %s\n", done, len(found), o.Topic)
	return errors.Join(problems...)
}
