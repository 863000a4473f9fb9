package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"livehost/harness"
	"livehost/internal/cli"
)

// runHarnessDiff is `livehost harness diff OTHER`.
func runHarnessDiff(_ context.Context, dir, other string, std cli.IO) error {
	before, err := loadHarness(HarnessConfig{Dir: dir})
	if err != nil {
		return err
	}
	after, err := loadHarness(HarnessConfig{Dir: other})
	if err != nil {
		return err
	}
	changes := harness.Diff(before, after)
	for _, c := range changes {
		fmt.Fprintln(std.Out, c)
	}
	if len(changes) == 0 {
		fmt.Fprintln(std.Out, "every release binds the same")
	}
	return nil
}

// runHarnessNew is `livehost harness new KIND NAME`.
func runHarnessNew(_ context.Context, dir, kind, name string, std cli.IO) error {
	if dir == "" {
		return errors.New("harness new: name the folder with --dir; what ships with the binary cannot be changed")
	}
	file, text, err := harness.Scaffold(kind, name)
	if err != nil {
		return fmt.Errorf("harness new: %w", err)
	}
	if in, err := os.Stat(dir); err != nil || !in.IsDir() {
		return fmt.Errorf("harness new: there is no folder %s", dir)
	}
	path := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("harness new: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) // never over what is there
	if err != nil {
		return fmt.Errorf("harness new: %w", err)
	}
	if _, err := f.WriteString(text); err != nil {
		return errors.Join(fmt.Errorf("harness new: %w", err), f.Close())
	}
	fmt.Fprintf(std.Out, "%s\nbind it in a release under %s, then run `livehost harness validate --dir %s`\n", path, filepath.Join(dir, "releases"), dir)
	return f.Close()
}
