package outlet

import (
	"context"
	"fmt"
	"io"
	"sync"

	"livehost/dispatcher"
	"livehost/streams/event"
)

// Console writes what is said and sent, one line each. The writer's errors are
// ignored: a closed terminal does not silence a room.
type Console struct {
	mu  sync.Mutex // one line at a time
	out io.Writer
}

var (
	_ Sink                     = (*Console)(nil)
	_ Synthesiser              = Silent{}
	_ dispatcher.PrivateOutlet = (*Console)(nil)
)

// NewConsole writes to out.
func NewConsole(out io.Writer) *Console { return &Console{out: out} }

// Name is "console".
func (c *Console) Name() string { return "console" }

// Emit prints a sentence as it begins.
func (c *Console) Emit(_ context.Context, cue event.SpeechCue, _ Clip) error {
	if cue.Kind == event.CueSentence {
		c.print("[%s] host: %s\n", cue.RoomID, cue.Text)
	}
	return nil
}

// Send prints the text with its viewer.
func (c *Console) Send(_ context.Context, t dispatcher.PrivateText) error {
	c.print("[%s] private -> %s: %s\n", t.RoomID, t.ViewerID, t.Text)
	return nil
}

// HandOver prints what a human is to take over.
func (c *Console) HandOver(_ context.Context, h dispatcher.HandOver) error {
	c.print("[%s] hand over %s of %s (%s)\n", h.RoomID, h.DanmakuID, h.ViewerID, h.Reason)
	return nil
}

func (c *Console) print(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.out, format, args...)
}

// Silent is a Synthesiser without audio: sentences are shown and occupy the voice for
// the time that saying them is estimated to take.
type Silent struct{}

// Name is "console".
func (Silent) Name() string { return "console" }

// Synthesise takes no time.
func (Silent) Synthesise(_ context.Context, s dispatcher.Sentence, _ string) (Clip, error) {
	return Clip{Length: s.Length}, nil
}
