package app

import (
	"io"
	"strings"
	"testing"

	"go.uber.org/fx"

	"livehost/aggregator"
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
		cfg.MCP = withCommerce(nil, "http://127.0.0.1:1/mcp")
		log := newLogger(cfg.Log, io.Discard)
		// Constructors run, nothing starts.
		if err := system(cfg, want, clock.Real(), log, dispatcher.Outlets{}).Err(); err != nil {
			t.Errorf("%s: %v", strings.Join(want, ","), err)
		}
	}
}

// room_defaults hold in every process, whoever has read the configuration.
func TestRoomDefaultsHold(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	cfg.Kafka.Brokers, cfg.Redis.Addrs = []string{"127.0.0.1:1"}, []string{"127.0.0.1:1"}
	cfg.RoomDefaults.Language = "en"
	var a aggregator.Config
	var d dispatcher.Config
	if err := system(cfg, []string{"dispatcher", "aggregator"}, clock.Real(), newLogger(cfg.Log, io.Discard), dispatcher.Outlets{}, fx.Populate(&a, &d)).Err(); err != nil {
		t.Fatal(err)
	}
	if a.Settings.Language != "en" || d.Defaults.Language != "en" {
		t.Errorf("the aggregator takes %q, the dispatcher %q, want en", a.Settings.Language, d.Defaults.Language)
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
