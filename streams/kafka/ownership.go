package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/clock"
	"livehost/internal/fault"
)

// ownerKey is where the contexts of Assigned, Handle and Revoked carry their ownership.
type ownerKey struct{}

// ownership is the right to write for a unit's partitions. What is published with a
// context of Assigned or Handle, or one made from it, is written for them: only while
// the process is known to have them. A process that was stopped for longer than its
// session goes on where it was, and would write about what another one has by now.
//
// What happens between the last look and the broker cannot be fenced without
// transactions; the look leaves three quarters of a session for it.
type ownership struct {
	session *session
	unit    *unit
}

// withOwner is ctx for the unit.
func withOwner(ctx context.Context, s *session, u *unit) context.Context {
	return context.WithValue(ctx, ownerKey{}, &ownership{session: s, unit: u})
}

// errNotOwner is the end of a publish for partitions that the process has no more.
var errNotOwner = errors.New("kafka: the partition is another member's")

// owned waits until it is known that the unit is ours still: usually it is. It
// returns an error when the unit is not ours any more, or ctx ends.
func owned(ctx context.Context) error {
	o, ok := ctx.Value(ownerKey{}).(*ownership)
	if !ok {
		return nil
	}
	for attempt := 0; ; attempt++ {
		if o.unit.ctx.Err() != nil {
			return fault.Wrap(fault.Canceled, errNotOwner)
		}
		if o.session.confirmedLately() {
			return nil
		}
		err := o.session.confirm(ctx, o.unit.ctx)
		if err == nil {
			continue
		}
		o.session.log.Warn("membership is not confirmed, what is to be published waits", "partition", o.unit.partition, "err", err)
		wait, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(o.unit.ctx, cancel)
		_ = clock.WallSleep(wait, o.session.cfg.backoff(attempt)) // ctx is looked at below, the unit above
		stop()
		cancel()
		if ctx.Err() != nil {
			return fmt.Errorf("kafka: membership is not confirmed: %w", ctx.Err())
		}
	}
}

// confirmedLately says that the group has known of the member within a quarter of a session.
func (s *session) confirmedLately() bool {
	return time.Since(s.began)-time.Duration(s.confirmed.Load()) < s.cfg.SessionTimeout/4
}

// confirmedAt notes that the group knew of the member when it was asked at that time.
func (s *session) confirmedAt(asked time.Time) {
	at := int64(asked.Sub(s.began))
	for {
		last := s.confirmed.Load()
		if last >= at || s.confirmed.CompareAndSwap(last, at) {
			return
		}
	}
}

// confirm asks the group whether it knows of the member, by a heartbeat of its own.
// A rebalance under way takes nothing before the client has given it up.
func (s *session) confirm(ctx, unit context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.SessionTimeout)
	defer cancel()
	defer context.AfterFunc(unit, cancel)()
	asked := time.Now()
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group = s.binding.Group
	req.MemberID, req.Generation = s.client.GroupMetadata()
	if s.cfg.InstanceID != "" {
		req.InstanceID = &s.cfg.InstanceID
	}
	resp, err := req.RequestWith(ctx, s.client)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil && !errors.Is(err, kerr.RebalanceInProgress) {
		return err
	}
	s.confirmedAt(asked)
	return nil
}
