package app

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/streams/event"
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

// Runs go on with the release they were given while it is reloaded again and again.
func TestReloadUnderRuns(t *testing.T) {
	t.Parallel()
	r, err := newReleases(devContent(t, "0"), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	contents := []*harness.Harness{devContent(t, "1"), devContent(t, "2")}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				rel, err := r.Resolve("dev", "")
				if err != nil {
					t.Error(err)
					return
				}
				w := event.Window{Kind: event.DanmakuWindow, Mode: event.Single, Members: []event.Member{{DanmakuID: "d", Text: "多少钱"}}}
				first, hash := rel.Prompts.Build(&w, false), rel.Hash
				if again := rel.Prompts.Build(&w, false); again.Prefix != first.Prefix || rel.Hash != hash {
					t.Error("a release changed under a run")
				}
			}
		})
	}
	for i := range 20 {
		if err := r.reload(contents[i%2]); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}
