package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"livehost/internal/config"
)

type sample struct {
	Kafka struct {
		Brokers []string      `yaml:"brokers"`
		Wait    time.Duration `yaml:"wait"`
	} `yaml:"kafka"`
	Key config.Secret `yaml:"key"`
}

func load(t *testing.T, yaml string, environ ...string) (sample, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	s := sample{}
	s.Kafka.Brokers, s.Kafka.Wait = []string{"default:1"}, time.Second
	return s, config.Load(&s, path, environ)
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("kafka: {wait: 3s}\nkey: file"), 0o600); err != nil {
		t.Fatal(err)
	}
	var s sample
	s.Kafka.Brokers, s.Kafka.Wait = []string{"default:1"}, time.Second
	if err := config.Load(&s, path, []string{"LIVEHOST_KEY=env", "LIVEHOST_KAFKA__BROKERS=a:1,b:2", "OTHER=x"}); err != nil {
		t.Fatal(err)
	}
	if s.Kafka.Wait != 3*time.Second || string(s.Key) != "env" || len(s.Kafka.Brokers) != 2 {
		t.Errorf("got %+v", s)
	}
	if got := fmt.Sprintf("%v %+v", s.Key, s); strings.Contains(got, "env") {
		t.Errorf("the secret shows: %s", got)
	}
}

func TestUnknownKeysAreNamed(t *testing.T) {
	t.Parallel()
	_, err := load(t, "kafka: {broker: x}\nkay: y")
	if err == nil || !strings.Contains(err.Error(), "broker") || !strings.Contains(err.Error(), "kay") {
		t.Errorf("error %v, want both keys in it", err)
	}
	if _, err := load(t, "kafka: {wait: soon}"); err == nil || !strings.Contains(err.Error(), "kafka.wait") {
		t.Errorf("error %v, want one that names kafka.wait", err)
	}
}

func TestAtNamesEachProblem(t *testing.T) {
	t.Parallel()
	err := config.At("kafka", errors.Join(errors.New("brokers: empty"), errors.New("wait: negative")))
	if got := err.Error(); got != "kafka: brokers: empty\nkafka: wait: negative" {
		t.Errorf("got %q", got)
	}
}
