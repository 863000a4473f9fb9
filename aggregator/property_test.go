package aggregator_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
	"livehost/streams/event"
)

// A script is bytes: an operation and its argument each. The same bytes make the
// same evening, so a failing one can be kept and made smaller.

const scriptOps = 14

var askedTexts = []string{
	"多少钱", "价格", "3号多少钱", "3号什么价", "防水吗", "不防水吗", "哈哈哈", "感谢主播", "加微信", "[赞]", "我的快递到哪了", "什么牌子", "啥牌子", "有货吗",
	"how much", "5号怎么洗", "666", "太好看了", "晚上好", "",
}

// act plays one operation.
func act(r *rig, op, arg byte, n int) {
	id := fmt.Sprint("d", n)
	viewer := fmt.Sprint(string("ab"[arg%2]), arg%16)
	link := event.LinkID(fmt.Sprint(arg%4 + 1))
	known := event.DanmakuID(fmt.Sprint("d", n-1-int(arg)%8))
	kind := func(k event.RoomEventKind, set func(*event.RoomEvent)) { r.put(r.event(k, set)) }
	switch op % scriptOps {
	case 0, 1, 2, 3:
		r.say(id, viewer, askedTexts[int(arg)%len(askedTexts)])
	case 4:
		r.say(id, viewer, fmt.Sprintf("%d号适合%d岁吗", arg%9+1, n))
	case 5: // an old, a future or an anonymous one
		d := r.danmaku(id, []string{"0", "", viewer}[arg%3], "多少钱")
		d.PlatformTimeMs += int64(arg%5)*6000 - 18_000
		r.put(d)
	case 6: // the same again, of another producer
		d := r.danmaku(string(known), viewer, "多少钱")
		d.Source = "other"
		r.put(d)
	case 7:
		kind(event.DanmakuRetracted, func(e *event.RoomEvent) { e.DanmakuID = known })
	case 8:
		kind(event.ProductChanged, func(e *event.RoomEvent) { e.LinkID = link })
	case 9:
		kind(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = link; e.TimeMs -= int64(arg) * 10 })
	case 10:
		kind(event.Gift, func(e *event.RoomEvent) { e.ViewerID, e.GiftName, e.Count = event.ViewerID(viewer), "Rose", int64(arg) })
	case 11:
		r.pass(time.Duration(arg) * 20 * time.Millisecond)
	case 12:
		if arg%2 == 0 {
			r.restart()
			r.run()
			return
		}
		r.crashAt, r.landed = r.publishes.Load()+1+int64(arg)%5, arg%3 == 0
	case 13:
		if arg%3 == 0 {
			kind(event.RoomClosed, nil)
		}
		r.pass(time.Second)
		kind(event.RoomOpened, func(e *event.RoomEvent) {
			e.BroadcastID = event.BroadcastID(fmt.Sprint("b", arg%3))
			e.Settings = &event.RoomSettings{Language: "zh", PrivateText: arg%2 == 0, EventReply: true}
		})
	}
}

// stages is the agent worker and the dispatcher, as far as the aggregator sees
// them: the first window to claim a danmaku has it, and everything claimed ends.
type stages struct {
	salt    byte
	claimed map[string]bool // danmaku and ask, or danmaku and return
	ended   map[event.DanmakuID]bool
	replied map[event.WindowID]bool
	gaveUp  map[event.DanmakuID]bool // not covered once
}

func newStages(salt byte) *stages {
	return &stages{salt, map[string]bool{}, map[event.DanmakuID]bool{}, map[event.WindowID]bool{}, map[event.DanmakuID]bool{}}
}

func (s *stages) roll(parts ...any) int {
	h := fnv.New32a()
	fmt.Fprint(h, s.salt, parts)
	return int(h.Sum32()>>3) % 20
}

func (s *stages) answer(w event.Window) []event.Event {
	if s.replied[w.WindowID] {
		return nil
	}
	s.replied[w.WindowID] = true
	rep := reply(w)
	var out []event.Event
	for _, m := range w.Members {
		claim := fmt.Sprint(m.DanmakuID, m.Ask, s.gaveUp[m.DanmakuID])
		if s.claimed[claim] || s.ended[m.DanmakuID] {
			continue
		}
		s.claimed[claim] = true
		end := func(state event.State, ch event.Channel) {
			s.ended[m.DanmakuID] = true
			out = append(out, outcomeOf(w, m.DanmakuID, state, ch))
		}
		switch roll := s.roll(m.DanmakuID, m.Ask); {
		case roll < 3 && !s.gaveUp[m.DanmakuID]:
			s.gaveUp[m.DanmakuID] = true
			rep.NotCovered = append(rep.NotCovered, m.DanmakuID)
		case roll < 3: // a second time: it is the aggregator's again, and ends there
			rep.NotCovered = append(rep.NotCovered, m.DanmakuID)
		case roll == 3 && m.Ask == 1:
			out = append(out, event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public,
				State: event.DeliveryCancelled, StaleFact: true, DanmakuIDs: []event.DanmakuID{m.DanmakuID}, TimeMs: time.Now().UnixMilli(),
			})
		default:
			states := []event.State{event.Silent, event.HandedOver, event.Suppressed, event.Expired, event.Failed, event.Retracted}
			if roll < 4+len(states) {
				end(states[roll-4], "")
			} else if roll < 13 {
				end(event.Answered, event.Private)
			} else {
				end(event.Answered, event.Public)
			}
		}
	}
	return append([]event.Event{rep}, out...)
}

