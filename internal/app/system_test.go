package app

import (
	"io"
	"strings"
	"testing"

	"livehost/dispatcher"
	"livehost/internal/clock"
)

// Every target and every subset that is deployed composes.
func TestTargetsCompose(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{{webTarget}, {"dispatcher"}, {"agentworker"}, {"aggregator"}, targets} {
		cfg := DefaultConfig()
		cfg.Kafka.Brokers, cfg.Redis.Addrs = []string{"127.0.0.1:1"}, []string{"127.0.0.1:1"}
		cfg.Policy = PolicyConfig{Model: "m", Replicas: []PolicyReplica{{Name: "p", BaseURL: "http://127.0.0.1:1/v1", Slots: 1}}}
		log := newLogger(cfg.Log, io.Discard)
		// Constructors run, nothing starts.
		if err := system(cfg, want, clock.Real(), log, dispatcher.Outlets{}).Err(); err != nil {
			t.Errorf("%s: %v", strings.Join(want, ","), err)
		}
	}
}

func TestResolveTargets(t *testing.T) {
	t.Parallel()
	got, err := resolveTargets([]string{"aggregator", "dispatcher"})
	if err != nil || strings.Join(got, ",") != "dispatcher,aggregator" {
		t.Errorf("got %v, %v; want downstream first", got, err)
	}
	if _, err := resolveTargets([]string{"x"}); err == nil {
		t.Error("an unknown target was taken")
	}
}
