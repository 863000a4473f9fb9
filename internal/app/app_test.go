package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"livehost/internal/app"
	"livehost/internal/embedded/engine/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	os.Exit(m.Run())
}

// run is one command line: its exit code and what it wrote.
func run(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = app.Main(args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// patience has limits that a machine busy with other tests keeps. A room closes 25 s after
// its last item, so that rooms in which something must be said are slow, and one at a time.
const patience = `
redis: {timeout: 30s}
aggregator: {answer_by: 1m, speak_by: 1m, max_in_flight: 2m}
agentworker: {run_limit: 1m, lease: 2m, claim_timeout: 30s}
policy: {first_token: 1m, idle: 1m%s}
runner: {first_call: 1m, later_call: 1m, tool_call: 1m%s}
`

// patient are the flags of a demo with these limits, and more of the configuration's
// policy and runner.
func patient(t *testing.T, policy, runner string) []string {
	t.Helper()
	return []string{"--config", write(t, "patient.yaml", fmt.Sprintf(patience, policy, runner))}
}

const tinyRoom = `Two viewers ask.
-- settings --
speed 0.5
-- script --
room r-tiny lang zh private yes handover yes
at 0s focus 1
at 0.1s viewer u1 "小雨" id d-1: 这个多少钱
at 0.2s viewer u2 "阿哲" id d-2: 2号链接多少钱
expect reply d-1
expect reply d-2
`

type summary struct {
	Accepted         int            `json:"accepted"`
	Outcomes         map[string]int `json:"outcomes"`
	Unaccounted      int            `json:"unaccounted"`
	Conflicts        int            `json:"conflicts"`
	UngroundedPrices int            `json:"ungrounded_prices"`
	Policy           string         `json:"policy"`
	Expectations     struct {
		Total  int      `json:"total"`
		Failed []string `json:"failed"`
	} `json:"expectations"`
}

func demo(t *testing.T, args ...string) (summary, string) {
	t.Helper()
	if !slices.Contains(args, "--config") {
		args = append(args, patient(t, "", "")...)
	}
	code, out, errs := run(append([]string{"demo", "--json", "--profile", "instant"}, args...)...)
	if code != 0 {
		t.Fatalf("exit %d: %s%s", code, errs, out)
	}
	var s summary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, out)
	}
	return s, errs
}

func TestDemoAnswersAndGoesOnWithItsData(t *testing.T) {
	room, data := write(t, "tiny.room.txtar", tinyRoom), t.TempDir()
	s, _ := demo(t, "--room", room, "--data", data)
	if s.Accepted != 2 || s.Outcomes["answered"] != 2 || s.Unaccounted+s.Conflicts+s.UngroundedPrices != 0 || len(s.Expectations.Failed) != 0 {
		t.Errorf("summary %+v", s)
	}
	again, _ := demo(t, "--room", room, "--data", data)
	if again.Accepted != 2 || again.Outcomes["answered"] != 2 || again.Unaccounted+again.Conflicts != 0 {
		t.Errorf("the second run on the same data: %+v", again)
	}
	code, out, errs := run("danmaku", "show", "d-1", "--data", data)
	if code != 0 || !strings.Contains(out, "这个多少钱") {
		t.Errorf("danmaku show: exit %d\n%s%s", code, out, errs)
	}
	code, out, _ = run("danmaku", "list", "--data", data)
	if code != 0 || strings.Count(out, "\n") != 2 || !strings.Contains(out, "answered") {
		t.Errorf("danmaku list: exit %d\n%s", code, out)
	}
	dryRun(t, data)
	other := write(t, "other.room.txtar", tinyRoom)
	if code, _, errs := run("demo", "--room", other, "--data", data); code == 0 || !strings.Contains(errs, "holds a run of") {
		t.Errorf("another room on the same data: exit %d: %s", code, errs)
	}
}

// A script that expects what is not fails the demo when it is strict.
func TestDemoIsStrictAboutExpectations(t *testing.T) {
	room := write(t, "wrong.room.txtar", "Nobody asks.\n-- settings --\nspeed 50\n-- script --\nroom r-wrong lang zh\nat 1s viewer u1 id d-1: 🌹🌹\nexpect outcome d-1 answered\n")
	for strict, want := range map[string]int{"--strict": 1, "--strict=false": 0} {
		if code, out, errs := run("demo", "--json", "--profile", "instant", "--no-console", "--room", room, strict); code != want {
			t.Errorf("a script that expects what is not, %s: exit %d: %s%s", strict, code, errs, out)
		}
	}
}

