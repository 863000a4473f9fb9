package board_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/streams"
	"livehost/streams/event"
	"livehost/web/board"
)

const t0 = int64(1_790_000_000_000)

func newBoard(t testing.TB, n int) *board.Board {
	t.Helper()
	b, err := board.New(board.Config{Danmaku: n})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func take(t testing.TB, b *board.Board, events ...event.Event) {
	t.Helper()
	for _, e := range events {
		v, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Take(streams.Record{Topic: e.Topic(), Key: e.Key(), Value: v}); err != nil {
			t.Fatal(err)
		}
	}
}

// way is all that happens to n danmaku; each is answered in a window of its own.
func way(n int) (out []event.Event) {
	for i := range n {
		id, at := event.DanmakuID(fmt.Sprintf("d%03d", i)), t0+int64(i)*1000
		w := event.WindowID("w-" + string(id))
		run := event.NewRunID(w, 1)
		m := event.Member{DanmakuID: id, Text: "q", PlatformMs: at}
		d := event.Delivery{Schema: 1, DeliveryID: event.DeliveryID(w), ReplyID: w, RunID: run, RoomID: "r", Channel: event.Public, State: event.DeliveryStarted,
			Text: "a", Outlet: "print", DanmakuIDs: []event.DanmakuID{id}, Variant: "v", HeardVariant: "v", FirstAudioMs: at + 4000, TimeMs: at + 4000}
		ended := d
		ended.State, ended.EndMs, ended.TimeMs = event.DeliveryEnded, at+6000, at+6000
		out = append(out,
			event.Danmaku{Schema: 1, DanmakuID: id, RoomID: "r", ViewerName: "n", Text: "q", PlatformTimeMs: at},
			event.Window{Schema: 1, WindowID: w, RoomID: "r", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "v", Members: []event.Member{m}, EarliestMs: at, AnswerByMs: at + 15000, OpenedMs: at + 100},
			event.Step{Schema: 1, RunID: run, WindowID: w, RoomID: "r", Variant: "v", Seq: 1, Kind: event.StepModel, Name: "m", StartedMs: at + 200, EndedMs: at + 3000, Input: "prompt", Output: "raw", Reasoning: "secret"},
			event.Reply{Schema: 1, ReplyID: w, RunID: run, RoomID: "r", Variant: "v", Kind: event.DanmakuWindow, Mode: event.Single, Members: []event.Member{m},
				Public: &event.PublicReply{Text: "a", Covers: []event.DanmakuID{id}}, AnswerByMs: at + 15000, SpeakByMs: at + 20000, CreatedMs: at + 3000, Verdicts: []event.Verdict{}, Versions: event.Versions{Release: "r", PolicyVersion: "p", HarnessHash: "h"}},
			d, ended,
			event.Outcome{Schema: 1, DanmakuID: id, RoomID: "r", State: event.Answered, Reason: "spoken", By: "dispatcher", WindowID: w, RunID: run, Variant: "v", PlatformMs: at, ReplyMs: at + 3000, TimeMs: at + 6000},
		)
	}
	return out
}

// plain is rows without what depends on the order of arrival.
func plain(rows []board.Row) []board.Row {
	for i := range rows {
		rows[i].Version = 0
		for j := range rows[i].Asks {
			rows[i].Asks[j].OpenedMs = 0
		}
	}
	return rows
}

// The topics are read side by side, and records may repeat: what is remembered is
// the same in any order, and it is the newest.
func TestOrderAndRepeatsDoNotMatter(t *testing.T) {
	t.Parallel()
	const n, kept = 60, 20
	all := way(n)
	inOrder := newBoard(t, kept)
	take(t, inOrder, all...)
	rows, _ := inOrder.Latest(board.Filter{}, n)
	want := plain(rows)
	if len(want) != kept || want[0].ID != "d059" || want[0].Ended() != event.Answered || len(want[0].Asks) != 1 || len(want[0].Asks[0].Heard) != 1 {
		t.Fatalf("in order: %d rows, newest %+v", len(want), want[0])
	}
	byTopic := map[string][]event.Event{}
	for _, e := range append(all, all...) {
		byTopic[e.Topic()] = append(byTopic[e.Topic()], e)
	}
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := newBoard(t, kept)
		at := map[string]int{}
		for left := 2 * len(all); left > 0; {
			topic := board.Topics()[rnd.IntN(len(board.Topics()))]
			for range rnd.IntN(200) { // a stretch of one topic
				if at[topic] < len(byTopic[topic]) {
					take(t, b, byTopic[topic][at[topic]])
					at[topic]++
					left--
				}
			}
		}
		got, _ := b.Latest(board.Filter{}, n)
		if d := cmp.Diff(want, plain(got)); d != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, d)
		}
	}
}

