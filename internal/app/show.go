package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"livehost/eval/audit"
	"livehost/internal/cli"
	"livehost/internal/config"
	"livehost/internal/embedded/kafkaserver"
	"livehost/streams/kafka"
)

// runDanmakuShow is `livehost danmaku show ID`: it reads the log of a broker, or
// that of an embedded run that has ended.
func runDanmakuShow(ctx context.Context, o cli.ShowOptions, std cli.IO) error {
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
			return err
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
	l, err := audit.Read(ctx, reader)
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
