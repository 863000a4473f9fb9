package app

import (
	"fmt"
	"io"
	"log/slog"
)

func logLevel(s string) (slog.Level, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s)); err != nil {
		return l, fmt.Errorf("level: %q is not debug, info, warn or error", s)
	}
	return l, nil
}

// newLogger logs to w; cfg has been validated.
func newLogger(cfg LogConfig, w io.Writer) *slog.Logger {
	level, err := logLevel(cfg.Level)
	if err != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
