package livehost_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"gopkg.in/yaml.v3"

	"livehost/internal/clock"
	"livehost/internal/ops"
	"livehost/internal/telemetry"
	"livehost/streams/event"
)

// TestAlertsAndDashboardsNameRealMetrics: an expression over a metric that nobody
// exposes is silent for ever. What is exposed is asked of a process's own server.
func TestAlertsAndDashboardsNameRealMetrics(t *testing.T) {
	t.Parallel()
	known := exposedMetrics(t)
	for _, e := range append(alertExpressions(t), dashboardExpressions(t)...) {
		names := metricsOf(e.expr)
		if len(names) == 0 {
			t.Errorf("%s: %q names no metric", e.where, e.expr)
		}
		for _, name := range names {
			if name != "up" && !strings.HasPrefix(name, "sglang:") && !known[name] { // Prometheus's own, and the model server's
				t.Errorf("%s: nobody exposes %s of %q", e.where, name, e.expr)
			}
		}
	}
}

// exposedMetrics are the names of the samples that /metrics gives.
func exposedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	s, err := ops.New(ops.Config{Addr: "127.0.0.1:0"}, recorded(t), ops.Consumers(func() []ops.Progress {
		return []ops.Progress{{Group: "g", Topic: "t", Oldest: time.Now()}}
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for line := range strings.Lines(string(b)) {
		if name := regexp.MustCompile(`^[a-zA-Z_:][\w:]*`).FindString(line); name != "" {
			known[name] = true
		}
	}
	return known
}

// recorded is what a process exposes once a window was answered and heard.
func recorded(t *testing.T) prometheus.Collector {
	t.Helper()
	tel, err := telemetry.New(t.Context(), telemetry.DefaultConfig(), telemetry.Deps{Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Scraped: true})
	if err != nil {
		t.Fatal(err)
	}
	in := tel.Instruments()
	ctx, agent := in.Agent(t.Context(), &event.Window{WindowID: "w"}, "w#1", event.Versions{})
	_, chat := in.Chat(ctx, telemetry.ChatRequest{})
	chat.ChatDone(ctx, telemetry.ChatResult{Replica: "r", Took: time.Second, FirstToken: time.Second, InputTokens: 1, OutputTokens: 1})
	_, tool := in.Tool(ctx, "t", "c", "mcp", true, 1)
	tool.ToolDone(ctx, "", false)
	agent.AgentDone(ctx, telemetry.AgentResult{})
	err = in.Publisher(nowhere{}).Publish(ctx, event.Outcome{State: event.Answered, PlatformMs: 1, Admitted: true, ReplyMs: 2}, event.GuardrailHit{}, event.Delivery{State: event.DeliverySent})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Rooms(func() (active, quiet, parked int64) { return 1, 0, 0 }); err != nil {
		t.Fatal(err)
	}
	return tel.Collector()
}

type nowhere struct{}

func (nowhere) Publish(context.Context, ...event.Event) error { return nil }

// expression is PromQL and where it stands.
type expression struct{ where, expr string }

func alertExpressions(t *testing.T) (out []expression) {
	t.Helper()
	b, err := os.ReadFile("deploy/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Annotations["summary"] == "" {
				t.Errorf("alert %s does not say what is wrong", r.Alert)
			}
			out = append(out, expression{"alert " + r.Alert, r.Expr})
		}
	}
	if len(out) == 0 {
		t.Error("there are no alerts")
	}
	return out
}

func dashboardExpressions(t *testing.T) (out []expression) {
	t.Helper()
	files, err := filepath.Glob("deploy/grafana/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var board any
		if err := json.Unmarshal(b, &board); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		before := len(out)
		walk(board, func(key, value string) {
			if key == "expr" {
				out = append(out, expression{path, value})
			}
		})
		if len(out) == before && strings.Contains(string(b), `"prometheus"`) {
			t.Errorf("%s shows nothing", path)
		}
	}
	return out
}

// walk calls fn for every text below a key.
func walk(v any, fn func(key, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok {
				fn(k, s)
			}
			walk(x, fn)
		}
	case []any:
		for _, x := range v {
			walk(x, fn)
		}
	}
}

var (
	// notMetrics are the parts of PromQL that hold numbers, names of labels, durations and text.
	notMetrics = regexp.MustCompile(`\b\d[\w.]*|\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	word       = regexp.MustCompile(`[a-zA-Z_:][\w:]*\s*\(?`)
	operators  = map[string]bool{"and": true, "or": true, "unless": true, "bool": true, "offset": true, "inf": true, "nan": true}
)

// metricsOf are the metrics that an expression reads.
func metricsOf(expr string) (out []string) {
	for _, w := range word.FindAllString(notMetrics.ReplaceAllString(expr, " "), -1) {
		if name := strings.TrimSpace(w); !strings.HasSuffix(name, "(") && !operators[strings.ToLower(name)] {
			out = append(out, name)
		}
	}
	return out
}

func TestMetricsOf(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`sum by (group, topic) (rate(a_total{job="x", le=~"b.*"}[5m])) / on(group) c:d > 1.5e3`: "a_total c:d",
		`histogram_quantile(0.95, sum by (le) (rate(e_bucket[1m]))) and f unless g`:             "e_bucket f g",
	} {
		if got := strings.Join(metricsOf(expr), " "); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}
