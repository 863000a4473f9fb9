package demo_test

import (
	"path/filepath"
	"testing"

	"livehost/internal/demo"
)

// Every room that is shipped can be played, also those that no demo plays by itself.
func TestShippedRooms(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("rooms/*.room.txtar")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	more, err := filepath.Glob("../../deploy/*/*.room.txtar")
	if err != nil || len(more) == 0 {
		t.Fatal(more, err)
	}
	for _, file := range append(files, more...) {
		if _, err := demo.OpenRoom(demo.RoomOptions{File: file}); err != nil {
			t.Error(err)
		}
	}
}