// A reader that pulls now and then ends up with what is there.
func TestChanges(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 50)
	all := way(40)
	seen := map[event.DanmakuID]board.Row{}
	var since uint64
	for i, e := range all {
		_, _, changed := b.Changes(since)
		take(t, b, e)
		select {
		case <-changed:
		default:
			t.Fatal("a change was not told")
		}
		if i%7 == 0 || i == len(all)-1 {
			var rows []board.Row
			rows, since, _ = b.Changes(since)
			for j, r := range rows {
				if j > 0 && r.Version <= rows[j-1].Version {
					t.Fatal("changes are out of order")
				}
				seen[r.ID] = r
			}
		}
	}
	rows, version := b.Latest(board.Filter{}, 100)
	for _, r := range rows {
		if d := cmp.Diff(r, seen[r.ID]); d != "" {
			t.Errorf("%s (-there +seen):\n%s", r.ID, d)
		}
	}
	if again, v, _ := b.Changes(version); len(again) != 0 || v != version || since != version {
		t.Errorf("%d changes after the last", len(again))
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	for _, reasoning := range []bool{false, true} {
		b, err := board.New(board.Config{Danmaku: 5, Reasoning: reasoning})
		if err != nil {
			t.Fatal(err)
		}
		take(t, b, way(1)...)
		w, ok := b.Window("w-d000#1")
		if !ok || len(w.Steps) != 1 {
			t.Fatalf("window %+v, %v", w, ok)
		}
		s := w.Steps[0]
		if s.Input != "" || (s.Reasoning != "") != reasoning || (s.Output != "") != reasoning {
			t.Errorf("reasoning %v: kept %+v", reasoning, s)
		}
	}
}

func TestAskedAgain(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 5)
	for _, w := range []struct {
		id string
		at int64
	}{{"w2", 9000}, {"w1", 1000}} {
		take(t, b, event.Window{Schema: 1, WindowID: event.WindowID(w.id), RoomID: "r", Kind: event.DanmakuWindow, Mode: event.Multi, Variant: event.Variant("v" + w.id),
			Members: []event.Member{{DanmakuID: "d", Text: "q", PlatformMs: t0}, {DanmakuID: "e", Text: "q", PlatformMs: t0 + 1}}, EarliestMs: t0, AnswerByMs: t0 + 15000, OpenedMs: t0 + w.at})
	}
	r, _ := b.Row("r", "d")
	if len(r.Asks) != 2 || r.Asks[0].Window != "w1" || r.Asks[0].Members != 2 || r.Variant() != "vw2" {
		t.Errorf("row %+v", r)
	}
}

// Speech that a process took back as it drained is said by the next one, as the same
// delivery: what is shown is the later, however often the records come.
func TestTakenBackAndSaid(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 5)
	all := way(1)
	started, ended := all[4].(event.Delivery), all[5].(event.Delivery)
	cancelled, again := started, started
	cancelled.State, cancelled.Reason, cancelled.FirstAudioMs, cancelled.TimeMs = event.DeliveryCancelled, "handed_on", 0, started.TimeMs+500
	again.FirstAudioMs, again.TimeMs = started.FirstAudioMs+900, started.TimeMs+900
	take(t, b, all[:5]...)
	take(t, b, cancelled, started, again, cancelled)
	if s := b.Summary(board.Filter{}); s.Rooms[0].Speaking == nil || s.Rooms[0].Speaking.FirstAudioMs != again.FirstAudioMs {
		t.Errorf("speaking %+v, want %+v", s.Rooms[0].Speaking, again)
	}
	take(t, b, ended, started, cancelled, again)
	r, _ := b.Row("r", "d000")
	if heard := r.Asks[0].Heard; len(heard) != 1 || heard[0].State != event.DeliveryEnded {
		t.Errorf("heard %+v", heard)
	}
	if s := b.Summary(board.Filter{}); s.Rooms[0].Speaking != nil {
		t.Errorf("still speaking %+v", s.Rooms[0].Speaking)
	}
}

