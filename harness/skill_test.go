package harness_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"livehost/harness"
)

func TestParseFrontMatter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("长", 1024)
	for _, tt := range []struct{ name, in, body, wantErr string }{
		{"plain", "---\nname: a-b\ndescription: d\n---\n\nbody\n", "body\n", ""},
		{"BOM and CRLF", "\ufeff---\r\nname: a\r\ndescription: d\r\n---\r\nbody\r\nmore", "body\nmore", ""},
		{"trailing spaces at the fences", "--- \nname: a\ndescription: d\n---\t\nbody", "body", ""},
		{"no body", "---\nname: a\ndescription: d\n---", "", ""},
		{"folded description", "---\nname: a\ndescription: >\n  one\n  two\n---\nb", "b", ""},
		{"1024 characters, not bytes", "---\nname: a\ndescription: " + long + "\n---\nb", "b", ""},
		{"1025 characters", "---\nname: a\ndescription: " + long + "长\n---\nb", "", "f:3: description has 1025 characters"},
		{"none", "# Title\n", "", "f:1: no front matter"},
		{"empty file", "", "", "f:1: no front matter"},
		{"a path, as of a symlink", "../../other/SKILL.md", "", "f:1: no front matter"},
		{"unterminated", "---\nname: a\ndescription: d\n", "", "f:1: front matter is unterminated"},
		{"fence inside a line", "---\nname: a\ndescription: d --- e\n", "", "f:1: front matter is unterminated"},
		{"unquoted colon", "---\nname: a\ndescription: one: two\n---\nb", "", "f:3: YAML: mapping values are not allowed"},
		{"duplicate key", "---\nname: a\nname: b\ndescription: d\n---\nb", "", "f:3: YAML: mapping key"},
		{"a list", "---\n- a\n---\nb", "", "f:2: front matter is not a list of keys"},
		{"nothing between", "---\n---\nb", "", "f:2: front matter is not a list of keys"},
		{"no name", "---\ndescription: d\n---\nb", "", "front matter has no name"},
		{"upper case", "---\nname: My Skill\ndescription: d\n---\nb", "", `f:2: name "My Skill" is not lower-case`},
		{"double hyphen", "---\nname: a--b\ndescription: d\n---\nb", "", "f:2: name"},
		{"long name", "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\nb", "", "f:2: name has 65 characters"},
		{"no description", "---\nname: a\n---\nb", "", "front matter has no description"},
		{"blank description", "---\nname: a\ndescription: \"  \"\n---\nb", "", "front matter has no description"},
		{"not UTF-8", "---\nname: a\ndescription: \xff\n---\nb", "", "f:1: the file is not UTF-8"},
	} {
		_, body, err := harness.ParseFrontMatter("f", []byte(tt.in))
		switch {
		case tt.wantErr == "" && (err != nil || body != tt.body):
			t.Errorf("%s: body %q, error %v", tt.name, body, err)
		case tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)):
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.wantErr)
		}
	}
}

// TestPublicFrontMatter parses blocks of public skills, where they are at hand:
// what their tags say is wrong is refused for that reason, the rest is accepted.
func TestPublicFrontMatter(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../shared/data/skills/frontmatter.jsonl")
	if err != nil {
		t.Skip("the collection of public skills is not here")
	}
	defer func() { _ = f.Close() }()
	reasons := []struct{ tag, reason string }{
		{"unterminated", "unterminated"},
		{"no_frontmatter", "no front matter"},
		{"yaml_error", "YAML"},
		{"missing_name", "no name"},
		{"missing_description", "no description"},
		{"name_nonspec", "name"},
		{"desc_over_1024", "description has"},
	}
	lines, refused := 0, 0
	for sc := bufio.NewScanner(f); sc.Scan(); lines++ {
		var row struct {
			Repo, Path, Head string
			Tags             []string
		}
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, r := range reasons {
			if slices.ContainsFunc(row.Tags, func(tag string) bool { return strings.HasPrefix(tag, r.tag) }) {
				want = r.reason
				break
			}
		}
		_, _, err := harness.ParseFrontMatter("SKILL.md", []byte(row.Head))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s %s %v: %v", row.Repo, row.Path, row.Tags, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s %s %v: %v, want %q", row.Repo, row.Path, row.Tags, err, want)
		case err != nil:
			refused++
		}
	}
	t.Logf("%d blocks, %d refused", lines, refused)
}

func FuzzParseFrontMatter(f *testing.F) {
	for _, s := range []string{"---\nname: a\ndescription: d\n---\nb", "\ufeff---\r\nname: a\r\n---\r\n", "---\n&a [*a]\n---\n", "---\nname: !!binary x\n---\n", "---\n<<: {name: a}\ndescription: d\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fm, body, err := harness.ParseFrontMatter("f", []byte(s))
		if err == nil && (fm.Name == "" || strings.TrimSpace(fm.Description) == "") {
			t.Errorf("accepted without name or description: %q", s)
		}
		if err == nil && strings.Contains(body, "\r\n") {
			t.Errorf("body keeps CRLF: %q", body)
		}
	})
}
