package agentworker

import (
	"context"
	"log/slog"
	"slices"
)

// layered are shared claims with a copy in this process: when the shared store is
// away the copy decides (partitions have one owner, so it is right but for a
// handover in the meantime), and what the copy knows to be done stays done when
// the store has forgotten.
type layered struct {
	local  *MemoryClaims
	shared Claims
	log    *slog.Logger
}

func (l *layered) Claim(ctx context.Context, c Claim) (got Claimed, degraded bool) {
	got, err := l.shared.Claim(ctx, c)
	if err != nil {
		l.log.Warn("claims are away, going on from memory", "err", err)
		got, _ = l.local.Claim(ctx, c) // memory does not fail
		return got, true
	}
	if got.Wait > 0 {
		return got, false
	}
	got.Held = slices.DeleteFunc(got.Held, func(k ClaimKey) bool { return l.local.finished(c.RoomID, k) })
	c.Keys = got.Held
	if last := l.local.lastAttempt(c); last >= got.Attempt { // the store has forgotten an attempt that the log knows
		got.Attempt = last + 1
		if err := l.shared.Mark(ctx, c, got.Attempt, MarkAttempt); err != nil {
			l.log.Warn("claims are away, going on from memory", "err", err)
			degraded = true
		}
	}
	l.local.mirror(c, got)
	return got, degraded
}

func (l *layered) Renew(ctx context.Context, c Claim, attempt int) bool {
	held, err := l.shared.Renew(ctx, c, attempt)
	if err != nil {
		l.log.Warn("claims are away, going on from memory", "err", err)
		held, _ = l.local.Renew(ctx, c, attempt)
		return held
	}
	if _, err := l.local.Renew(ctx, c, attempt); err != nil {
		return false
	}
	return held
}

func (l *layered) Mark(ctx context.Context, c Claim, attempt int, m Mark) {
	if err := l.shared.Mark(ctx, c, attempt, m); err != nil {
		l.log.Warn("claims are away, going on from memory", "err", err)
	}
	_ = l.local.Mark(ctx, c, attempt, m) // memory does not fail
}
