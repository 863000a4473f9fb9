package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// danmaku is one room's: platforms number them by room.
type danmaku struct {
	room event.RoomID
	id   event.DanmakuID
}

// log is what dispatchers wrote.
type log struct {
	outcomes   map[danmaku][]event.Outcome
	deliveries map[event.DeliveryID][]event.Delivery // states in order
}

func readLog(ctx context.Context, reader streams.Reader) (*log, error) {
	l := &log{outcomes: map[danmaku][]event.Outcome{}, deliveries: map[event.DeliveryID][]event.Delivery{}}
	partitions, err := reader.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	for p := range partitions {
		if _, err := reader.Read(ctx, event.TopicOutcome, p, 0, func(rec streams.Record) error {
			o, err := event.Decode[event.Outcome](rec.Value)
			l.outcomes[danmaku{o.RoomID, o.DanmakuID}] = append(l.outcomes[danmaku{o.RoomID, o.DanmakuID}], o)
			return err
		}); err != nil {
			return nil, err
		}
		if _, err := reader.Read(ctx, event.TopicDelivery, p, 0, func(rec streams.Record) error {
			d, err := event.Decode[event.Delivery](rec.Value)
			l.deliveries[d.DeliveryID] = append(l.deliveries[d.DeliveryID], d)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// result is the report.
type result struct {
	Seed        uint64         `json:"seed"`
	Minutes     float64        `json:"minutes"`
	Rooms       int            `json:"rooms"`
	Dispatchers int            `json:"dispatchers"`
	Kills       int            `json:"kills"`
	Pauses      int            `json:"pauses"`
	Danmaku     int            `json:"danmaku"`
	Due         int            `json:"due"`               // to be answered: neither retracted nor merged
	Spoken      int            `json:"spoken"`            // of them, heard to the end
	Written     int            `json:"written"`           // of them, answered in private text
	Share       float64        `json:"share"`             // spoken and written of due
	DueAloud    int            `json:"due_aloud"`         // due with a text for the room
	ShareAloud  float64        `json:"share_aloud"`       // answered of them, aloud or in writing
	Heard       float64        `json:"heard"`             // share of due that reached somebody whole, as the receiver has it
	HeardTwice  int            `json:"heard_twice"`       // sentences begun again, and danmaku answered again
	Overlaps    int            `json:"overlaps"`          // sentences begun while another was heard
	Fenced      int            `json:"fenced"`            // cues that the receiver refused
	NoReason    int            `json:"without_reason"`    // due danmaku without outcome or without its reason
	Conflicts   int            `json:"conflicts"`         // danmaku with different outcomes
	Skipped     int            `json:"skipped"`           // deliveries cut off or unknowable
	SkippedMost int            `json:"skipped_most"`      // of them by one kill in one room
	SilenceS    [2]float64     `json:"silence_s_p50_p95"` // from a kill that cut a room off to its next speech
	SpeechS     float64        `json:"speech_s_mean"`     // heard to the end
	Outcomes    map[string]int `json:"outcomes"`
	LoadLateMs  int64          `json:"load_late_ms"`
	WallS       float64        `json:"wall_s"`
	Findings    []string       `json:"findings,omitempty"`
}

// enough is the share of due replies that must be answered.
const enough = 0.95

func (r *result) good() bool {
	return r != nil && r.Due > 0 && r.Share >= enough && r.SkippedMost <= 1 && len(r.Findings) == 0 &&
		r.HeardTwice+r.Overlaps+r.NoReason+r.Conflicts == 0
}

func (r *result) find(format string, args ...any) {
	r.Findings = append(r.Findings, fmt.Sprintf(format, args...))
}

// judge holds what was heard against what was asked and what the log says.
func judge(o options, list []asked, l *log, heard *receiver, kills []kill) *result {
	heard.mu.Lock()
	defer heard.mu.Unlock()
	r := &result{
		Seed: o.seed, Minutes: o.length.Minutes(), Rooms: o.rooms, Dispatchers: o.dispatchers, Kills: o.kills, Pauses: o.pauses,
		Outcomes: map[string]int{}, HeardTwice: heard.counted.twice, Overlaps: heard.counted.overlaps, Fenced: heard.counted.fenced,
		Findings: slices.Clone(heard.what),
	}
	aloud := map[danmaku]bool{}
	for _, a := range list {
		if e, ok := a.event.(event.Reply); ok {
			d := danmaku{e.RoomID, e.Members[0].DanmakuID}
			aloud[d] = aloud[d] || e.Public != nil
		}
	}
	got := r.twice(l, heard)
	answeredAloud, reached := 0, 0
	for d, public := range aloud {
		state := r.outcome(d, l.outcomes[d])
		switch state {
		case event.Retracted, event.Merged:
			continue
		case event.Answered:
			if l.outcomes[d][0].Channel == event.Public {
				r.Spoken++
			} else {
				r.Written++
			}
		}
		r.Due++
		if slices.ContainsFunc(got[d], func(id event.DeliveryID) bool { return heard.whole[id] || heard.sent[id] }) {
			reached++
		}
		if public {
			if r.DueAloud++; state == event.Answered {
				answeredAloud++
			}
		}
	}
	r.Danmaku = len(aloud)
	r.Share, r.ShareAloud = share(r.Spoken+r.Written, r.Due), share(answeredAloud, r.DueAloud)
	r.Heard = share(reached, r.Due)
	r.skips(l, heard, kills)
	return r
}

// share is 0 of nothing: good then says that nothing was due.
func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// outcome counts how a danmaku ended.
func (r *result) outcome(d danmaku, list []event.Outcome) event.State {
	if len(list) == 0 || list[0].Reason == "" {
		r.NoReason++
		r.find("%s/%s has no outcome with a reason", d.room, d.id)
		return ""
	}
	for _, o := range list[1:] {
		if o.State != list[0].State {
			r.Conflicts++
			r.find("%s/%s is %s (%s) and %s (%s)", d.room, d.id, list[0].State, list[0].Reason, o.State, o.Reason)
			break
		}
	}
	r.Outcomes[string(list[0].State)+" "+list[0].Reason]++
	return list[0].State
}

// twice counts the danmaku whose answer came by more than one delivery, and those whose
// outcome says that it came although it did not. It returns by what each was reached.
func (r *result) twice(l *log, heard *receiver) (got map[danmaku][]event.DeliveryID) {
	got = map[danmaku][]event.DeliveryID{}
	for id, states := range l.deliveries {
		_, begun := heard.begun[id]
		if !begun && !heard.sent[id] {
			continue
		}
		for _, d := range states[0].DanmakuIDs {
			at := danmaku{states[0].RoomID, d}
			got[at] = append(got[at], id)
		}
	}
	for d, list := range got {
		if len(list) > 1 {
			slices.Sort(list)
			r.HeardTwice++
			r.find("%s/%s was answered by %v", d.room, d.id, list)
		}
	}
	for d, list := range l.outcomes {
		if list[0].State == event.Answered && len(got[d]) == 0 {
			r.find("%s/%s is answered, and the receiver has nothing of it", d.room, d.id)
		}
	}
	return got
}

// within is how far a kill and the record of what it cut off may be apart.
const within = 45 * time.Second

// skips finds for each speech that was cut off or is unknowable the kill that did it.
func (r *result) skips(l *log, heard *receiver, kills []kill) {
	type at struct {
		kill int
		room event.RoomID
	}
	count := map[at]int{}
	var silences []float64
	var spokenMs, spoken int64
	for _, id := range slices.Sorted(maps.Keys(l.deliveries)) {
		first, last := l.deliveries[id][0], l.deliveries[id][len(l.deliveries[id])-1]
		if last.State == event.DeliveryEnded {
			spokenMs, spoken = spokenMs+last.EndMs-last.FirstAudioMs, spoken+1
		}
		if last.State == event.DeliveryStarted {
			r.find("%s began and has no end", id)
		}
		if last.Reason != "interrupted" {
			continue
		}
		r.Skipped++
		which := cause(first, last, kills, func(kill int) bool { return count[at{kill, first.RoomID}] == 0 })
		if which < 0 {
			r.find("%s (%s, then %s %v later) was cut off or unknowable about %s, and no kill explains it; %s", id, first.State, last.State,
				time.Duration(last.TimeMs-first.TimeMs)*time.Millisecond, time.UnixMilli(first.TimeMs).Format(time.StampMilli), around(first, kills))
			continue
		}
		k := at{which, first.RoomID}
		count[k]++
		if r.SkippedMost = max(r.SkippedMost, count[k]); count[k] > 1 {
			r.find("%s is not the only one of its room that ended with %s at %s", id, kills[which].what, kills[which].at.Format(time.TimeOnly))
		}
		for _, v := range heard.voices[first.RoomID] {
			if v.After(kills[which].at) {
				silences = append(silences, v.Sub(kills[which].at).Seconds())
				break
			}
		}
	}
	if spoken > 0 {
		r.SpeechS = float64(spokenMs/spoken) / 1000
	}
	if slices.Sort(silences); len(silences) > 0 {
		r.SilenceS = [2]float64{silences[len(silences)/2], silences[len(silences)*95/100]}
	}
}

// around names the kills nearest to a record.
func around(d event.Delivery, kills []kill) string {
	at := time.UnixMilli(d.TimeMs)
	i := slices.IndexFunc(kills, func(k kill) bool { return k.at.After(at) })
	if i < 0 {
		i = len(kills)
	}
	before, after := "none before", "none after"
	if i > 0 {
		before = fmt.Sprintf("%s %v before", kills[i-1].what, at.Sub(kills[i-1].at).Round(time.Millisecond))
	}
	if i < len(kills) {
		after = fmt.Sprintf("%s %v after", kills[i].what, kills[i].at.Sub(at).Round(time.Millisecond))
	}
	return before + ", " + after
}

// cause is the kill that cut a delivery off, by its first and last record: the first one
// after speech began, and before somebody said that it was cut off; or, when its claim
// alone was found and nothing in the log, the last one before that which is still free.
// Negative: none.
func cause(first, last event.Delivery, kills []kill, free func(int) bool) int {
	noted := time.UnixMilli(first.TimeMs)
	if first.State == event.DeliveryStarted {
		return slices.IndexFunc(kills, func(k kill) bool { return k.at.After(noted) && !k.at.After(time.UnixMilli(last.TimeMs)) })
	}
	for i, k := range slices.Backward(kills) {
		if k.at.Before(noted) && noted.Sub(k.at) < within && free(i) {
			return i
		}
	}
	return -1
}
