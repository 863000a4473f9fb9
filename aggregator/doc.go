// Package aggregator turns the danmaku of live rooms into windows for the agent.
//
// It owns every danmaku before it is in a window.v1: whether it is filtered,
// merged into another's answer, shed or let in, its variant and exposure, and the
// room's context at the comment's time. After that it follows replies, deliveries
// and outcomes, to keep its windows in flight bounded, to merge those that asked
// the same, and to ask again what was not covered or went stale. It does not
// assign variants, call policies or speak.
//
// Rooms are state machines: a record or a moment goes in, events come out and are
// published before the record is acknowledged. A room is guarded by its lock,
// which is held while its events are published, so that they keep their order;
// the partition's lock is only taken inside a room's for short bookkeeping, and inside
// both that of the clocks' offsets, which rooms learn from each other.
//
// Invariants:
//   - a danmaku's record is acknowledged when its outcome is in the log, no sooner;
//   - a danmaku is in at most one live window: a second one opens only after the
//     first gave it back (not covered, stale fact), under another window id;
//   - the same window id always holds the same first danmaku and ask, so a window
//     published twice is one window to its claims;
//   - on assignment everything the log knows about a danmaku is known before the
//     danmaku is handed over again: no second outcome is written;
//   - windows never mix variants; merging never crosses variants;
//   - an answer covers nobody after its fact has changed, that of any product where the
//     question names one in words, and nothing of one broadcast covers, shows or is
//     answered in the next; which one is on event.OnAir tells, by events, danmaku and,
//     after a restart, windows;
//   - who is merged into an answer has it in their dialogue;
//   - chat shares no window with questions, and waits for its window to fill; while more
//     questions wait than one window holds it has one a minute (chat.go);
//   - a room in which nothing is open and nothing happens is kept as its state only.
package aggregator
