package dispatcher_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"livehost/dispatcher"
	"livehost/dispatcher/ledgertest"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logbook is a log of one partition: Publisher and Reader over slices.
type logbook struct {
	t       testing.TB
	mu      sync.Mutex
	records map[string][]streams.Record
	order   []event.Event
	refuse  func(event.Event) error // when set, asked before each event
}

// refusing sets refuse; something may still be on its way into the log.
func (l *logbook) refusing(refuse func(event.Event) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = refuse
}

func newLogbook(t testing.TB) *logbook { return &logbook{t: t, records: map[string][]streams.Record{}} }

func (l *logbook) Publish(ctx context.Context, events ...event.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, e := range events {
		if l.refuse != nil {
			if err := l.refuse(e); err != nil {
				return err
			}
		}
		l.append(e)
	}
	return nil
}

func (l *logbook) append(e event.Event) streams.Record {
	b, err := event.Encode(e)
	if err != nil {
		l.t.Errorf("an incomplete event: %v", err)
	}
	r := streams.Record{Topic: e.Topic(), Offset: int64(len(l.records[e.Topic()])), Key: e.Key(), Value: b, AppendTime: time.Now()}
	l.records[e.Topic()] = append(l.records[e.Topic()], r)
	l.order = append(l.order, e)
	return r
}

func (l *logbook) Partitions(context.Context) (int32, error) { return 1, nil }

func (l *logbook) Read(_ context.Context, topic string, _ int32, from int64, fn func(streams.Record) error) (int64, error) {
	l.mu.Lock()
	records := slices.Clone(l.records[topic])
	l.mu.Unlock()
	for _, r := range records[min(int(from), len(records)):] {
		if err := fn(r); err != nil {
			return r.Offset, err
		}
	}
	return int64(len(records)), nil
}

func (l *logbook) Follow(context.Context, []string, bool, func(streams.Record)) error { return nil }

// outlet is a voice that takes the estimated time, and private text at once.
type outlet struct {
	clock   *clock.Clock
	mu      sync.Mutex
	said    []string
	sent    []string
	talking int
	overlap bool
	fail    error         // of Speak before audio
	sendErr error         // of Send
	drag    time.Duration // how much longer than estimated it speaks
	hold    chan struct{} // when set, Speak waits for it before it begins
	freeze  chan struct{} // when set, Speak waits for it after it has ended, whatever its context says
}

func (o *outlet) Name() string { return "test" }

func (o *outlet) Speak(ctx context.Context, u dispatcher.Utterance) (dispatcher.Spoken, error) {
	if o.hold != nil {
		<-o.hold
	}
	if err := ctx.Err(); err != nil {
		return dispatcher.Spoken{}, err
	}
	if o.fail != nil {
		return dispatcher.Spoken{}, o.fail
	}
	nowMs := o.clock.NowMs()
	if nowMs > u.SpeakByMs {
		return dispatcher.Spoken{}, dispatcher.ErrLate
	}
	o.mu.Lock()
	o.said = append(o.said, u.Text)
	o.talking++
	o.overlap = o.overlap || o.talking > 1
	o.mu.Unlock()
	err := o.clock.Sleep(ctx, u.Length+o.drag)
	o.mu.Lock()
	o.talking--
	o.mu.Unlock()
	if o.freeze != nil {
		<-o.freeze
	}
	return dispatcher.Spoken{FirstAudioMs: nowMs, EndMs: o.clock.NowMs()}, err
}

func (o *outlet) Send(_ context.Context, t dispatcher.PrivateText) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sendErr != nil {
		return o.sendErr
	}
	o.sent = append(o.sent, string(t.ViewerID)+": "+t.Text)
	return nil
}

// rig is a dispatcher on a log, in a synctest bubble.
type rig struct {
	t      *testing.T
	log    *logbook
	clock  *clock.Clock
	ledger dispatcher.Ledger
	out    *outlet
	voice  dispatcher.Outlet // nil: out
	d      *dispatcher.Dispatcher
	lever  *lever
	humans *humans
	acks   map[event.WindowID][]error
	mu     sync.Mutex
	inputs []streams.Record // replies and room events, in order, for a restart
}

const t0 = 1_700_000_000_000

func newRig(t *testing.T) *rig {
	t.Helper()
	c, err := clock.New(time.UnixMilli(t0), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, log: newLogbook(t), clock: c, ledger: ledgertest.NewMemory(), out: &outlet{clock: c}, acks: map[event.WindowID][]error{}}
	r.start()
	t.Cleanup(r.stop)
	return r
}

func (r *rig) start() {
	r.t.Helper()
	var private dispatcher.PrivateOutlet = r.out
	deps := dispatcher.Deps{
		Clock: r.clock, Publisher: r.log, Reader: r.log, Ledger: r.ledger,
		Outlets: dispatcher.Outlets{Voice: r.out, Private: private},
		Log:     slog.New(slog.DiscardHandler),
	}
	if r.voice != nil {
		deps.Outlets.Voice = r.voice
	}
	if r.lever != nil {
		deps.Switch = r.lever
	}
	if r.humans != nil {
		deps.Outlets.HandOver = r.humans
	}
	d, err := dispatcher.New(dispatcher.DefaultConfig(), deps)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := d.Assigned(r.t.Context(), 0); err != nil {
		r.t.Fatal(err)
	}
	r.d = d
}

