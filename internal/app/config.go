package app

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"livehost/abtest"
	"livehost/agentworker"
	"livehost/agentworker/model/openaimodel"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/aggregator"
	"livehost/analytics"
	"livehost/analytics/clickhouse"
	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/internal/cli"
	"livehost/internal/config"
	"livehost/internal/ops"
	"livehost/internal/redisclient"
	"livehost/internal/telemetry"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/web"
)

// Config is everything there is to configure.
type Config struct {
	Log          LogConfig          `yaml:"log"`
	Kafka        kafka.Config       `yaml:"kafka"`
	Redis        redisclient.Config `yaml:"redis"`
	Policy       PolicyConfig       `yaml:"policy"`
	MCP          []MCPServer        `yaml:"mcp"`
	Harness      HarnessConfig      `yaml:"harness"`
	ABTest       abtest.Config      `yaml:"abtest"`
	RoomDefaults event.RoomSettings `yaml:"room_defaults"`
	Aggregator   aggregator.Config  `yaml:"aggregator"`
	Agentworker  agentworker.Config `yaml:"agentworker"`
	Runner       runner.Config      `yaml:"runner"`
	Tools        tool.Config        `yaml:"tools"`
	Dispatcher   dispatcher.Config  `yaml:"dispatcher"`
	Analytics    analytics.Config   `yaml:"analytics"`
	ClickHouse   clickhouse.Config  `yaml:"clickhouse"`
	Outlet       outlet.Config      `yaml:"outlet"`
	Web          web.Config         `yaml:"web"`
	Simulated    SimulatedConfig    `yaml:"simulated"`
	Ops          ops.Config         `yaml:"ops"`
	Telemetry    telemetry.Config   `yaml:"telemetry"`
}

// LogConfig is how the process logs to standard error.
type LogConfig struct {
	Level  string `yaml:"level"`  // debug, info, warn or error
	Format string `yaml:"format"` // text or json
}

// PolicyConfig is the policy: OpenAI-compatible replicas of one model.
type PolicyConfig struct {
	Model    string          `yaml:"model"`   // the name the replicas know it by
	APIKey   config.Secret   `yaml:"api_key"` // empty when they want none
	Abort    bool            `yaml:"abort"`   // they take rid and /abort_request, as SGLang does; others may refuse rid
	Replicas []PolicyReplica `yaml:"replicas"`

	SharedSlots bool `yaml:"shared_slots"` // other workers send to the replicas too: slots are leased in Redis, and all keep to them together

	FirstToken time.Duration `yaml:"first_token"` // room; a stream without a token by then is given up; 0: no limit
	Idle       time.Duration `yaml:"idle"`        // room; between tokens; 0: no limit
}

// slots is how many requests all replicas take at once.
func (c PolicyConfig) slots() int {
	n := 0
	for _, r := range c.Replicas {
		n += r.Slots
	}
	return n
}

// PolicyReplica is one server of the policy.
type PolicyReplica struct {
	Name    string `yaml:"name"`
	BaseURL string `yaml:"base_url"` // up to and including /v1
	Slots   int    `yaml:"slots"`    // requests it takes at once: 1 or 2 on one H20
}

// MCPServer is one tool server, reached over streamable HTTP or run as a program.
type MCPServer struct {
	Name    string   `yaml:"name"`    // as in the tools' bindings
	URL     string   `yaml:"url"`     // of the endpoint; empty for a program
	Command string   `yaml:"command"` // the program, spoken to over its standard input and output
	Args    []string `yaml:"args"`
}

// HarnessConfig is where the content comes from.
type HarnessConfig struct {
	Dir     string `yaml:"dir"`     // folder; empty: what ships with the binary
	Catalog string `yaml:"catalog"` // catalogue file that replaces the releases' own; empty: none
}

// targets are the stages that can be run, downstream first.
var targets = []string{"dispatcher", "agentworker", "aggregator"}

// DefaultConfig is the defaults of every branch.
func DefaultConfig() Config {
	return Config{
		Log:          LogConfig{Level: "info", Format: "text"},
		Kafka:        kafka.DefaultConfig(),
		Redis:        redisclient.DefaultConfig(),
		Policy:       defaultPolicy(),
		ABTest:       abtest.DefaultConfig(),
		RoomDefaults: event.RoomSettings{Language: "zh"},
		Aggregator:   aggregator.DefaultConfig(),
		Agentworker:  agentworker.DefaultConfig(),
		Runner:       runner.DefaultConfig(),
		Tools:        tool.DefaultConfig(),
		Dispatcher:   dispatcher.DefaultConfig(),
		Analytics:    analytics.DefaultConfig(),
		ClickHouse:   clickhouse.DefaultConfig(),
		Outlet:       outlet.DefaultConfig(),
		Web:          web.DefaultConfig(),
		Simulated:    defaultSimulated(),
		Telemetry:    telemetry.DefaultConfig(),
	}
}

func defaultPolicy() PolicyConfig {
	first, idle := openaimodel.DefaultLimits()
	return PolicyConfig{Abort: true, SharedSlots: true, FirstToken: first, Idle: idle}
}

// loadConfig reads defaults, file and environment, and resolves the targets.
func loadConfig(o cli.ServeOptions) (Config, []string, error) {
	cfg := DefaultConfig()
	if err := config.Load(&cfg, o.Config, os.Environ()); err != nil {
		return cfg, nil, err
	}
	want, err := resolveTargets(o.Targets)
	return cfg, want, err
}

