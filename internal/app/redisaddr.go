package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"livehost/internal/cli"
)

// The embedded Redis listens on any free port. Its address is kept in the data
// directory, where commands that talk to a running process find it.

func redisAddrPath(dataDir string) string { return filepath.Join(dataDir, "redis.addr") }

func keepRedisAddr(dataDir, addr string) error {
	if err := os.WriteFile(redisAddrPath(dataDir), []byte(addr+"\n"), 0o600); err != nil {
		return fmt.Errorf("address of the embedded Redis: %w", err)
	}
	return nil
}

// forgetRedisAddr removes it: a process that listens there later is another one. After
// kill -9 it stays.
func forgetRedisAddr(dataDir string) { _ = os.Remove(redisAddrPath(dataDir)) }

// keptRedisAddr is the address that a process with embedded servers left in the data
// directory; empty when none runs there.
func keptRedisAddr(data string) (string, error) {
	dir, err := serveDataDir(cli.ServeOptions{Data: data})
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(redisAddrPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}
