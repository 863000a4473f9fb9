package harness

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Watch calls changed whenever a file of the folder has come, gone or been
// written, until ctx ends. It looks every so often (wall time) and waits until two
// looks agree, so that a folder half copied is not loaded.
func Watch(ctx context.Context, dir string, every time.Duration, changed func()) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	known := fingerprint(os.DirFS(dir))
	last := known
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := fingerprint(os.DirFS(dir))
		if now == last && now != known {
			known = now
			changed()
		}
		last = now
	}
}

// fingerprint tells two states of a folder apart by names, sizes and times.
func fingerprint(fsys fs.FS) string {
	var b strings.Builder
	_ = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintf(&b, "%s %v\n", path, err)
			return nil
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
