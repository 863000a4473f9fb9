package benchfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Path is bench.json at the root of the checkout that holds the working
// directory.
func Path() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("bench.json: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "bench.json"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("bench.json: not inside the checkout")
		}
		dir = parent
	}
}

// Merge sets key to value in the JSON object at path, which is made when missing.
func Merge(path, key string, value any) error {
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "livehost-bench.lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	all := map[string]json.RawMessage{}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fmt.Errorf("bench.json: %w", err)
	default:
		if err := json.Unmarshal(b, &all); err != nil {
			return fmt.Errorf("bench.json: %s is not a JSON object: %w; remove it", path, err)
		}
	}
	if all[key], err = json.Marshal(value); err != nil {
		return fmt.Errorf("bench.json: %s: %w", key, err)
	}
	if b, err = json.MarshalIndent(all, "", "  "); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	if err := os.WriteFile(path+".tmp", append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	return nil
}