func (r *rig) stop() { r.stopWithin(time.Hour) }

func (r *rig) stopWithin(budget time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.t.Context()), budget)
	defer cancel()
	r.d.Revoked(ctx, 0)
}

// restart brings up a new process on the same log: an empty ledger, as after
// kill -9 of the embedded Redis, and every unacknowledged reply handed over again.
func (r *rig) restart() {
	r.t.Helper()
	r.ledger = ledgertest.NewMemory()
	r.out.hold = nil
	r.start()
	for _, rec := range r.inputs {
		if rec.Topic == event.TopicReply {
			reply, _ := event.Decode[event.Reply](rec.Value)
			if slices.Contains(r.ackOf(reply.ReplyID), nil) {
				continue
			}
		}
		r.hand(rec)
	}
}

func (r *rig) ackOf(id event.WindowID) []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.acks[id])
}

func (r *rig) hand(rec streams.Record) {
	var id event.WindowID
	if reply, err := event.Decode[event.Reply](rec.Value); err == nil && rec.Topic == event.TopicReply {
		id = reply.ReplyID
	}
	r.d.Handle(r.t.Context(), rec, func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.acks[id] = append(r.acks[id], err)
	})
}

// in puts an event into the log and hands it to the dispatcher.
func (r *rig) in(e event.Event) {
	r.t.Helper()
	r.log.mu.Lock()
	rec := r.log.append(e)
	r.log.mu.Unlock()
	r.inputs = append(r.inputs, rec)
	r.hand(rec)
}

func (r *rig) open(private bool) {
	r.in(event.RoomEvent{Schema: 1, EventID: "open", RoomID: "r", Kind: event.RoomOpened, TimeMs: r.clock.NowMs(),
		Settings: &event.RoomSettings{Language: "zh", PrivateText: private}})
}

func (r *rig) outcomes() map[event.DanmakuID]string {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	out := map[event.DanmakuID]string{}
	for _, e := range r.log.order {
		if o, ok := e.(event.Outcome); ok {
			s := string(o.State) + " " + o.Reason
			if have, twice := out[o.DanmakuID]; twice {
				s = have + " AND " + s
			}
			out[o.DanmakuID] = s
		}
	}
	return out
}

// deliveries is each delivery's states in order.
func (r *rig) deliveries() map[event.DeliveryID][]event.DeliveryState {
	out := map[event.DeliveryID][]event.DeliveryState{}
	for _, dl := range r.deliveryRecords() {
		out[dl.DeliveryID] = append(out[dl.DeliveryID], dl.State)
	}
	return out
}

func (r *rig) deliveryRecords() (out []event.Delivery) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	for _, e := range r.log.order {
		if dl, ok := e.(event.Delivery); ok {
			out = append(out, dl)
		}
	}
	return out
}

// reply is a passed public reply to danmaku asked now; edits follow.
func (r *rig) reply(id, text string, asks []string, edit ...func(*event.Reply)) event.Reply {
	nowMs := r.clock.NowMs()
	e := event.Reply{
		Schema: 1, ReplyID: event.WindowID(id), RunID: event.NewRunID(event.WindowID(id), 1), Attempt: 1, RoomID: "r",
		Variant: "harness", Kind: event.DanmakuWindow, Class: event.ClassQuestion, Language: "zh",
		AnswerByMs: nowMs + 15_000, SpeakByMs: nowMs + 20_000, CreatedMs: nowMs, Timing: event.Timing{RunMs: 3000},
		Versions: event.Versions{Release: "harness"},
		Verdicts: []event.Verdict{{Rule: "grounding", Action: "allow"}, {Rule: "identity", Action: "allow"}, {Rule: "leakage", Action: "rewrite"}},
	}
	if text != "" {
		e.Public = &event.PublicReply{Text: text}
	}
	for _, a := range asks {
		e.Members = append(e.Members, event.Member{
			DanmakuID: event.DanmakuID(a), ViewerID: event.ViewerID("u-" + a), Intent: "price",
			PlatformMs: nowMs, AnswerByMs: nowMs + 15_000, SpeakByMs: nowMs + 20_000,
		})
		if e.Public != nil {
			e.Public.Covers = append(e.Public.Covers, event.DanmakuID(a))
		}
	}
	for _, f := range edit {
		f(&e)
	}
	return e
}

func question(key string, v event.Variant) func(*event.Reply) {
	return func(e *event.Reply) { e.QuestionKey, e.Variant = key, v }
}

func class(c event.Class) func(*event.Reply) { return func(e *event.Reply) { e.Class = c } }

func privately(danmaku, text string) func(*event.Reply) {
	return func(e *event.Reply) {
		if !slices.ContainsFunc(e.Members, func(m event.Member) bool { return m.DanmakuID == event.DanmakuID(danmaku) }) {
			e.Members = append(e.Members, event.Member{
				DanmakuID: event.DanmakuID(danmaku), ViewerID: event.ViewerID("u-" + danmaku), PlatformMs: e.CreatedMs, AnswerByMs: e.AnswerByMs, SpeakByMs: e.SpeakByMs,
			})
		}
		e.Private = append(e.Private, event.PrivateReply{DanmakuID: event.DanmakuID(danmaku), ViewerID: event.ViewerID("u-" + danmaku), Text: text})
	}
}

var errAway = fault.Errorf(fault.Unavailable, "away")
