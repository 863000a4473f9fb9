// Package dispatcher makes replies heard: one ordered voice per room, and private
// text. It reads reply.v1, room-event.v1 and, of outcome.v1, hand-overs and who asked for what was just said; it
// writes delivery.v1, outcome.v1 and guardrail-hit.v1.
//
// It owns the terminal state of every danmaku from its reply.v1 on, the order of a
// room's speech, and what was heard (delivery.v1). It does not own what is said
// (agentworker), windows and asking again (aggregator), how text becomes speakable
// (dispatcher/speech), lengths and order as arithmetic (dispatcher/pacing), or how
// audio and messages leave the process (dispatcher/outlet).
//
// A room decides under its lock and returns a plan; the plan is carried out
// (published, sent, spoken) without it. The lock order is room, then partition.
//
// Invariants:
//   - nobody hears an answer twice: a danmaku has at most one owner here, a ledger
//     claim precedes speech and private text, and what the log says was delivered
//     is never delivered again;
//   - delivery.v1 started is acknowledged before the first audio; then ended is
//     acknowledged before the outcomes; a reply's record is acknowledged after the
//     outcomes of all its danmaku. Hence a crash leaves the reply to be handed over
//     again, and the log decides: ended without outcome is answered, started
//     without end is interrupted and failed, never spoken again;
//   - a process that was stopped, or lost its partitions, tells no other end of what its
//     successor has dealt with;
//   - late is never spoken or sent: checked on arrival, on dequeue, before started
//     and before the first audio, per danmaku; speech that would be late is written to
//     those of its askers whom private text reaches, all of them, before it is late;
//   - speech holds a lease of the room's voice with the owner's fence: a new owner waits
//     for it, the old one falls silent before it ends by its own clock;
//   - nothing is begun, and no call but to the log made again, once a partition drains;
//     what was announced and not begun is cancelled, and the next owner decides anew;
//   - a stopped voice says nothing, and falls silent in the middle of a sentence;
//   - what a shadow release decided is noted, and reaches nobody;
//   - which broadcast is on is told as the aggregator tells it (event.OnAir): what has a
//     window is said, and nothing of a broadcast that is over; what was heard in one
//     stands for no answer in the next;
//   - one voice per question and room across variants; variants never share text;
//   - the same words of the same goods are not heard twice within a short while, whoever asked;
//   - what is no longer right stands for no other answer; whether a run knew of a change is
//     told by when the change came into the log.
//
// Who does what when a fact changes while speech waits: the dispatcher writes
// delivery.v1 cancelled with stale_fact and lists the danmaku that may still be
// asked again (answer_by not passed); from then on these are the aggregator's, which
// asks again or ends them. The others end here, as expired(stale_fact).
//
// Who asks for what the room heard a moment ago is merged into it by the aggregator; as a
// newcomer to it they are written it, where the room has private text: a delivery.v1 sent,
// and no outcome.
//
// One exception to "the aggregator alone writes merged": in a room without private text,
// askers of another variant who heard that variant's answer (heard_other_variant), and
// askers whose answer the room has just heard to the word (same_words), are merged here,
// with delivery.v1 skipped naming the heard variant.
package dispatcher
