package harness_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"livehost/harness"
)

func TestWatchTellsOnceThatTheFolderHasChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.md")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	changed, ended := make(chan struct{}, 10), make(chan error, 1)
	go func() {
		ended <- harness.Watch(ctx, dir, 5*time.Millisecond, func() { changed <- struct{}{} })
	}()
	go func() { // the first look may come after the first write
		for i := 0; ctx.Err() == nil && len(changed) == 0; i++ {
			_ = os.WriteFile(filepath.Join(dir, "b.md"), make([]byte, i), 0o600)
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	<-changed
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
