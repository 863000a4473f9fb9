package benchfile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"livehost/internal/benchfile"
)

func TestMergeKeepsTheOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bench.json")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := benchfile.Merge(path, "k"+strconv.Itoa(i%10), map[string]int{"v": i}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]int
	if err := json.Unmarshal(b, &all); err != nil || len(all) != 10 {
		t.Errorf("%v: %s", err, b)
	}
}

func TestForeignFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bench.json")
	if err := os.WriteFile(path, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := benchfile.Merge(path, "k", 1); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func TestPathIsAtTheRoot(t *testing.T) {
	t.Parallel()
	p, err := benchfile.Path()
	if err != nil || filepath.Base(p) != "bench.json" {
		t.Fatalf("%s, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(p), "go.mod")); err != nil {
		t.Error(err)
	}
}
