package source_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"livehost/streams/source"
)

func TestFolderListsRecordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := source.Folder(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("an empty folder: %v, want an error that names it", err)
	}
	if _, _, err := source.Folder(filepath.Join(dir, "nosuch")); err == nil {
		t.Error("a folder that is not there: no error")
	}
	add := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{"ts_ms":0,"user":"u1","text":"好"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	find := func(wantTop string, want ...string) {
		t.Helper()
		if top, got, err := source.Folder(dir); err != nil || top != wantTop || !slices.Equal(got, want) {
			t.Errorf("%s %v, %v, want %s %v", top, got, err, wantTop, want)
		}
	}
	b, a := add("b.jsonl"), add("a/deep/er.jsonl")
	add("notes.txt")
	find(dir, a, b)
	find(filepath.Join(dir, "rooms"), add("rooms/r.jsonl"))
	if rec, problems, err := source.ReadFile(b); err != nil || len(problems) > 0 || len(rec.Lines) != 1 {
		t.Errorf("%+v, %v, %v", rec, problems, err)
	}
	if _, _, err := source.ReadFile(filepath.Join(dir, "nosuch.jsonl")); err == nil || !strings.Contains(err.Error(), "nosuch.jsonl") {
		t.Errorf("a file that is not there: %v, want an error that names it", err)
	}
}