// dryRun tries hooks on what the tiny room's runs said.
func dryRun(t *testing.T, data string) {
	t.Helper()
	quiet := write(t, "quiet.yaml", "name: quiet\nversion: \"1\"\npoint: before_reply\nwhen: 'reply.text != \"\"'\naction: suppress\n")
	broken := write(t, "broken.yaml", "name: broken\nversion: \"1\"\npoint: before_reply\naction: block\nwhen: 'reply.text =='\n")
	for _, tt := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"--dir", "../../harness"}, 0, []string{"with the same hooks", "stopped now 0, stops that vanish 0, said in other words 0, stopped otherwise 0"}},
		{[]string{"--hooks", quiet, "--since", "7d"}, 0, []string{"quiet 1 (new)", "stopped r-tiny", "then allow, now suppress by quiet"}},
		{[]string{"--hooks", quiet, "--json"}, 0, []string{`"stopped":`, `"rule":"quiet"`, `"run_id":"r-tiny`}},
		{[]string{"--hooks", quiet, "--fail-on", "vanished"}, 0, nil},
		{[]string{"--hooks", quiet, "--fail-on", "vanished,stopped"}, 1, nil},
		{[]string{"--hooks", quiet, "--release", "nobody"}, 1, []string{`"nobody"`, "harness, react-baseline"}},
		{[]string{"--hooks", broken}, 1, []string{broken + ":5: hook broken: when: "}},
		{[]string{"--hooks", "/nowhere"}, 1, []string{"/nowhere", "folder of them"}},
		{[]string{}, 2, []string{"--hooks"}},
		{[]string{"--hooks", quiet, "--since", "soon"}, 2, []string{"soon", "7d"}},
		{[]string{"--hooks", quiet, "--fail-on", "x"}, 2, []string{`"x"`, "vanished"}},
	} {
		code, out, errs := run(append([]string{"harness", "dry-run", "--data", data}, tt.args...)...)
		if code != tt.code {
			t.Errorf("%v: exit %d, want %d: %s%s", tt.args, code, tt.code, out, errs)
		}
		for _, w := range tt.want {
			if !strings.Contains(out+errs, w) {
				t.Errorf("%v: %q is not in %s%s", tt.args, w, out, errs)
			}
		}
	}
}

// A policy named in the configuration answers instead of the scripted one, and has
// to call a tool in the first round when it is told to.
func TestDemoWithConfiguredPolicy(t *testing.T) {
	calls := []string{`"load_skill","arguments":"{\"name\":\"greeting-smalltalk\"}"`, `"stay_silent","arguments":"{\"reason\":\"small_talk\"}"`}
	bodies := make(chan string, 16)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		call := calls[min(len(bodies), len(calls)-1)]
		bodies <- string(b)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":%s}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n", call)
	}))
	defer srv.Close()
	config := patient(t, fmt.Sprintf(`, model: some-model, abort: false, replicas: [{name: a, base_url: "%s/v1", slots: 1}]`, srv.URL), ", must_call: true, temperature: 0")
	room := write(t, "quiet.room.txtar", "One viewer.\n-- settings --\nspeed 1\n-- script --\nroom r-quiet lang zh\nat 0.1s viewer u1 id d-1: 主播晚上好\n")
	s, errs := demo(t, append(config, "--room", room)...)
	if s.Policy != "some-model" || s.Outcomes["silent"] != 1 || len(bodies) != 2 {
		t.Fatalf("policy %q, asked %d times, outcomes %v; stderr: %s", s.Policy, len(bodies), s.Outcomes, errs)
	}
	for round := range 2 {
		body := <-bodies
		if !strings.Contains(body, `"model":"some-model"`) || !strings.Contains(body, `"temperature":0,`) {
			t.Errorf("round %d is not as configured", round+1)
		}
		if must := strings.Contains(body, `"tool_choice":"required"`); must != (round == 0) {
			t.Errorf("round %d: a call is required: %v", round+1, must)
		}
	}
}

