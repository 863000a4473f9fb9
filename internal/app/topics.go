package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"livehost/internal/cli"
	"livehost/internal/config"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// adminTimeout bounds the wall time of a command that looks at brokers.
const adminTimeout = time.Minute

// kafkaConfig is the part of the configuration that the commands on topics need.
func kafkaConfig(path string) (kafka.Config, error) {
	cfg := DefaultConfig()
	if err := config.Load(&cfg, path, os.Environ()); err != nil {
		return cfg.Kafka, err
	}
	if err := config.At("kafka", cfg.Kafka.Validate()); err != nil {
		return cfg.Kafka, fmt.Errorf("%w\nname a --config with brokers, or set LIVEHOST_KAFKA__BROKERS", err)
	}
	return cfg.Kafka, nil
}

// runTopicsApply is `livehost topics apply`.
func runTopicsApply(ctx context.Context, o cli.TopicsOptions, std cli.IO) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	cfg, err := kafkaConfig(o.Config)
	if err != nil {
		return err
	}
	done, err := kafka.Apply(ctx, cfg, topic.All(topic.DefaultPartitions))
	if err != nil {
		return err
	}
	return printTopics(o, std, done)
}

// runTopicsCheck is `livehost topics check`.
func runTopicsCheck(ctx context.Context, o cli.TopicsOptions, std cli.IO) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	cfg, err := kafkaConfig(o.Config)
	if err != nil {
		return err
	}
	found, err := kafka.Check(ctx, cfg, topic.All(topic.DefaultPartitions))
	if err != nil {
		return err
	}
	return printTopics(o, std, found)
}

// printTopics tells what was done and found; what is missing or differs is an error.
func printTopics(o cli.TopicsOptions, std cli.IO, p kafka.Provisioned) error {
	if o.JSON {
		if err := json.NewEncoder(std.Out).Encode(map[string][]string{
			"created": p.Created, "changed": p.Changed, "missing": p.Missing, "differs": p.Differs,
		}); err != nil {
			return err
		}
	} else {
		for _, part := range []struct {
			what  string
			items []string
		}{{"created", p.Created}, {"changed", p.Changed}, {"missing", p.Missing}, {"differs", p.Differs}} {
			for _, item := range part.items {
				fmt.Fprintf(std.Out, "%s: %s\n", part.what, item)
			}
		}
	}
	if n := len(p.Missing) + len(p.Differs); n > 0 {
		return fmt.Errorf("%d topics or settings are not as in the catalogue; `livehost topics apply` sets all but the numbers of partitions", n)
	}
	if !o.JSON {
		fmt.Fprintln(std.Out, "all topics are as in the catalogue")
	}
	return nil
}

// lagRow is one partition of `livehost topics lag`.
type lagRow struct {
	Group     string   `json:"group"`
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Committed int64    `json:"committed"`
	End       int64    `json:"end"`
	Lag       int64    `json:"lag"`
	OldestS   *float64 `json:"oldest_unfinished_s"` // null when nothing is unfinished
	Lost      int64    `json:"lost"`                // removed by retention before it was finished
}

// runTopicsLag is `livehost topics lag`.
func runTopicsLag(ctx context.Context, o cli.TopicsOptions, std cli.IO) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	cfg, err := kafkaConfig(o.Config)
	if err != nil {
		return err
	}
	reader, err := kafka.NewReader(cfg, newLogger(LogConfig{Level: "error", Format: "text"}, std.Err))
	if err != nil {
		return err
	}
	defer reader.Close()
	lags, err := reader.Lags(ctx)
	if err != nil {
		return err
	}
	rows := make([]lagRow, 0, len(lags))
	for _, l := range lags {
		row := lagRow{Group: l.Group, Topic: l.Topic, Partition: l.Partition, Committed: l.Committed, End: l.End, Lag: l.Lag(), Lost: l.Lost()}
		if !l.Oldest.IsZero() {
			age := time.Since(l.Oldest).Seconds()
			row.OldestS = &age
		}
		rows = append(rows, row)
	}
	if o.JSON {
		return json.NewEncoder(std.Out).Encode(rows)
	}
	return writeLag(std.Out, rows)
}

// writeLag prints one line for each group and topic: the sum of its partitions.
func writeLag(out io.Writer, rows []lagRow) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GROUP\tTOPIC\tPARTITIONS\tLAG\tOLDEST UNFINISHED\tLOST")
	for i := 0; i < len(rows); {
		sum, n := rows[i], 0
		sum.Lag, sum.Lost, sum.OldestS = 0, 0, nil
		for ; i < len(rows) && rows[i].Group == sum.Group && rows[i].Topic == sum.Topic; i++ {
			n++
			sum.Lag += rows[i].Lag
			sum.Lost += rows[i].Lost
			if age := rows[i].OldestS; age != nil && (sum.OldestS == nil || *age > *sum.OldestS) {
				sum.OldestS = age
			}
		}
		oldest := "-"
		if sum.OldestS != nil {
			oldest = time.Duration(*sum.OldestS * float64(time.Second)).Round(100 * time.Millisecond).String()
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%d\n", sum.Group, sum.Topic, n, sum.Lag, oldest, sum.Lost)
	}
	return w.Flush()
}
