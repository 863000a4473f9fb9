package harness_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"livehost/harness"
	"livehost/harness/harnesstest"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	load := func(fsys fstest.MapFS) *harness.Harness {
		h, err := harness.Load(fsys)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	fsys := harnesstest.FS(t)
	before := load(fsys)
	if d := harness.Diff(before, load(harnesstest.FS(t))); len(d) > 0 {
		t.Errorf("the same content differs: %v", d)
	}
	fsys["prompts/boundaries.md"].Data = []byte("Something else.")
	main := fsys["releases/main.yaml"]
	main.Data = []byte(strings.NewReplacer("version: v1", "version: v2", "[price, nudge]", "[price]").Replace(string(main.Data)))
	delete(fsys, "releases/plain.yaml")
	var got []string
	for _, c := range harness.Diff(before, load(fsys)) {
		if c.Merchant == "" {
			got = append(got, c.String())
		}
	}
	want := []string{
		"main: compact prompt boundaries changed", "main: policy v1 default -> v2 default", "main: prompt boundaries changed",
		"main: skill nudge removed", "plain: release removed",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestScaffoldsValidate(t *testing.T) {
	t.Parallel()
	fsys := harnesstest.FS(t)
	for _, kind := range harness.Kinds() {
		file, text, err := harness.Scaffold(kind, "fresh")
		if err != nil {
			t.Fatal(err)
		}
		fsys[file] = &fstest.MapFile{Data: []byte(text)}
	}
	if _, err := harness.Load(fsys); err != nil {
		t.Error(err)
	}
	for _, bad := range [][2]string{{"skill", "Upper"}, {"skill", "../x"}, {"prompt", "faq"}, {"nothing", "x"}, {"tool", "a/b"}} {
		if file, _, err := harness.Scaffold(bad[0], bad[1]); err == nil {
			t.Errorf("%v is begun in %s", bad, file)
		}
	}
}
