package harness_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"livehost/harness"
	"livehost/harness/harnesstest"
)

const (
	priceHead  = "---\nname: price\ndescription: d\nmetadata: {kind: reply, intents: price}\n---\n"
	pathReader = "name: load_skill\ndescription: d\nbinding: {kind: builtin, name: load_skill, params: {file: path}}\nparameters: {type: object, properties: {name: {type: string}, file: {type: string}}}\n"
)

// withResources is the test harness whose price skill has the files.
func withResources(t *testing.T, body string, files map[string]string) fstest.MapFS {
	fsys := harnesstest.FS(t)
	fsys["skills/price/SKILL.md"] = &fstest.MapFile{Data: []byte(priceHead + body)}
	fsys["tools/load_skill.yaml"] = &fstest.MapFile{Data: []byte(pathReader)}
	for name, text := range files {
		fsys["skills/price/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestResources(t *testing.T) {
	t.Parallel()
	fsys := withResources(t, "Read [the table](references/a.md) and `./assets/b.txt`, see [x](https://example.com/x) and [below](#steps).\n",
		map[string]string{"references/a.md": "\ufeffA\r\nmore, in [c](c.md)\r\n", "assets/b.txt": "B", "references/c.md": "C, back to [the skill](../SKILL.md)"})
	r := release(t, load(t, fsys), harnesstest.Release)
	s, _ := r.Skill("price")
	if d := cmp.Diff([]string{"assets/b.txt", "references/a.md", "references/c.md"}, s.Resources()); d != "" {
		t.Errorf("resources (-want +got):\n%s", d)
	}
	for path, want := range map[string]string{
		"references/a.md": "A\nmore, in [c](c.md)", "./references/../assets/b.txt": "B",
		"../nudge/SKILL.md": "", "/etc/passwd": "", "../../tools/answer.yaml": "", "SKILL.md": "", "references": "", "": "", ".": "",
	} {
		if got, ok := s.Resource(path); got != want || ok != (want != "") {
			t.Errorf("Resource(%q) = %q, %v, want %q", path, got, ok, want)
		}
	}
	changed := withResources(t, "`references/a.md`", map[string]string{"references/a.md": "A2"})
	before := withResources(t, "`references/a.md`", map[string]string{"references/a.md": "A1"})
	a, b := load(t, before), load(t, changed)
	if release(t, a, harnesstest.Release).Hash == release(t, b, harnesstest.Release).Hash {
		t.Error("a resource does not show in the hash")
	}
	if got := harness.Diff(a, b); len(got) == 0 || got[0].String() != "main: resource price/references/a.md changed" {
		t.Errorf("diff: %v", got)
	}
}

func TestResourceProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fsys fstest.MapFS
		want string
	}{
		"a link to nothing":    {withResources(t, "one\n\nsee [x](references/none.md)\n", nil), `skills/price/SKILL.md:8: refers to "references/none.md"`},
		"a path to nothing":    {withResources(t, "see `scripts/run.sh`\n", nil), `skills/price/SKILL.md:6: refers to "scripts/run.sh"`},
		"out of the folder":    {withResources(t, "see [x](../nudge/SKILL.md)\n", nil), `SKILL.md:6: refers to "../nudge/SKILL.md"`},
		"from a resource":      {withResources(t, "`references/a.md`", map[string]string{"references/a.md": "\n[b](b.md)"}), `skills/price/references/a.md`},
		"unknown to the skill": {withResources(t, "body", map[string]string{"references/a.md": "A"}), "skills/price/references/a.md: SKILL.md does not refer to it"},
		"no text":              {withResources(t, "`assets/a.png`", map[string]string{"assets/a.png": "\x89PNG\xff"}), "skills/price/assets/a.png: is not UTF-8 text"},
		"too long":             {withResources(t, "`assets/a.txt`", map[string]string{"assets/a.txt": strings.Repeat("长", 8001)}), "has 8001 characters"},
		"empty":                {withResources(t, "`assets/a.txt`", map[string]string{"assets/a.txt": " \n"}), "skills/price/assets/a.txt: is empty"},
		"a link as a file": {func() fstest.MapFS {
			fsys := withResources(t, "`assets/a.txt`", nil)
			fsys["skills/price/assets/a.txt"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}
			return fsys
		}(), "skills/price/assets/a.txt: is no regular file"},
		"no tool reads them": {func() fstest.MapFS {
			fsys := withResources(t, "`assets/a.txt`", map[string]string{"assets/a.txt": "A"})
			fsys["tools/load_skill.yaml"] = harnesstest.FS(t)["tools/load_skill.yaml"]
			return fsys
		}(), `releases/main.yaml:4: skill "price" has resources that no tool reads`},
		"no tool reads a merchant's": {func() fstest.MapFS {
			fsys := harnesstest.FS(t)
			fsys["overlays/m-vip/skills/gift/assets/a.txt"] = &fstest.MapFile{Data: []byte("A")}
			fsys["overlays/m-vip/skills/gift/SKILL.md"].Data = append(fsys["overlays/m-vip/skills/gift/SKILL.md"].Data, "\n`assets/a.txt`\n"...)
			return fsys
		}(), `overlay m-vip: skill "gift" has resources that no tool reads`},
	} {
		if _, err := harness.Load(tt.fsys); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", name, err, tt.want)
		}
	}
	if _, err := harness.Load(withResources(t, "```yaml\n- viewer: [\"[x](y)\"]\n  reply: b\n```\n", nil)); err != nil && strings.Contains(err.Error(), "refers to") {
		t.Errorf("examples are no references: %v", err)
	}
}

// What an editor or a version control keeps beside the files is no content, as it is
// none of the binary's own.
func TestHiddenFilesAreNoResources(t *testing.T) {
	t.Parallel()
	fsys := withResources(t, "`assets/a.txt`", map[string]string{"assets/a.txt": "A", ".SKILL.md.swp": "b0\xff", "assets/.DS_Store": "\x00\xff", ".git/index": "DIRC"})
	s, _ := release(t, load(t, fsys), harnesstest.Release).Skill("price")
	if d := cmp.Diff([]string{"assets/a.txt"}, s.Resources()); d != "" {
		t.Errorf("resources (-want +got):\n%s", d)
	}
}

// The shipped skill's resource is one that load_skill brings.
func TestShippedResource(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := release(t, h, "harness").Skill("size-fit")
	text, found := s.Resource("references/units.md")
	if !ok || !found || !strings.Contains(text, "| 240 | 38 |") || !strings.Contains(s.Body, "references/units.md") {
		t.Errorf("skill %v, resources %v", ok, s.Resources())
	}
}
