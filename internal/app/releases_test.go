package app

import (
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"livehost/harness"
	"livehost/harness/harnesstest"
)

func devContent(t *testing.T, boundary string) *harness.Harness {
	t.Helper()
	fsys := harnesstest.FS(t)
	main := string(fsys["releases/main.yaml"].Data)
	fsys["releases/dev.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(main, "id: main", "id: dev", 1))}
	fsys["prompts/boundaries.md"] = &fstest.MapFile{Data: []byte(boundary)}
	h, err := harness.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestReloadChangesOnlyDevReleasesOfLaterRuns(t *testing.T) {
	t.Parallel()
	r, err := newReleases(devContent(t, "one"), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	running, err := r.Resolve("dev", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	hash := running.Hash
	fixed, err := r.Resolve("main", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.reload(devContent(t, "two")); err != nil {
		t.Fatal(err)
	}
	next, err := r.Resolve("dev", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	if next.Hash == hash || running.Hash != hash {
		t.Errorf("dev: a later run has %s, the running one %s, before %s", next.Hash, running.Hash, hash)
	}
	if again, _ := r.Resolve("main", ""); again != fixed {
		t.Error("a release that is not dev was reloaded")
	}
	if vip, err := r.Resolve("main", "m-vip"); err != nil || vip.Merchant != "m-vip" {
		t.Errorf("the merchant's overlay: %v, %v", vip, err)
	}
	if _, err := r.Resolve("none", ""); err == nil {
		t.Error("a variant without release resolves")
	}
}
