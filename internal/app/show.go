package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"livehost/eval/audit"
	"livehost/internal/cli"
	"livehost/internal/config"
	"livehost/internal/embedded/kafkaserver"
	"livehost/streams/event"
	"livehost/streams/kafka"
)

// runDanmakuShow is `livehost danmaku show ID`.
func runDanmakuShow(ctx context.Context, o cli.ShowOptions, std cli.IO) error {
	l, err := readLog(ctx, o, std)
	if err != nil {
		return err
	}
	story, err := audit.Story(l, o.ID)
	if err != nil {
		return err
	}
	if o.JSON {
		return json.NewEncoder(std.Out).Encode(map[string]string{"id": o.ID, "story": story})
	}
	_, err = fmt.Fprint(std.Out, story)
	return err
}

// listed is one danmaku of `livehost danmaku list`.
type listed struct {
	ID      event.DanmakuID `json:"danmaku_id"`
	Viewer  string          `json:"viewer_name,omitempty"`
	Text    string          `json:"text"`
	State   event.State     `json:"state,omitempty"` // empty: none yet
	Reason  string          `json:"reason,omitempty"`
	Variant event.Variant   `json:"variant,omitempty"`
	Heard   []string        `json:"heard,omitempty"` // what its viewer heard or was sent
}

// ended says how, and why if there is a reason.
func (l listed) ended() string {
	switch {
	case l.State == "":
		return "not ended"
	case l.Reason == "":
		return string(l.State)
	}
	return fmt.Sprintf("%s (%s)", l.State, l.Reason)
}

// runDanmakuList is `livehost danmaku list`.
func runDanmakuList(ctx context.Context, o cli.ShowOptions, std cli.IO) error {
	l, err := readLog(ctx, o, std)
	if err != nil {
		return err
	}
	view, enc := audit.NewView(l), json.NewEncoder(std.Out)
	seen := map[audit.Key]bool{}
	for _, e := range l.Danmaku {
		key := audit.Key{Room: e.V.RoomID, ID: e.V.DanmakuID}
		if seen[key] {
			continue
		}
		seen[key] = true
		row := listed{ID: e.V.DanmakuID, Viewer: e.V.ViewerName, Text: e.V.Text}
		if out, ok := view.Outcome(key); ok {
			row.State, row.Reason, row.Variant = out.State, out.Reason, out.Variant
		}
		for _, d := range view.Heard(key) {
			row.Heard = append(row.Heard, d.Text)
		}
		if o.JSON {
			err = enc.Encode(row)
		} else {
			_, err = fmt.Fprintf(std.Out, "%s\t%s\t%s\t%s\t%s\n", row.ID, row.ended(), row.Variant, row.Text, strings.Join(row.Heard, " | "))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readLog reads the log of a broker, or that of an embedded run that has ended.
func readLog(ctx context.Context, o cli.ShowOptions, std cli.IO) (l *audit.Log, err error) {
	err = withReader(ctx, o, std, func(ctx context.Context, r *kafka.Reader) (err error) {
		l, err = audit.Read(ctx, r)
		return err
	})
	return l, err
}

// withReader gives a reader of that log.
func withReader(ctx context.Context, o cli.ShowOptions, std cli.IO, read func(context.Context, *kafka.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	cfg := DefaultConfig()
	if err := config.Load(&cfg, o.Config, os.Environ()); err != nil {
		return err
	}
	log := newLogger(LogConfig{Level: "error", Format: "text"}, std.Err)
	if o.Data != "" {
		kc := kafkaserver.DefaultConfig()
		kc.DataDir = filepath.Join(o.Data, "kafka")
		if _, err := os.Stat(kc.DataDir); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--data %s: no log there; name the data directory of a demo run with --keep", o.Data)
		}
		server, err := kafkaserver.Start(kc, log)
		if err != nil {
			return fmt.Errorf("--data %s: %w\na log can be read when its run has ended; livehost outcomes, incidents, latency and sql read one that goes on", o.Data, err)
		}
		defer server.Close()
		cfg.Kafka.Brokers = server.Addrs()
	}
	if err := config.At("kafka", cfg.Kafka.Validate()); err != nil {
		return fmt.Errorf("%w\nname a run's --data directory, or a --config with brokers", err)
	}
	reader, err := kafka.NewReader(cfg.Kafka, log)
	if err != nil {
		return err
	}
	defer reader.Close()
	return read(ctx, reader)
}