// playScript runs a script and checks everything that must hold of any evening.
func playScript(t *testing.T, script []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cfg := aggregator.DefaultConfig()
		r := newRig(t, cfg)
		if len(script) >= 2 {
			r.runTime = time.Duration(script[0]%60) * 100 * time.Millisecond
			r.answer = newStages(script[1]).answer
			script = script[2:]
		} else {
			r.answer = newStages(0).answer
		}
		for n := 0; n+1 < len(script); n += 2 {
			act(r, script[n], script[n+1], n/2)
		}
		r.step = 250 * time.Millisecond
		r.pass(75 * time.Second)
		r.conserved()
		r.bounded(cfg)
		r.stop()
	})
}

// conserved checks that each accepted danmaku ended once and completely, and that
// every record was acknowledged.
func (r *rig) conserved() {
	r.t.Helper()
	got := map[event.DanmakuID]event.Outcome{}
	for _, o := range all[event.Outcome](r) {
		if old, twice := got[o.DanmakuID]; twice {
			r.t.Errorf("%s ended twice: %s %s by %s, then %s %s by %s", o.DanmakuID, old.State, old.Reason, old.By, o.State, o.Reason, o.By)
		}
		got[o.DanmakuID] = o
		if o.By == "aggregator" && (o.TimeMs == 0 || o.PlatformMs == 0) {
			r.t.Errorf("outcome without times: %+v", o)
		}
		if o.By == "aggregator" && o.State == event.Merged && (o.CoverID == "" || o.ReplyMs == 0) {
			r.t.Errorf("merged into nothing: %+v", o)
		}
	}
	for _, d := range all[event.Danmaku](r) {
		if _, ok := got[d.DanmakuID]; !ok {
			r.t.Errorf("%s %q has no outcome", d.DanmakuID, d.Text)
		}
	}
	for _, o := range got {
		if c, ok := got[o.CoverID]; o.State == event.Merged && (!ok || c.State != event.Answered || c.Variant != "" && c.Variant != o.Variant) {
			r.t.Errorf("%s is merged into %s, which was %s", o.DanmakuID, o.CoverID, c.State)
		}
	}
	for _, rec := range r.records() {
		if consumed(rec) && !r.committed(rec) {
			r.t.Errorf("%s %d is not acknowledged", rec.Topic, rec.Offset)
		}
	}
}

// bounded checks what holds of every window, as the log has it.
func (r *rig) bounded(cfg aggregator.Config) {
	r.t.Helper()
	flying := map[event.WindowID]event.Window{}
	open := map[event.WindowID]map[event.DanmakuID]bool{}
	seen := map[event.WindowID]bool{}
	for _, rec := range r.records() {
		switch rec.Topic {
		case event.TopicWindow:
			w, err := event.Decode[event.Window](rec.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			r.window(w, cfg)
			if seen[w.WindowID] {
				continue // published again by the next owner
			}
			seen[w.WindowID] = true
			flying[w.WindowID], open[w.WindowID] = w, map[event.DanmakuID]bool{}
			for _, m := range w.Members {
				open[w.WindowID][m.DanmakuID] = true
			}
			room, variant := 0, 0
			for _, f := range flying {
				if w.OpenedMs < f.EarliestMs+cfg.MaxInFlight.Milliseconds() {
					room++
					if f.Variant == w.Variant {
						variant++
					}
				}
			}
			if variant > cfg.MaxPerVariant || room > cfg.MaxPerRoom {
				r.t.Errorf("window %s makes %d of its variant and %d of the room in flight", w.WindowID, variant, room)
			}
		case event.TopicReply:
			e, err := event.Decode[event.Reply](rec.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			delete(flying, e.ReplyID)
		case event.TopicOutcome:
			o, err := event.Decode[event.Outcome](rec.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			for w := range flying {
				if delete(open[w], o.DanmakuID); len(open[w]) == 0 && flying[w].Kind == event.DanmakuWindow {
					delete(flying, w)
				}
			}
		}
	}
}

func (r *rig) window(w event.Window, cfg aggregator.Config) {
	r.t.Helper()
	if len(w.Members) > cfg.MaxMembers {
		r.t.Errorf("window %s has %d members", w.WindowID, len(w.Members))
	}
	if w.Kind == event.DanmakuWindow && w.OpenedMs > w.AnswerByMs {
		r.t.Errorf("window %s opened after its answer_by", w.WindowID)
	}
	in := map[event.DanmakuID]bool{}
	for _, m := range w.Members {
		variant := event.Variant("control")
		if m.ViewerID != "" && m.ViewerID[0] == 'b' {
			variant = "treatment"
		}
		if variant != w.Variant {
			r.t.Errorf("window %s of %s holds %s of %s", w.WindowID, w.Variant, m.DanmakuID, variant)
		}
		if in[m.DanmakuID] {
			r.t.Errorf("window %s holds %s twice", w.WindowID, m.DanmakuID)
		}
		in[m.DanmakuID] = true
	}
}

func FuzzEvening(f *testing.F) {
	f.Add([]byte{30, 1, 0, 0, 1, 2, 2, 4, 11, 200, 12, 0, 0, 1, 8, 2, 0, 3})
	f.Add([]byte{1, 7, 0, 0, 0, 1, 7, 0, 13, 3, 0, 2, 6, 1, 11, 100})
	const longest = 82 // bytes: 40 operations, or the fuzzer gets through too few evenings
	f.Fuzz(func(t *testing.T, script []byte) { playScript(t, script[:min(len(script), longest)]) })
}

func TestRandomEvenings(t *testing.T) {
	t.Parallel()
	evenings := 150
	if testing.Short() {
		evenings = 20
	}
	for seed := range evenings {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		script := make([]byte, 2+2*rng.IntN(120))
		for i := range script {
			script[i] = byte(rng.Uint32())
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { playScript(t, script) }) {
			t.Logf("script %#v", script)
			return
		}
	}
}