// A newcomer is written what another's window says, which its own outcome does not name:
// its row tells it whichever topic is read first.
func TestNewcomersRow(t *testing.T) {
	t.Parallel()
	all := way(1)
	asked := t0 + 9000
	text := all[5].(event.Delivery)
	text.DeliveryID, text.Channel, text.State, text.DanmakuIDs, text.TimeMs = "w-d000/text/new", event.Private, event.DeliverySent, []event.DanmakuID{"new"}, asked+500
	own := []event.Event{
		event.Danmaku{Schema: 1, DanmakuID: "new", RoomID: "r", Text: "q", PlatformTimeMs: asked},
		event.Outcome{Schema: 1, DanmakuID: "new", RoomID: "r", State: event.Merged, Reason: "cooled_down", By: "aggregator", CoverID: "d000", Variant: "v", PlatformMs: asked, SpeakByMs: asked + 20_000, TimeMs: asked + 1},
		text,
	}
	for range 2 {
		b := newBoard(t, 5)
		take(t, b, append(slices.Clone(all), own...)...)
		slices.Reverse(own)
		r, _ := b.Row("r", "new")
		if r.Ended() != event.Merged || len(r.Asks) != 1 || len(r.Asks[0].Heard) != 1 || r.Asks[0].Heard[0].Channel != event.Private {
			t.Errorf("row %+v", r)
		}
	}
}

// Platforms number danmaku within a room: equal ids of two rooms are two danmaku.
func TestEqualIDsInTwoRooms(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 5)
	for i, room := range []event.RoomID{"r1", "r2"} {
		state := []event.State{event.Answered, event.Expired}[i]
		take(t, b, event.Danmaku{Schema: 1, DanmakuID: "7", RoomID: room, Text: "in " + string(room), PlatformTimeMs: t0 + int64(i)},
			event.GuardrailHit{Schema: 1, HitID: "h" + string(room), RoomID: room, DanmakuIDs: []event.DanmakuID{"7"}, Rule: "x", Version: "1", Stage: "s", Action: "a", TimeMs: t0},
			event.Outcome{Schema: 1, DanmakuID: "7", RoomID: room, State: state, Reason: "x", By: "dispatcher", PlatformMs: t0 + int64(i), TimeMs: t0 + 9})
	}
	for _, room := range []event.RoomID{"r1", "r2"} {
		if r, ok := b.Row(room, "7"); !ok || r.Text != "in "+string(room) || r.Conflict || len(r.Hits) != 1 {
			t.Errorf("%s: %+v", room, r)
		}
	}
	var rooms []event.RoomID
	for _, r := range b.Named("7") {
		rooms = append(rooms, r.Room)
	}
	if s := b.Summary(board.Filter{}); s.Danmaku != 2 || s.Conflict != 0 || !slices.Equal(rooms, []event.RoomID{"r2", "r1"}) {
		t.Errorf("%d danmaku, %d in conflict; 7 is in %v", s.Danmaku, s.Conflict, rooms)
	}
}

