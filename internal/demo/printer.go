package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"livehost/streams"
	"livehost/streams/event"
)

// Columns of a line, in terminal cells.
const (
	labelWidth = 10
	whoWidth   = 12
)

// PrinterConfig says how the printer speaks.
type PrinterConfig struct {
	Epoch    time.Time // room time shown as 00:00
	Language string    // "zh" or "en"
	Quiet    bool      // follow nothing, print nothing
	FromEnd  bool      // only what is appended from now on, for a restart
}

// Printer tells what happens in the room, one line per event. Its methods are
// called from one goroutine.
type Printer struct {
	cfg    PrinterConfig
	w      io.Writer
	tongue tongue
	asked  map[event.DanmakuID]event.Danmaku // that have no outcome yet
	told   map[string]bool                   // what an at-least-once log repeats
	tellBy map[string]func(streams.Record) ([]line, error)
	opened map[event.RoomID]int64 // when the rooms opened
	shelf  line                   // the links listed at opening, told as one line
	listed int                    // how many so far
	broken func(error)            // ends Run when nothing can be written any more
}

// line is one line: when, which kind, about whom, what.
type line struct {
	ms               int64
	label, who, what string
}

// NewPrinter makes a printer onto w.
func NewPrinter(cfg PrinterConfig, w io.Writer) *Printer {
	p := &Printer{cfg: cfg, w: w, tongue: tongue{zh: cfg.Language == "zh"}, asked: map[event.DanmakuID]event.Danmaku{}, told: map[string]bool{}, opened: map[event.RoomID]int64{}}
	p.tellBy = map[string]func(streams.Record) ([]line, error){
		event.TopicDanmaku:      teller(p.danmaku),
		event.TopicRoomEvent:    teller(p.roomEvent),
		event.TopicOrder:        teller(p.order),
		event.TopicWindow:       teller(p.window),
		event.TopicReply:        teller(p.reply),
		event.TopicDelivery:     teller(p.delivery),
		event.TopicOutcome:      teller(p.outcome),
		event.TopicGuardrailHit: teller(p.hit),
	}
	return p
}

func teller[T event.Event](tell func(T) []line) func(streams.Record) ([]line, error) {
	return func(r streams.Record) ([]line, error) {
		e, err := event.Decode[T](r.Value)
		if err != nil {
			return nil, err
		}
		event.Stamp(&e, r.AppendTime.UnixMilli())
		return tell(e), nil
	}
}

// Run follows the log until ctx ends, which is no error, or a line cannot be written.
func (p *Printer) Run(ctx context.Context, reader streams.Reader) error {
	if p.cfg.Quiet {
		<-ctx.Done()
		return nil
	}
	var topics []string
	for topic := range p.tellBy {
		topics = append(topics, topic)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	p.broken = end
	if err := reader.Follow(ctx, topics, p.cfg.FromEnd, p.Print); err != nil {
		return fmt.Errorf("printer: %w", err)
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("printer: %w", err)
	}
	return nil
}

// Print tells one record.
func (p *Printer) Print(r streams.Record) {
	tell, ok := p.tellBy[r.Topic]
	if !ok {
		return
	}
	lines, err := tell(r)
	if err != nil {
		lines = []line{{label: "unreadable", what: err.Error()}}
	}
	if len(lines) > 0 && p.listed > 0 {
		p.shelf.what = fmt.Sprintf("%s: %d", p.tongue.of(words{"links on the shelf", "货架上的链接"}), p.listed)
		lines, p.listed = append([]line{p.shelf}, lines...), 0
	}
	var b strings.Builder
	for _, l := range lines {
		when := " --:--"
		if l.ms > 0 {
			when = clockOf(time.UnixMilli(l.ms).Sub(p.cfg.Epoch))
		}
		fmt.Fprintf(&b, "%s  %s %s %s\n", when, pad(p.tongue.of(labels[l.label]), labelWidth), pad(plain(l.who), whoWidth), plain(l.what))
	}
	if _, err := io.WriteString(p.w, b.String()); err != nil && p.broken != nil {
		p.broken(err)
	}
}

// clockOf is room time as mm:ss.
func clockOf(d time.Duration) string {
	sign := " "
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%02d:%02d", sign, int(d.Minutes()), int(d.Seconds())%60)
}

// pad fills s with spaces up to a width in terminal cells, or cuts it there.
func pad(s string, width int) string {
	if uniseg.StringWidth(s) > width {
		var cut strings.Builder
		used := 0
		for g := uniseg.NewGraphemes(s); g.Next() && used+g.Width() < width; used += g.Width() {
			cut.WriteString(g.Str())
		}
		s = cut.String() + "…"
	}
	return s + strings.Repeat(" ", max(width-uniseg.StringWidth(s), 0))
}

// maxShown bounds the text of one line, in runes.
const maxShown = 120

// plain makes viewer text harmless to a terminal: no control characters, one
// line, not endless.
func plain(s string) string {
	r := []rune(strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t' || c == '\r':
			return ' '
		case c < 0x20 || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069:
			return -1
		default:
			return c
		}
	}, s))
	if len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return string(r)
}

// once reports whether key is told for the first time.
func (p *Printer) once(key string) bool {
	first := !p.told[key]
	p.told[key] = true
	return first
}

func quote(s string) string { return "“" + s + "”" }

func nameOf(name string, id event.ViewerID) string {
	switch {
	case name != "":
		return name
	case id.Anonymous():
		return "?"
	default:
		return string(id)
	}
}