func resolveTargets(names []string) ([]string, error) {
	all := slices.Contains(names, "all") || len(names) == 0
	known := slices.Concat(simulators, []string{webTarget, analyticsTarget}, targets)
	var problems []error
	for _, n := range names {
		if n != "all" && !slices.Contains(known, n) {
			problems = append(problems, fmt.Errorf("--target: %q is none of %s, all", n, strings.Join(known, ", ")))
		}
	}
	var want []string
	for _, t := range known {
		if slices.Contains(names, t) || all && slices.Contains(targets, t) {
			want = append(want, t)
		}
	}
	return want, errors.Join(problems...)
}

func validateRoom(s event.RoomSettings) error {
	var problems []error
	if s.Language != "zh" && s.Language != "en" {
		problems = append(problems, fmt.Errorf("language: %q, want zh or en", s.Language))
	}
	for _, limit := range []struct {
		key string
		n   int64
	}{
		{"disclosure_every_s", s.DisclosureEveryS}, {"private_repeat_s", s.PrivateRepeatS},
		{"private_per_minute", s.PrivatePerMinute}, {"private_per_viewer_minute", s.PrivatePerViewerMinute},
	} {
		if limit.n < 0 {
			problems = append(problems, fmt.Errorf("%s: %d is negative; 0 is no limit", limit.key, limit.n))
		}
	}
	return errors.Join(problems...)
}

// Validate reports every problem of what the targets use, each with its path.
func (c Config) Validate(want []string) error {
	problems := []error{
		config.At("log", c.Log.Validate()),
		config.At("ops", c.Ops.Validate()),
		config.At("telemetry", c.Telemetry.Validate()),
		c.validateServers(want),
		config.At("room_defaults", validateRoom(c.RoomDefaults)),
	}
	branches := map[string]func() error{
		"policy":   func() error { return config.At("simulated.policy", c.Simulated.Policy.Validate()) },
		"commerce": c.Simulated.validateCommerce,
		analyticsTarget: func() error {
			return errors.Join(config.At("analytics", c.Analytics.Validate()), config.At("clickhouse", c.ClickHouse.Validate()))
		},
		webTarget: func() error { return config.At("web", c.Web.Validate()) },
		"aggregator": func() error {
			return errors.Join(config.At("aggregator", c.Aggregator.Validate()), config.At("abtest", c.ABTest.Validate()))
		},
		"agentworker": func() error {
			return errors.Join(config.At("agentworker", c.Agentworker.Validate()), config.At("runner", c.Runner.Validate()), config.At("tools", c.Tools.Validate()), config.At("policy", c.Policy.Validate()), validateMCP(c.MCP))
		},
		"dispatcher": func() error {
			return errors.Join(config.At("dispatcher", c.Dispatcher.Validate()), config.At("outlet", c.Outlet.Validate()))
		},
	}
	for _, t := range want {
		problems = append(problems, branches[t]())
	}
	return errors.Join(problems...)
}

// Validate reports every problem.
func (c LogConfig) Validate() error {
	var problems []error
	if _, err := logLevel(c.Level); err != nil {
		problems = append(problems, err)
	}
	if c.Format != "text" && c.Format != "json" {
		problems = append(problems, fmt.Errorf("format: %q is not text or json", c.Format))
	}
	return errors.Join(problems...)
}

// slotsKey is what workers share a replica's slots by, however its address is written.
func (r PolicyReplica) slotsKey() string { return strings.TrimRight(strings.ToLower(r.BaseURL), "/") }

// Validate reports every problem.
func (c PolicyConfig) Validate() error {
	var problems []error
	if c.Model == "" {
		problems = append(problems, errors.New("model: empty; name the model the replicas serve"))
	}
	if len(c.Replicas) == 0 {
		problems = append(problems, errors.New("replicas: empty; name at least one OpenAI-compatible server, or use --embedded"))
	}
	if c.FirstToken < 0 || c.Idle < 0 {
		problems = append(problems, fmt.Errorf("first_token %v, idle %v: one is negative", c.FirstToken, c.Idle))
	}
	names, keys := map[string]bool{}, map[string]string{}
	for i, r := range c.Replicas {
		at := fmt.Sprintf("replicas[%d]", i)
		if r.Name == "" || names[r.Name] {
			problems = append(problems, fmt.Errorf("%s.name: %q must be there and unique", at, r.Name))
		}
		names[r.Name] = true
		problems = append(problems, config.At(at+".base_url", validURL(r.BaseURL)))
		if of, twice := keys[r.slotsKey()]; twice {
			problems = append(problems, fmt.Errorf("%s.base_url: is that of %s, too; give one replica all its slots", at, of))
		}
		keys[r.slotsKey()] = at
		if r.Slots < 1 {
			problems = append(problems, fmt.Errorf("%s.slots: %d; a replica takes at least one request", at, r.Slots))
		}
	}
	return errors.Join(problems...)
}

func validateMCP(servers []MCPServer) error {
	var problems []error
	names := map[string]bool{}
	for i, s := range servers {
		at := fmt.Sprintf("mcp[%d]", i)
		if s.Name == "" || names[s.Name] {
			problems = append(problems, fmt.Errorf("%s.name: %q must be there and unique", at, s.Name))
		}
		names[s.Name] = true
		if s.Command == "" || s.URL != "" {
			problems = append(problems, config.At(at+".url", validURL(s.URL)))
		}
		if s.Command != "" && s.URL != "" {
			problems = append(problems, fmt.Errorf("%s: a url and a command; name one of them", at))
		}
	}
	return errors.Join(problems...)
}

func validURL(s string) error {
	u, err := url.Parse(s)
	if err != nil {
		return err
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("%q is not an http(s) URL", s)
	}
	return nil
}
