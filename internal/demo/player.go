package demo

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/source"
)

// maxBatch bounds the events of one Publish call, so that a burst or a restart
// far behind reaches the stages bit by bit.
const maxBatch = 256

// Waits between attempts while the log is away, in wall time.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// PlayerDeps are the player's collaborators; all are required.
type PlayerDeps struct {
	Publisher streams.Publisher
	Reader    streams.Reader
	Clock     *clock.Clock
	Log       *slog.Logger
	// Control carries out what is no event. It must not block; an outage lasts
	// the control's For of room time from the call on.
	Control func(source.Control)
}

// Player publishes the items of a room at their room time.
type Player struct {
	epoch time.Time // room time of At zero
	items []source.Item
	deps  PlayerDeps
}

// NewPlayer makes a player of items ordered by At.
func NewPlayer(epoch time.Time, items []source.Item, deps PlayerDeps) *Player {
	return &Player{epoch: epoch, items: items, deps: deps}
}

// Run publishes until every item is in the log or ctx ends, which is no error.
// Items that the log already holds are skipped; those whose time has passed go
// out at once. It waits for the log alone, never for a stage. A log that is away
// is tried again; any other failure ends the run.
func (p *Player) Run(ctx context.Context) error {
	seen, err := published(ctx, p.deps.Reader)
	if err != nil {
		return p.ended(ctx, fmt.Errorf("player: read what is already published: %w", err))
	}
	items := p.unpublished(seen)
	for len(items) > 0 {
		if err := p.deps.Clock.Sleep(ctx, p.deps.Clock.Until(p.epoch.Add(items[0].At))); err != nil {
			return p.ended(ctx, err)
		}
		n := p.due(items)
		if err := p.publish(ctx, items[:n]); err != nil {
			return p.ended(ctx, err)
		}
		items = items[n:]
	}
	return nil
}

// ended hides the error of our own shutdown.
func (p *Player) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// unpublished drops what an earlier run published: as many copies of an id as
// the log holds, since a script may repeat one on purpose.
func (p *Player) unpublished(seen map[string]int) []source.Item {
	var rest []source.Item
	for _, item := range p.items {
		if item.Event != nil {
			if id := identity(item.Event); seen[id] > 0 {
				seen[id]--
				continue
			}
		}
		rest = append(rest, item)
	}
	return rest
}

// due counts the items to publish now, at least one.
func (p *Player) due(items []source.Item) int {
	now := p.deps.Clock.Now()
	n := 1
	for n < len(items) && n < maxBatch && !p.epoch.Add(items[n].At).After(now) {
		n++
	}
	return n
}

func (p *Player) publish(ctx context.Context, items []source.Item) error {
	var events []event.Event
	for _, item := range items {
		if item.Control != nil {
			p.control(item)
			continue
		}
		events = append(events, item.Event)
	}
	if len(events) == 0 {
		return nil
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := p.deps.Publisher.Publish(ctx, events...)
		if err == nil {
			return nil
		}
		if kind := fault.KindOf(err); kind != fault.Unavailable && kind != fault.Exhausted {
			return fmt.Errorf("player: publish: %w", err)
		}
		p.deps.Log.Warn("publishing failed, trying again", "err", err)
		select {
		case <-time.After(wait): // wall time: the log's, not the room's
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// control carries out what is left of a control, nothing when its time has passed.
func (p *Player) control(item source.Item) {
	c := *item.Control
	c.For = min(c.For, p.deps.Clock.Until(p.epoch.Add(item.At+c.For)))
	if c.For > 0 {
		p.deps.Control(c)
	}
}

// identity is what makes two records the same item: topic and the platform's id.
func identity(e event.Event) string {
	switch e := e.(type) {
	case event.Danmaku:
		return e.Topic() + " " + string(e.DanmakuID)
	case event.RoomEvent:
		return e.Topic() + " " + e.EventID
	case event.Order:
		return fmt.Sprintf("%s %s %d", e.Topic(), e.OrderID, e.Seq)
	default:
		return ""
	}
}

// published counts what the log holds of the platform's topics, by identity.
func published(ctx context.Context, reader streams.Reader) (map[string]int, error) {
	partitions, err := reader.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for topic, decode := range map[string]func([]byte) (event.Event, error){
		event.TopicDanmaku:   decoder[event.Danmaku](),
		event.TopicRoomEvent: decoder[event.RoomEvent](),
		event.TopicOrder:     decoder[event.Order](),
	} {
		for partition := range partitions {
			_, err := reader.Read(ctx, topic, partition, 0, func(r streams.Record) error {
				if e, err := decode(r.Value); err == nil { // what cannot be read is not ours
					seen[identity(e)]++
				}
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("%s partition %d: %w", topic, partition, err)
			}
		}
	}
	return seen, nil
}

func decoder[T event.Event]() func([]byte) (event.Event, error) {
	return func(b []byte) (event.Event, error) { return event.Decode[T](b) }
}
