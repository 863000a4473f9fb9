package replay_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/eval/audit"
	"livehost/eval/replay"
	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/streams/event"
)

// withHook is an edit that adds a hook to the release or changes one.
func withHook(name, body string) func(fstest.MapFS) {
	return func(fsys fstest.MapFS) {
		fsys["hooks/"+name+".yaml"] = &fstest.MapFile{Data: []byte("name: " + name + "\nversion: \"7\"\n" + body)}
		manifest := fsys["releases/main.yaml"]
		if text := string(manifest.Data); !strings.Contains(text, name) {
			manifest.Data = []byte(strings.Replace(text, "hooks: [", "hooks: ["+name+", ", 1))
		}
	}
}

// try judges the runs of a log by the release that an edit makes.
func try(t *testing.T, l *audit.Log, edit func(fstest.MapFS)) *replay.DryRun {
	t.Helper()
	base, rel := release(t, nil), release(t, edit)
	d, err := replay.Try(t.Context(), replay.All(l), func(event.Variant, event.MerchantID) (replay.Candidate, error) {
		return replay.Candidate{Release: rel, Base: base.Hash}, nil
	}, silent)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTry(t *testing.T) {
	t.Parallel()
	lookup := modeltest.Call("load_skill", `{"name":"price"}`, "get_product", `{"link_id":"1"}`)
	for _, tt := range []struct {
		name     string
		recorded func(fstest.MapFS) // the harness then
		now      func(fstest.MapFS)
		steps    []modeltest.Step
		want     []string // kind, point, then, now, span
		texts    int
	}{
		{"the same hooks", nil, nil, []modeltest.Step{lookup, modeltest.Say("今天89元哦")}, nil, 1},
		{"the same hooks, after a refusal", nil, nil, []modeltest.Step{modeltest.Say("今天89元哦")}, nil, 2},
		{"a reply is stopped", nil, withHook("quiet", "point: before_reply\nwhen: 'reply.text.contains(\"89\")'\naction: suppress\n"),
			[]modeltest.Step{lookup, modeltest.Say("今天89元哦")},
			[]string{"stopped before_reply then allow, now suppress by quiet ()"}, 1},
		{"a check names the span", nil, withHook("no-human", "point: before_reply\ncheck: identity\naction: block\n"),
			[]modeltest.Step{lookup, modeltest.Say("我是真人，89元")},
			[]string{"stopped before_reply then allow, now block by no-human (我是真人)"}, 1},
		{"a stop vanishes", nil, withHook("grounding", "point: before_reply\nwhen: 'false'\naction: block\n"),
			[]modeltest.Step{lookup, modeltest.Say("今天88元哦")},
			[]string{"vanished before_reply then block by grounding, now allow ()"}, 2},
		{"a rewrite is new", nil, withHook("plain", "point: before_reply\ncheck: reply_format\naction: rewrite\n"),
			[]modeltest.Step{lookup, modeltest.Say("今天**89元**哦")},
			[]string{"rewritten before_reply then allow, now rewrite by plain (**) 今天89元哦"}, 1},
		{"a rewrite vanishes", withHook("plain", "point: before_reply\ncheck: reply_format\naction: rewrite\n"), nil,
			[]modeltest.Step{lookup, modeltest.Say("今天**89元**哦")},
			[]string{"rewritten before_reply then rewrite by plain, now allow () 今天**89元**哦"}, 1},
		{"another rule stops it", nil, withHook("quiet", "point: before_reply\nwhen: 'reply.text.contains(\"88\")'\naction: suppress\n"),
			[]modeltest.Step{lookup, modeltest.Say("今天88元哦")},
			[]string{"otherwise before_reply then block by grounding, now suppress by quiet ()"}, 2},
		{"a call is refused", nil, withHook("no-lookup", "point: before_tool\nwhen: 'tool.name == \"get_product\"'\naction: block\n"),
			[]modeltest.Step{lookup, modeltest.Say("今天89元哦")},
			[]string{"stopped before_tool then allow, now block by no-lookup ()"}, 1},
		{"a refused call is made", withHook("no-lookup", "point: before_tool\nwhen: 'tool.name == \"get_product\"'\naction: block\n"), nil,
			[]modeltest.Step{lookup, modeltest.Say("看链接页哦")},
			[]string{"vanished before_tool then block by no-lookup, now allow ()"}, 1},
		{"a run does not begin", nil, withHook("shut", "point: run_start\nwhen: 'run.intent == \"price\"'\naction: suppress\n"),
			[]modeltest.Step{lookup, modeltest.Say("今天89元哦")},
			[]string{"stopped run_start then allow, now suppress by shut ()"}, 1},
	} {
		s := &shop{}
		l := recordWith(t, release(t, tt.recorded), s, tt.steps...)
		calls := s.calls
		d := try(t, l, tt.now)
		var got []string
		for _, c := range d.Changes {
			got = append(got, strings.TrimSpace(c.Kind+" "+c.Point+" then "+c.Then+", now "+c.Now+" ("+c.Span+") "+c.After))
			if c.RunID != "w1#1" || c.Text == "" {
				t.Errorf("%s: %+v", tt.name, c)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if d.Runs != 1 || d.Texts != tt.texts || (tt.recorded == nil) != (d.OtherHarness == 0) {
			t.Errorf("%s: %d runs, %d texts, %d of another harness", tt.name, d.Runs, d.Texts, d.OtherHarness)
		}
		if s.calls != calls {
			t.Errorf("%s: the shop was called", tt.name)
		}
		var b bytes.Buffer
		if err := d.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Changes {
			if !strings.Contains(b.String(), c.Text) {
				t.Errorf("%s: %q is not in\n%s", tt.name, c.Text, b.String())
			}
		}
	}
}

// TestTryFolder is what a file, and what a folder of hooks, replaces.
func TestTryFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hooks [new]") // no pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "quiet.yaml")
	if err := os.WriteFile(file, []byte("name: quiet\nversion: \"1\"\npoint: before_reply\nwhen: 'true'\naction: block\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := harness.Load(harnesstest.FS(t))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "length grounding quiet", dir: "quiet"} {
		hooks, folder, err := harness.LoadHooks(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		content, err := h.UseHooks(hooks, folder).Release(harnesstest.Release)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, k := range content.Hooks {
			names = append(names, k.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		engine, err := hook.New(content.Hooks, guardrail.Checks())
		if err != nil {
			t.Fatal(err)
		}
		prompts, err := prompt.New(prompt.DefaultConfig(), content)
		if err != nil {
			t.Fatal(err)
		}
		l := record(t, &shop{}, script...)
		d, err := replay.Try(t.Context(), replay.All(l), func(event.Variant, event.MerchantID) (replay.Candidate, error) {
			return replay.Candidate{Release: &runner.Release{Release: content, Engine: engine, Prompts: prompts}}, nil
		}, silent)
		if err != nil || d.Counts[replay.Stopped] != 1 {
			t.Errorf("%s: %+v, %v", path, d, err)
		}
	}
}
