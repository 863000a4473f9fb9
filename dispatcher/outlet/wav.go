package outlet

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"livehost/internal/fault"
	"livehost/streams/event"
)

// Files is a Sink that keeps every sentence's audio in a folder.
type Files struct{ dir string }

var _ Sink = Files{}

// NewFiles writes into dir.
func NewFiles(dir string) Files { return Files{dir: dir} }

// Name is "files".
func (Files) Name() string { return "files" }

// Emit writes delivery.sentence.wav.
func (f Files) Emit(_ context.Context, cue event.SpeechCue, clip Clip) error {
	if cue.Kind != event.CueSentence || len(clip.WAV) == 0 {
		return nil
	}
	if err := os.WriteFile(filepath.Join(f.dir, fileName(cue.CueID)), clip.WAV, 0o600); err != nil {
		return fault.Errorf(fault.Unavailable, "files: keep audio: %w", err)
	}
	return nil
}

// fileName makes a delivery id a file's name.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:#`, r) {
			return '_'
		}
		return r
	}, id) + ".wav"
}

// wavLength is the duration of PCM audio. A stream's header does not know the length
// of its data: then the data that is there counts.
func wavLength(wav []byte) (time.Duration, error) {
	if len(wav) < 12 || string(wav[:4]) != "RIFF" || string(wav[8:12]) != "WAVE" {
		return 0, errors.New("not a WAV file")
	}
	var bytesPerSecond uint32
	for rest := wav[12:]; len(rest) >= 8; {
		id, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:8]))
		rest = rest[8:]
		size = min(size, int64(len(rest)))
		switch {
		case id == "fmt " && size >= 12:
			bytesPerSecond = binary.LittleEndian.Uint32(rest[8:12])
		case id == "data" && bytesPerSecond > 0:
			return time.Duration(float64(size) / float64(bytesPerSecond) * float64(time.Second)), nil
		}
		rest = rest[min(size+size%2, int64(len(rest))):]
	}
	return 0, errors.New("WAV file without audio data")
}