func TestRoomsAndSummary(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 50)
	all := way(3)
	take(t, b, event.RoomEvent{Schema: 1, EventID: "o", RoomID: "r", Kind: event.RoomOpened, TimeMs: t0, Settings: &event.RoomSettings{Language: "zh", HostName: "小播"}},
		event.RoomEvent{Schema: 1, EventID: "f", RoomID: "r", Kind: event.ProductInFocus, LinkID: "7", TimeMs: t0})
	take(t, b, all[:5]...) // speaking
	take(t, b, event.RoomEvent{Schema: 1, EventID: "c0", RoomID: "r", Kind: event.RoomClosed, TimeMs: t0 - 1})
	s := b.Summary(board.Filter{})
	if room := s.Rooms[0]; room.Speaking == nil || room.Speaking.Text != "a" || !room.Open || room.Focus != "7" || room.Mode != event.Single || room.HostName != "小播" {
		t.Errorf("room %+v", s.Rooms[0])
	}
	take(t, b, all[5:]...)
	late := event.Outcome{Schema: 1, DanmakuID: "late", RoomID: "r", State: event.Answered, Reason: "spoken", By: "dispatcher", PlatformMs: t0, ReplyMs: t0 + 15_001, TimeMs: t0}
	expired := event.Outcome{Schema: 1, DanmakuID: "d000", RoomID: "r", State: event.Expired, Reason: "late", By: "dispatcher", PlatformMs: t0, TimeMs: t0}
	take(t, b, late, expired, event.Danmaku{Schema: 1, DanmakuID: "p", RoomID: "r2", Text: "x", PlatformTimeMs: t0},
		event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed, TimeMs: t0 + 99_000})
	s = b.Summary(board.Filter{})
	if s.Danmaku != 5 || s.Pending != 1 || s.ByState[event.Answered] != 4 || s.Late != 1 || s.Conflict != 1 || s.Rooms[0].Open || s.Rooms[0].Speaking != nil {
		t.Errorf("summary %+v", s)
	}
	if s = b.Summary(board.Filter{Outcome: board.Pending}); s.Danmaku != 1 || strings.Join([]string{string(s.Variants[0])}, "") != "v" {
		t.Errorf("of those that wait: %+v", s)
	}
}

// Memory is bounded whatever comes.
func TestBounded(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 100)
	for i := range 700 {
		take(t, b, event.RoomEvent{Schema: 1, EventID: fmt.Sprint("o", i), RoomID: event.RoomID(fmt.Sprint("r", i)), Kind: event.RoomOpened, TimeMs: t0 + int64(i)},
			event.Step{Schema: 1, RunID: "w#1", WindowID: "w", RoomID: "r", Variant: "v", Seq: i + 1, Kind: event.StepTool, Name: "t", Output: strings.Repeat("长", 1000), StartedMs: t0},
			event.GuardrailHit{Schema: 1, HitID: fmt.Sprint(i), RoomID: "r", DanmakuIDs: []event.DanmakuID{"d"}, Rule: "x", Version: "1", Stage: "s", Action: "a", TimeMs: t0 + int64(1e9)},
			event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(fmt.Sprint(i)), RoomID: "r", Text: "x", PlatformTimeMs: t0 + int64(i%500)})
	}
	s := b.Summary(board.Filter{})
	r, _ := b.Row("r", "d")
	w, _ := b.Window("w")
	rows, _ := b.Latest(board.Filter{}, 10_000)
	if len(s.Rooms) > 500 || len(r.Hits) > 20 || len(w.Steps) > 100 || len(w.Steps[0].Output) > 2000 || len(rows) != 100 {
		t.Errorf("%d rooms, %d hits, %d steps of %d bytes, %d rows", len(s.Rooms), len(r.Hits), len(w.Steps), len(w.Steps[0].Output), len(rows))
	}
}

func TestUndecodable(t *testing.T) {
	t.Parallel()
	b := newBoard(t, 5)
	for _, topic := range board.Topics() {
		if err := b.Take(streams.Record{Topic: topic, Value: []byte("{")}); err == nil {
			t.Errorf("%s: broken record taken", topic)
		}
	}
	if err := b.Take(streams.Record{Topic: "else", Value: []byte("{")}); err != nil {
		t.Errorf("a topic that is not ours: %v", err)
	}
	if _, err := board.New(board.Config{}); err == nil {
		t.Error("a board of nothing")
	}
}

func BenchmarkTake(b *testing.B) {
	all := way(500)
	records := make([]streams.Record, len(all))
	for i, e := range all {
		v, err := event.Encode(e)
		if err != nil {
			b.Fatal(err)
		}
		records[i] = streams.Record{Topic: e.Topic(), Value: v}
	}
	bd := newBoard(b, 2000)
	i := 0
	for b.Loop() {
		_ = bd.Take(records[i%len(records)])
		i++
	}
}
