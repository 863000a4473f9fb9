-- +goose Up
-- Every table takes rows at least once: the same row may come again, in another
-- block, from another process. ReplacingMergeTree keeps one per sorting key; the
-- deduplication window drops a block that is sent again under its token. Time
-- partitions use a time that is part of the row's identity and never changes.
-- Every statement of every migration may run again: one that was interrupted is
-- run from its beginning.

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS danmaku_outcomes (
    room_id        String,
    danmaku_id     String,
    viewer         String COMMENT 'keyed hash; empty for anonymous viewers',
    state          LowCardinality(String),
    reason         LowCardinality(String),
    written_by     LowCardinality(String),
    eligible       UInt8,
    admitted       UInt8,
    window_id      String,
    run_id         String,
    cover_id       String COMMENT 'merged: the danmaku whose answer covers this one',
    channel        LowCardinality(String),
    variant        LowCardinality(String),
    intent         LowCardinality(String),
    platform_time  DateTime64(3, 'UTC') COMMENT 'corrected platform time of the danmaku',
    reply_time     DateTime64(3, 'UTC') COMMENT 'created_ms of the reply.v1 that answers it; 1970 without one',
    outcome_time   DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(platform_time)
ORDER BY (room_id, toStartOfHour(platform_time), danmaku_id, state)
TTL toDateTime(platform_time) + INTERVAL 180 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS windows (
    room_id        String,
    window_id      String,
    broadcast_id   String,
    kind           LowCardinality(String),
    mode           LowCardinality(String),
    variant        LowCardinality(String),
    experiment     LowCardinality(String),
    experiment_version UInt32,
    question_key   String,
    intent         LowCardinality(String),
    class          UInt8,
    members        UInt8,
    danmaku_ids    Array(String),
    earliest_time  DateTime64(3, 'UTC'),
    answer_by      DateTime64(3, 'UTC'),
    opened_time    DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(earliest_time)
ORDER BY (room_id, toStartOfHour(earliest_time), window_id)
TTL toDateTime(earliest_time) + INTERVAL 180 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS replies (
    room_id        String,
    reply_id       String,
    run_id         String,
    attempt        UInt16,
    variant        LowCardinality(String),
    experiment     LowCardinality(String),
    experiment_version UInt32,
    mode           LowCardinality(String),
    intent         LowCardinality(String),
    language       LowCardinality(String),
    public_text    String,
    public_covers  Array(String),
    private_danmaku Array(String),
    private_texts  Array(String),
    not_covered    Array(String),
    not_in_room    Array(String),
    fallback       LowCardinality(String),
    verdict_rules  Array(LowCardinality(String)),
    verdict_actions Array(LowCardinality(String)),
    release        LowCardinality(String),
    policy_version LowCardinality(String),
    harness_hash   LowCardinality(String),
    lane_wall_us   Int64,
    slot_wall_us   Int64,
    policy_wall_us Int64,
    tool_wall_us   Int64,
    run_ms         Int64,
    answer_by      DateTime64(3, 'UTC'),
    created_time   DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(created_time)
ORDER BY (room_id, toStartOfHour(created_time), run_id)
TTL toDateTime(created_time) + INTERVAL 180 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS deliveries (
    room_id        String,
    delivery_id    String,
    reply_id       String,
    run_id         String,
    state          LowCardinality(String),
    reason         LowCardinality(String),
    channel        LowCardinality(String),
    outlet         LowCardinality(String),
    text           String,
    danmaku_ids    Array(String),
    viewer         String COMMENT 'keyed hash; private text only',
    variant        LowCardinality(String),
    heard_variant  LowCardinality(String),
    intent         LowCardinality(String),
    stale_fact     UInt8,
    release        LowCardinality(String),
    policy_version LowCardinality(String),
    harness_hash   LowCardinality(String),
    first_audio    DateTime64(3, 'UTC'),
    end_time       DateTime64(3, 'UTC'),
    speak_by       DateTime64(3, 'UTC'),
    speech_queued_ms Int64,
    event_time     DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(event_time)
ORDER BY (room_id, toStartOfHour(event_time), delivery_id, state)
TTL toDateTime(event_time) + INTERVAL 180 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS trajectory_steps (
    run_id         String,
    seq            UInt16,
    room_id        String,
    window_id      String,
    variant        LowCardinality(String),
    round          UInt8,
    kind           LowCardinality(String),
    name           LowCardinality(String),
    replica        LowCardinality(String),
    input          String COMMENT 'restricted',
    output         String COMMENT 'restricted',
    reasoning      String COMMENT 'restricted; never leaves this table',
    error          String,
    cause          LowCardinality(String),
    budget_ms      Int64,
    first_token_ms Int64,
    prompt_tokens  UInt32,
    completion_tokens UInt32,
    release        LowCardinality(String),
    policy_version LowCardinality(String),
    harness_hash   LowCardinality(String),
    started_time   DateTime64(3, 'UTC'),
    ended_time     DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(started_time)
ORDER BY (run_id, seq)
TTL toDateTime(started_time) + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS model_calls (
    replica        LowCardinality(String),
    variant        LowCardinality(String),
    run_id         String,
    call_no        UInt16 COMMENT 'seq of the step',
    room_id        String,
    round          UInt8,
    release        LowCardinality(String),
    policy_version LowCardinality(String),
    first_token_ms Int64,
    duration_ms    Int64,
    prompt_tokens  UInt32,
    completion_tokens UInt32,
    error          String,
    cause          LowCardinality(String),
    started_time   DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(started_time)
ORDER BY (replica, variant, toStartOfHour(started_time), run_id, call_no)
TTL toDateTime(started_time) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS tool_calls (
    tool           LowCardinality(String),
    variant        LowCardinality(String),
    run_id         String,
    call_no        UInt16 COMMENT 'seq of the step',
    room_id        String,
    round          UInt8,
    release        LowCardinality(String),
    duration_ms    Int64,
    error          LowCardinality(String) COMMENT 'typed: NOT_FOUND, BAD_ARGS, TIMEOUT, PERMISSION, MALFORMED, UPSTREAM',
    cause          LowCardinality(String),
    started_time   DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(started_time)
ORDER BY (tool, variant, toStartOfHour(started_time), run_id, call_no)
TTL toDateTime(started_time) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS guardrail_hits (
    rule           LowCardinality(String),
    variant        LowCardinality(String),
    hit_id         String,
    run_id         String,
    window_id      String,
    room_id        String,
    danmaku_ids    Array(String),
    version        LowCardinality(String),
    stage          LowCardinality(String),
    point          LowCardinality(String),
    span           String,
    action         LowCardinality(String),
    cause          LowCardinality(String),
    release        LowCardinality(String),
    policy_version LowCardinality(String),
    harness_hash   LowCardinality(String),
    hit_time       DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(hit_time)
ORDER BY (rule, variant, toStartOfHour(hit_time), run_id, hit_id)
TTL toDateTime(hit_time) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS exposures (
    experiment     LowCardinality(String),
    unit           String COMMENT 'keyed hash of the viewer or room id',
    experiment_version UInt32,
    variant        LowCardinality(String),
    kind           LowCardinality(String) COMMENT 'bucketed or exposed',
    unit_kind      LowCardinality(String) COMMENT 'viewer or room',
    room_id        String,
    degraded       UInt8,
    exposure_id    String,
    exposure_time  DateTime64(3, 'UTC') COMMENT 'in the key: a repeat after a restart is later, and the first counts',
    append_time    DateTime64(3, 'UTC') COMMENT 'when the log had it; as-of cuts use it'
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(exposure_time)
ORDER BY (experiment, unit, experiment_version, variant, kind, exposure_id, exposure_time)
TTL toDateTime(exposure_time) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS order_events (
    order_id       String,
    seq            UInt64,
    room_id        String,
    merchant_id    String,
    viewer         String COMMENT 'keyed hash, as exposures.unit',
    product_id     String,
    status         LowCardinality(String),
    amount_fen     Int64,
    quantity       Int64,
    order_time     DateTime64(3, 'UTC'),
    append_time    DateTime64(3, 'UTC') COMMENT 'when the log had it; as-of cuts use it'
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(order_time)
ORDER BY (order_id, seq)
TTL toDateTime(order_time) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TABLE IF NOT EXISTS room_minutes (
    room_id        String,
    minute         DateTime('UTC'),
    variant        LowCardinality(String),
    danmaku        AggregateFunction(groupUniqArray, String),
    answered       AggregateFunction(groupUniqArrayIf, String, UInt8),
    merged         AggregateFunction(groupUniqArrayIf, String, UInt8),
    filtered       AggregateFunction(groupUniqArrayIf, String, UInt8),
    unserved       AggregateFunction(groupUniqArrayIf, String, UInt8) COMMENT 'shed, expired, failed',
    last_outcome   SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
) ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (room_id, minute, variant)
TTL minute + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000
-- +goose StatementEnd

-- Only states that a repeated row leaves as they are: sets, minima, maxima.
-- +goose StatementBegin
CREATE MATERIALIZED VIEW IF NOT EXISTS room_minutes_mv TO room_minutes AS
SELECT
    room_id,
    toStartOfMinute(toDateTime(platform_time, 'UTC')) AS minute,
    variant,
    groupUniqArrayState(danmaku_id) AS danmaku,
    groupUniqArrayIfState(danmaku_id, state = 'answered') AS answered,
    groupUniqArrayIfState(danmaku_id, state = 'merged') AS merged,
    groupUniqArrayIfState(danmaku_id, state = 'filtered') AS filtered,
    groupUniqArrayIfState(danmaku_id, state IN ('shed', 'expired', 'failed')) AS unserved,
    max(outcome_time) AS last_outcome
FROM danmaku_outcomes
GROUP BY room_id, minute, variant
-- +goose StatementEnd

-- +goose Down
-- The log is the truth: tables are dropped and filled again from it.
DROP TABLE IF EXISTS room_minutes_mv;
DROP TABLE IF EXISTS room_minutes;
DROP TABLE IF EXISTS order_events;
DROP TABLE IF EXISTS exposures;
DROP TABLE IF EXISTS guardrail_hits;
DROP TABLE IF EXISTS tool_calls;
DROP TABLE IF EXISTS model_calls;
DROP TABLE IF EXISTS trajectory_steps;
DROP TABLE IF EXISTS deliveries;
DROP TABLE IF EXISTS replies;
DROP TABLE IF EXISTS windows;
DROP TABLE IF EXISTS danmaku_outcomes;
