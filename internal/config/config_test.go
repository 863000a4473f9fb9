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

func TestASecondDocumentIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"key: a\n---\nkey: b\n", "a second YAML document"},
		{"---\nkey: a\n...\n", ""},
		{"key: a\n---\n", ""}, // begun, and nothing in it
	} {
		if _, err := load(t, tt.text); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A file that cannot be read has a line and a reason for it.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"# nothing\n", ""},
		{"~\n", ""},
		{"\ufeffkey: a\r\n", ""},
		{"a\n", "c.yaml:1: a configuration is keys with values"},
		{"# list\n- a\n", "c.yaml:2: a configuration is keys with values"},
		{"key: a\nkey: b\nkafka: {wait: 1s, wait: 2s}\n", "c.yaml:2: mapping key \"key\" already defined at line 1"},
		{"key: a\nkafka:\n\twait: 1s\n", "c.yaml:3: found character that cannot start any token"},
		{"key: a\nkafka: {brokers: [\xb6\xe0]}\n", "c.yaml:2: is not UTF-8 text; save the file as UTF-8"},
	} {
		if _, err := load(t, tt.text); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestAtNamesEachProblem(t *testing.T) {
	t.Parallel()
	err := config.At("kafka", errors.Join(errors.New("brokers: empty"), errors.New("wait: negative")))
	if got := err.Error(); got != "kafka: brokers: empty\nkafka: wait: negative" {
		t.Errorf("got %q", got)
	}
}

// What is written as one type is not taken for another: 5 would be 5 ns.
func TestTypesAreNotGuessed(t *testing.T) {
	t.Parallel()
	type typed struct {
		Wait  time.Duration `yaml:"wait"`
		Slots int           `yaml:"slots"`
		Share float64       `yaml:"share"`
		Abort bool          `yaml:"abort"`
	}
	for _, tt := range []struct{ yaml, want string }{
		{"wait: 5", "no unit"},
		{"wait: 2.5", "no unit"},
		{"wait: 0", ""},
		{"wait: 5s", ""},
		{"slots: 1.7", "not a whole number"},
		{"slots: 2.0", ""},
		{"slots: true", "not a number"},
		{"share: 1", ""},
		{"share: false", "not a number"},
		{"abort: 5", "not true or false"},
		{"slots: two", `"two" is not a whole number`},
		{`slots: "2"`, ""},
		{"share: half", `"half" is not a number`},
		{"abort: maybe", `"maybe" is not true or false`},
		{"abort: true", ""},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(tt.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		err := config.Load(&typed{}, path, nil)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.yaml, err, tt.want)
		}
	}
	var s typed
	if err := config.Load(&s, "", []string{"LIVEHOST_WAIT=5s", "LIVEHOST_SLOTS=2", "LIVEHOST_SHARE=0.5", "LIVEHOST_ABORT=true"}); err != nil || s.Slots != 2 || !s.Abort {
		t.Errorf("from the environment: %+v, %v", s, err)
	}
}

func TestUnknownKeysSayWhereTheyMayBe(t *testing.T) {
	t.Parallel()
	_, err := load(t, "kay: 1", "LIVEHOST_KAFKA__BROKER=x")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"config: kafka.broker: there is no such key", "LIVEHOST_KAFKA__BROKER in the environment", "config: kay: there is no such key", "c.yaml"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
}

// One line is one problem, each with where it is; what stands in a list of the file
// cannot come from the environment.
func TestEveryProblemIsALine(t *testing.T) {
	t.Parallel()
	type typed struct {
		Call struct {
			Wait time.Duration `yaml:"wait"`
			N    int           `yaml:"n"`
		} `yaml:"call"`
		List []struct {
			Name string `yaml:"name"`
		} `yaml:"list"`
	}
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("call: {wait: 5, n: 1.5}\nlist: [{nane: x}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := config.Load(&typed{}, path, nil)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, line := range lines {
		if !strings.HasPrefix(line, "config: ") {
			t.Errorf("%q does not begin with config", line)
		}
	}
	if len(lines) != 3 || !strings.HasSuffix(lines[2], "list[0].nane: there is no such key; correct or remove it ("+path+")") {
		t.Errorf("problems:\n%v", err)
	}
}
