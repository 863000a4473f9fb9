package harnesstest

import (
	"embed"
	"io/fs"
	"testing"
	"testing/fstest"

	"livehost/harness"
	"livehost/streams/event"
)

//go:embed content
var content embed.FS

// The ids of the test harness.
const (
	Release  = "main"  // with skills
	Baseline = "plain" // without skills, without compact route
	Merchant = event.MerchantID("m-vip")
)

// FS is a copy of the test harness that a test may change.
func FS(t testing.TB) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := fs.WalkDir(content, "content", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := content.ReadFile(path)
		out[path[len("content/"):]] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Load is the release of the unchanged test harness, with the merchant's overlay.
func Load(t testing.TB, release string, merchant event.MerchantID) *harness.Release {
	t.Helper()
	h, err := harness.Load(FS(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.ForMerchant(release, merchant)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Catalog is the catalogue of the test harness.
func Catalog(t testing.TB) *harness.Catalog { return Load(t, Release, "").Catalog }

// Shipped is a release of what ships with the binary, without overlay.
func Shipped(t testing.TB, release string) *harness.Release {
	t.Helper()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Release(release)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
