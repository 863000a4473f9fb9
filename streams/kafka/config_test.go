package kafka_test

import (
	"log/slog"
	"strings"
	"testing"

	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
)

func TestConfigListsEveryProblem(t *testing.T) {
	t.Parallel()
	err := kafka.Config{}.Validate()
	if err == nil {
		t.Fatal("an empty config is valid")
	}
	for _, field := range []string{"brokers", "client_id", "session_timeout", "drain_budget", "commit_interval", "retry_min"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q is not in %v", field, err)
		}
	}
	cfg := kafka.DefaultConfig()
	cfg.Brokers = []string{"localhost:9092"}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}

func TestBindingsThatCannotWork(t *testing.T) {
	t.Parallel()
	cfg := kafka.DefaultConfig()
	cfg.Brokers = []string{"localhost:9092"}
	two := []string{event.TopicDanmaku, event.TopicOrder}
	for _, tt := range []struct {
		name    string
		binding streams.Binding
		want    string
	}{
		{"empty", streams.Binding{}, "group"},
		{"no handler", streams.Binding{Group: "g", Topics: two}, "handler"},
		{"no topics", streams.Binding{Group: "g", Handler: handlerFunc(nil)}, "topics"},
	} {
		_, err := kafka.NewConsumer(cfg, tt.binding, nil, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
}
