package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder lists the recordings (*.jsonl) of a folder, in any depth and sorted: of its
// folder rooms alone, when it has one. top is the folder they were found in.
func Folder(dir string) (top string, files []string, err error) {
	top = dir
	if info, err := os.Stat(filepath.Join(dir, "rooms")); err == nil && info.IsDir() {
		top = filepath.Join(dir, "rooms")
	}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".jsonl" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return top, nil, fmt.Errorf("recordings: %w; name a folder of recorded rooms", err)
	}
	if len(files) == 0 {
		return top, nil, fmt.Errorf("recordings: no *.jsonl under %s; name a folder of recorded rooms", top)
	}
	return top, files, nil
}

// ReadFile is ReadRecording of a file.
func ReadFile(path string) (*Recording, []Problem, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("recording: %w", err)
	}
	return ReadRecording(path, bytes.NewReader(data))
}
