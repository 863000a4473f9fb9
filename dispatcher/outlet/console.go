package outlet

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
)

// Console writes what is said, one line each, and occupies the voice for the
// estimated length. It also takes private text. The writer's errors are ignored:
// a closed terminal does not silence a room.
type Console struct {
	clock *clock.Clock
	mu    sync.Mutex // one line at a time
	out   io.Writer
}

var (
	_ dispatcher.Outlet        = (*Console)(nil)
	_ dispatcher.PrivateOutlet = (*Console)(nil)
)

// NewConsole writes to out.
func NewConsole(c *clock.Clock, out io.Writer) *Console { return &Console{clock: c, out: out} }

// Name is "console".
func (c *Console) Name() string { return "console" }

// Speak prints the text as it begins.
func (c *Console) Speak(ctx context.Context, u dispatcher.Utterance) (dispatcher.Spoken, error) {
	return occupy(ctx, c.clock, u, u.Length, func() { c.print("[%s] host: %s\n", u.RoomID, u.Text) })
}

// Send prints the text with its viewer.
func (c *Console) Send(_ context.Context, t dispatcher.PrivateText) error {
	c.print("[%s] private -> %s: %s\n", t.RoomID, t.ViewerID, t.Text)
	return nil
}

func (c *Console) print(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.out, format, args...)
}

// occupy holds the voice for length of room time from now on; begin is called at
// the first audio.
func occupy(ctx context.Context, c *clock.Clock, u dispatcher.Utterance, length time.Duration, begin func()) (dispatcher.Spoken, error) {
	if err := ctx.Err(); err != nil {
		return dispatcher.Spoken{}, err
	}
	nowMs := c.NowMs()
	if nowMs > u.SpeakByMs {
		return dispatcher.Spoken{}, dispatcher.ErrLate
	}
	begin()
	err := c.Sleep(ctx, length)
	return dispatcher.Spoken{FirstAudioMs: nowMs, EndMs: max(c.NowMs(), nowMs)}, err
}
