package livehost_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"livehost/internal/app"
)

type composeService struct {
	Image       string    `yaml:"image"`
	Build       yaml.Node `yaml:"build"`
	User        string    `yaml:"user"`
	Command     yaml.Node `yaml:"command"`
	Healthcheck *struct {
		Test    yaml.Node `yaml:"test"`
		Disable bool      `yaml:"disable"`
	} `yaml:"healthcheck"`
	Ports   []string `yaml:"ports"`
	Volumes []string `yaml:"volumes"`
	Restart string   `yaml:"restart"`
}

// TestCompose holds docker-compose.yml to what it promises, where no engine is
// there to run it.
func TestCompose(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]composeService `yaml:"services"`
		Volumes  map[string]any            `yaml:"volumes"`
	}
	if err := yaml.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aggregator", "agentworker", "dispatcher", "analytics", "web", "policy", "commerce", "sglang", "kafka", "valkey", "clickhouse", "prometheus", "grafana"} {
		if _, ok := file.Services[name]; !ok {
			t.Errorf("there is no service %s", name)
		}
	}
	for name, s := range file.Services {
		_, tag, _ := strings.Cut(s.Image, ":")
		if tag == "" || tag == "latest" {
			t.Errorf("%s: image %q has no pinned version", name, s.Image)
		}
		if uid, _, _ := strings.Cut(s.User, ":"); uid == "" || uid == "0" || uid == "root" {
			t.Errorf("%s: user %q is root's", name, s.User)
		}
		if s.Healthcheck == nil || (s.Healthcheck.Disable && s.Restart != "no") {
			t.Errorf("%s: has no health check", name)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to other machines", name, p)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, named := file.Volumes[from]; !named && strings.HasPrefix(from, "./") {
				if _, err := os.Stat(from); err != nil {
					t.Errorf("%s: volume %s: %v", name, v, err)
				}
			}
		}
	}
}

// The configurations that are mounted are good for the targets that use them.
func TestComposeConfigurations(t *testing.T) {
	t.Setenv("LIVEHOST_CLICKHOUSE__DSN", "clickhouse://clickhouse:9000")
	t.Setenv("LIVEHOST_ANALYTICS__HASH_KEY", "0123456789abcdef")
	for config, targets := range map[string]string{
		"scripted.yaml": "policy,commerce,web,analytics,dispatcher,agentworker,aggregator",
		"sglang.yaml":   "analytics,dispatcher,agentworker,aggregator",
	} {
		var out bytes.Buffer
		args := []string{"check", "--target", targets, "--config", filepath.Join("deploy", "compose", config)}
		if code := app.Main(args, strings.NewReader(""), &out, &out); code != 0 {
			t.Errorf("%s: exit code %d\n%s", config, code, out.String())
		}
	}
}

// TestLlamacppExample puts the small model's content together as docs/llamacpp.md
// says, and checks it with the configuration beside it.
func TestLlamacppExample(t *testing.T) {
	dir := t.TempDir()
	small := filepath.Join(dir, "small")
	for from, to := range map[string]string{
		"harness/catalog": "catalog", "harness/faq": "faq", "harness/hooks": "hooks", "deploy/llamacpp/harness": ".",
	} {
		if err := os.CopyFS(filepath.Join(small, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	const fallbacks = "prompts/fallbacks.yaml"
	b, err := os.ReadFile(filepath.Join("harness", fallbacks))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(small, fallbacks), b, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIVEHOST_HARNESS__DIR", small)
	var out, errs bytes.Buffer
	if code := app.Main([]string{"check", "--config", "deploy/llamacpp/livehost.yaml", "--embedded"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Errorf("exit %d: %s", code, &errs)
	}
}
