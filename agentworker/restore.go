package agentworker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// Assigned rebuilds the partition's claims from the log: done from reply.v1 and
// outcome.v1, begun attempts from the claim steps of trajectory.v1. That goes into
// this process's copy: the shared store is asked only where its own memory would
// keep a danmaku from being answered at all.
func (a *Agent) Assigned(ctx context.Context, n int32) error {
	p := &partition{replied: map[event.WindowID]bool{}}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	since := time.Now().Add(-a.cfg.ReadBack)
	for _, source := range []struct {
		topic string
		take  func(context.Context, *partition, streams.Record) error
	}{
		{event.TopicReply, a.restoreReply},
		{event.TopicOutcome, a.restoreOutcome},
		{event.TopicTrajectory, a.restoreAttempt},
	} {
		from, err := a.from(ctx, source.topic, n, since)
		if err == nil {
			_, err = a.deps.Reader.Read(ctx, source.topic, n, from, func(r streams.Record) error {
				if r.AppendTime.Before(since) {
					return nil
				}
				return source.take(ctx, p, r)
			})
		}
		if err != nil {
			p.cancel()
			return fmt.Errorf("agentworker: partition %d: %s: %w", n, source.topic, err)
		}
	}
	a.mu.Lock()
	a.partitions[n] = p
	a.mu.Unlock()
	return nil
}

// from is where to begin, so that a log of weeks is not read.
func (a *Agent) from(ctx context.Context, topic string, n int32, since time.Time) (int64, error) {
	if s, ok := a.deps.Reader.(streams.Seeker); ok {
		return s.OffsetAt(ctx, topic, n, since)
	}
	return 0, nil
}

func (a *Agent) restoreReply(ctx context.Context, p *partition, r streams.Record) error {
	rep, err := event.Decode[event.Reply](r.Value)
	if err != nil {
		return nil // a record that cannot be read is nobody's claim
	}
	p.replied[rep.ReplyID] = true
	c := Claim{RoomID: rep.RoomID, WindowID: rep.ReplyID}
	w := event.Window{Kind: rep.Kind, WindowID: rep.ReplyID, Members: rep.Members}
	c.Keys = keysOf(&w)
	done, free := split(c, &rep)
	a.mark(ctx, free, rep.Attempt, MarkFree) // a key that stays held would be nobody's to answer
	return a.claims.local.Mark(ctx, done, rep.Attempt, MarkDone)
}

// restoreOutcome takes an end as the end of every asking.
func (a *Agent) restoreOutcome(ctx context.Context, _ *partition, r streams.Record) error {
	o, err := event.Decode[event.Outcome](r.Value)
	if err != nil {
		return nil
	}
	c := Claim{RoomID: o.RoomID, WindowID: o.WindowID, Keys: []ClaimKey{{o.DanmakuID, 1}, {o.DanmakuID, 2}}}
	return a.claims.local.Mark(ctx, c, 1, MarkDone)
}

var claimKind = []byte(`"kind":"` + event.StepClaim + `"`)

func (a *Agent) restoreAttempt(ctx context.Context, p *partition, r streams.Record) error {
	if !bytes.Contains(r.Value, claimKind) { // most steps are large and not claims
		return nil
	}
	st, err := event.Decode[event.Step](r.Value)
	if err != nil || st.Kind != event.StepClaim || p.replied[st.WindowID] {
		return nil
	}
	c := Claim{RoomID: st.RoomID, WindowID: st.WindowID}
	if json.Unmarshal([]byte(st.Input), &c.Keys) != nil {
		return nil
	}
	_, number, _ := strings.Cut(string(st.RunID), string(st.WindowID)+"#")
	attempt, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	return a.claims.local.Mark(ctx, c, attempt, MarkAttempt)
}