func TestRecordingWithBadLinesIsPlayed(t *testing.T) {
	rec := write(t, "rec.jsonl", strings.Join([]string{
		`{"ts_ms":0,"user":"u1","text":"1号链接多少钱","kind":"comment"}`,
		`{"ts_ms":100,"user":"u2","text":`,
		`{"ts_ms":200,"user":9007199254740993,"text":"2号多少钱","kind":"comment","new":1}`,
		`{"ts_ms":300,"user":"u3","text":"","kind":"comment"}`,
		`{"ts_ms":400,"user":"u4","text":"` + strings.Repeat("好", 40_000) + `","kind":"comment"}`,
	}, "\n"))
	s, errs := demo(t, "--room", rec)
	if s.Accepted < 2 || s.Unaccounted != 0 {
		t.Errorf("summary %+v", s)
	}
	if !strings.Contains(errs, "rec.jsonl:2:") {
		t.Errorf("line 2 is not reported: %q", errs)
	}
}

func TestBadInputIsOneClearLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := write(t, "broken.room.txtar", "x\n-- script --\nroom r\nat noon viewer u1: hi\n")
	config := write(t, "c.yaml", "kafka: {broker: x}\naggregator: {max_members: 99}\n")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"unknown flag", []string{"demo", "--fast"}, 2, []string{"--fast"}},
		{"argument", []string{"demo", "x"}, 2, []string{`"x"`}},
		{"no such demo config", []string{"demo", "--config", "/nowhere.yaml"}, 1, []string{"/nowhere.yaml"}},
		{"bad demo config", []string{"demo", "--config", write(t, "bad.yaml", "runner: {temperature: -1}\n")}, 1, []string{"runner", "temperature"}},
		{"no such room", []string{"demo", "--room", "/nowhere.jsonl"}, 1, []string{"/nowhere.jsonl", "recording"}},
		{"broken script", []string{"demo", "--room", broken}, 1, []string{"broken.room.txtar", "noon"}},
		{"no such catalogue", []string{"demo", "--catalog", "/nowhere.json"}, 1, []string{"/nowhere.json"}},
		{"no such focus", []string{"demo", "--room", write(t, "r.jsonl", `{"ts_ms":0,"user":"u","text":"hi"}`), "--focus", "/nowhere"}, 1, []string{"/nowhere"}},
		{"data is a file", []string{"demo", "--data", filepath.Join(dir, "file")}, 1, []string{"--data"}},
		{"no log", []string{"danmaku", "show", "d", "--data", dir}, 1, []string{"no log there"}},
		{"unknown target", []string{"serve", "--target", "aggregater", "--embedded"}, 1, []string{"aggregater", "aggregator"}},
		{"check names unknown keys", []string{"check", "--config", config}, 1, []string{"broker"}},
		{"no config file", []string{"check", "--config", "/nowhere.yaml"}, 1, []string{"/nowhere.yaml", "--config"}},
		{"no harness", []string{"harness", "validate", "--dir", "/nowhere"}, 1, []string{"/nowhere"}},
	} {
		code, _, errs := run(tt.args...)
		if code != tt.code {
			t.Errorf("%s: exit %d, want %d: %s", tt.name, code, tt.code, errs)
		}
		for _, w := range tt.want {
			if !strings.Contains(errs, w) {
				t.Errorf("%s: %q is not in %q", tt.name, w, errs)
			}
		}
	}
}

func TestCheckListsEveryProblem(t *testing.T) {
	config := write(t, "c.yaml", "log: {level: loud}\nredis: {timeout: 0s}\naggregator: {max_members: 0}\n")
	code, _, errs := run("check", "--config", config)
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	for _, path := range []string{"log: ", "kafka: ", "redis: ", "aggregator: ", "policy: "} {
		if !strings.Contains(errs, path) {
			t.Errorf("no problem under %q in:\n%s", path, errs)
		}
	}
	if code, out, errs := run("check", "--embedded"); code != 0 || !strings.Contains(out, "good") {
		t.Errorf("check --embedded: exit %d: %s%s", code, out, errs)
	}
}

func TestHarnessCommands(t *testing.T) {
	code, out, errs := run("harness", "hash")
	if code != 0 || !strings.Contains(out, "react-baseline") || !strings.Contains(out, "harness") {
		t.Errorf("harness hash: exit %d: %s%s", code, out, errs)
	}
	if code, _, errs := run("harness", "validate", "--dir", "../../harness"); code != 0 { // what ships, against what is known
		t.Errorf("harness validate: exit %d: %s", code, errs)
	}
}
