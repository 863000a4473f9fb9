-- +goose Up
-- What analysts read. The definitions are in docs/metrics.md; a view is the only
-- place where repeated rows are taken together (FINAL or argMax).

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_windows AS SELECT * FROM windows FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_replies AS SELECT * FROM replies FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_deliveries AS SELECT * FROM deliveries FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_model_calls AS SELECT * FROM model_calls FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_tool_calls AS SELECT * FROM tool_calls FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_guardrail_hits AS SELECT * FROM guardrail_hits FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_exposures AS SELECT * FROM exposures FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_order_events AS SELECT * FROM order_events FINAL
-- +goose StatementEnd

-- Without the model's reasoning, which only trajectory_steps has.
-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_trajectory_steps AS SELECT * EXCEPT (reasoning) FROM trajectory_steps FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_danmaku_outcomes AS
SELECT *, toDate(platform_time, 'Asia/Shanghai') AS business_day
FROM danmaku_outcomes FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_outcome_conflicts AS
SELECT room_id, danmaku_id, groupUniqArray(state) AS states, groupUniqArray(written_by) AS writers
FROM danmaku_outcomes
GROUP BY room_id, danmaku_id
HAVING length(states) > 1
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_attainment AS
SELECT
    room_id, business_day, variant,
    countIf(admitted = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')) AS admitted_due,
    countIf(admitted = 1 AND state IN ('answered', 'merged') AND reply_time > toDateTime64(0, 3, 'UTC')
        AND reply_time <= platform_time + INTERVAL 15 SECOND) AS attained,
    if(admitted_due = 0, NULL, attained / admitted_due) AS attainment,
    countIf(eligible = 1) AS eligible_danmaku,
    if(eligible_danmaku = 0, NULL, countIf(state = 'shed') / eligible_danmaku) AS shed_share
FROM v_danmaku_outcomes
GROUP BY room_id, business_day, variant
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_latency AS
SELECT
    room_id, business_day, variant, danmaku_id, platform_time, state,
    if(state IN ('answered', 'merged') AND reply_time > toDateTime64(0, 3, 'UTC')
        AND reply_time <= platform_time + INTERVAL 15 SECOND,
       dateDiff('millisecond', platform_time, reply_time), 15001) AS latency_ms
FROM v_danmaku_outcomes
WHERE admitted = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')
-- +goose StatementEnd

-- A merged danmaku is heard when the one that covers it is.
-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_heard AS
SELECT
    d.room_id AS room_id, d.business_day AS business_day, d.variant AS variant, d.danmaku_id AS danmaku_id, d.platform_time AS platform_time, d.state AS state,
    if(d.state IN ('answered', 'merged') AND h.heard_time >= d.platform_time AND h.heard_time <= d.platform_time + INTERVAL 20 SECOND,
       dateDiff('millisecond', d.platform_time, h.heard_time), 20001) AS heard_ms
FROM (
    SELECT *, if(state = 'merged' AND cover_id != '', cover_id, danmaku_id) AS spoken_id
    FROM v_danmaku_outcomes
    WHERE admitted = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')
) AS d
LEFT JOIN (
    SELECT room_id, arrayJoin(danmaku_ids) AS spoken_id, min(if(channel = 'public', first_audio, event_time)) AS heard_time
    FROM deliveries FINAL
    WHERE (channel = 'public' AND first_audio > toDateTime64(0, 3, 'UTC') AND state IN ('started', 'ended', 'interrupted')) OR (channel = 'private' AND state = 'sent')
    GROUP BY room_id, spoken_id
) AS h ON h.room_id = d.room_id AND h.spoken_id = d.spoken_id
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_run_stages AS
SELECT
    room_id, run_id, variant, created_time, run_ms, fallback,
    lane_wall_us / 1000 AS lane_wall_ms, slot_wall_us / 1000 AS slot_wall_ms,
    policy_wall_us / 1000 AS policy_wall_ms, tool_wall_us / 1000 AS tool_wall_ms
FROM replies FINAL
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_incidents AS
SELECT hit_time AS time, 'guardrail' AS kind, hit_id AS id, room_id, run_id, rule, version, stage, action, span, cause,
       variant, release, policy_version, harness_hash, danmaku_ids
FROM guardrail_hits FINAL
UNION ALL
SELECT created_time, 'fallback', run_id, room_id, run_id, fallback, '', 'agentworker', 'fallback', '', '',
       variant, release, policy_version, harness_hash, arrayConcat(public_covers, private_danmaku)
FROM replies FINAL WHERE fallback != ''
UNION ALL
SELECT outcome_time, 'outcome', danmaku_id, room_id, run_id, state, '', written_by, state, '', reason,
       variant, '', '', '', [danmaku_id]
FROM danmaku_outcomes FINAL WHERE state IN ('suppressed', 'failed', 'expired')
-- +goose StatementEnd

-- A unit's first record of each experiment version. An exposed unit is bucketed,
-- so the first record of either kind is when it came into scope.
-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS exposure_first AS
SELECT
    experiment, experiment_version, unit,
    any(unit_kind) AS unit_kind,
    if(unit_kind = 'room', concat('room/', any(room_id)), unit) AS order_key,
    arraySort(groupUniqArray(variant)) AS variants,
    argMin(variant, exposure_time) AS first_variant,
    min(exposure_time) AS bucketed_time,
    minIf(exposure_time, kind = 'exposed') AS exposed_time,
    countIf(kind = 'exposed') > 0 AS is_exposed,
    max(degraded) AS is_degraded
FROM exposures
GROUP BY experiment, experiment_version, unit
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_exposure_first AS SELECT * FROM exposure_first
-- +goose StatementEnd

-- One row an order. Refunds count against the order's GMV whenever they came, and
-- nothing does before receipt is confirmed.
-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_orders AS
SELECT
    order_id,
    argMin(room_id, seq) AS room_id, argMin(viewer, seq) AS viewer, argMin(product_id, seq) AS product_id,
    min(order_time) AS first_time,
    countIf(status IN ('paid', 'confirmed')) > 0 AS is_paid,
    countIf(status = 'confirmed') > 0 AS is_confirmed,
    sumIf(amount_fen, status = 'refunded') AS refunded_fen,
    if(is_confirmed, maxIf(amount_fen, status = 'confirmed') - refunded_fen, 0) AS gmv_fen,
    max(append_time) AS last_append
FROM order_events FINAL
GROUP BY order_id
-- +goose StatementEnd

-- One row a bucketed unit; units seen in two variants are left out (v_ab_mixed).
-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_ab_users AS
SELECT
    e.experiment AS experiment, e.experiment_version AS experiment_version, e.unit AS unit, e.unit_kind AS unit_kind,
    e.first_variant AS variant, e.is_exposed AS is_exposed, e.is_degraded AS is_degraded,
    sumIf(o.gmv_fen, o.first_time >= e.bucketed_time) AS gmv_fen,
    countIf(o.is_paid AND o.first_time >= e.bucketed_time) AS orders,
    sumIf(o.gmv_fen, e.is_exposed AND o.first_time >= e.exposed_time) AS gmv_exposed_fen,
    countIf(o.is_paid AND e.is_exposed AND o.first_time >= e.exposed_time) AS orders_exposed
FROM exposure_first AS e
LEFT JOIN (
    SELECT viewer AS order_key, first_time, is_paid, gmv_fen FROM v_orders WHERE viewer != ''
    UNION ALL
    SELECT concat('room/', room_id), first_time, is_paid, gmv_fen FROM v_orders
) AS o ON o.order_key = e.order_key
WHERE length(e.variants) = 1
GROUP BY experiment, experiment_version, unit, unit_kind, variant, is_exposed, is_degraded
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_ab_mixed AS
SELECT experiment, experiment_version, count() AS units, countIf(length(variants) > 1) AS mixed
FROM exposure_first
GROUP BY experiment, experiment_version
-- +goose StatementEnd

-- +goose StatementBegin
CREATE VIEW IF NOT EXISTS v_room_minutes AS
SELECT
    room_id, minute, variant,
    length(groupUniqArrayMerge(danmaku)) AS danmaku_count,
    length(groupUniqArrayIfMerge(answered)) AS answered_count,
    length(groupUniqArrayIfMerge(merged)) AS merged_count,
    length(groupUniqArrayIfMerge(filtered)) AS filtered_count,
    length(groupUniqArrayIfMerge(unserved)) AS unserved_count
FROM room_minutes
GROUP BY room_id, minute, variant
-- +goose StatementEnd

-- +goose Down
DROP VIEW IF EXISTS v_heard;
DROP VIEW IF EXISTS v_trajectory_steps;
DROP VIEW IF EXISTS v_order_events;
DROP VIEW IF EXISTS v_exposures;
DROP VIEW IF EXISTS v_guardrail_hits;
DROP VIEW IF EXISTS v_tool_calls;
DROP VIEW IF EXISTS v_model_calls;
DROP VIEW IF EXISTS v_deliveries;
DROP VIEW IF EXISTS v_replies;
DROP VIEW IF EXISTS v_windows;
DROP VIEW IF EXISTS v_room_minutes;
DROP VIEW IF EXISTS v_ab_mixed;
DROP VIEW IF EXISTS v_ab_users;
DROP VIEW IF EXISTS v_orders;
DROP VIEW IF EXISTS v_exposure_first;
DROP VIEW IF EXISTS exposure_first;
DROP VIEW IF EXISTS v_incidents;
DROP VIEW IF EXISTS v_run_stages;
DROP VIEW IF EXISTS v_latency;
DROP VIEW IF EXISTS v_attainment;
DROP VIEW IF EXISTS v_outcome_conflicts;
DROP VIEW IF EXISTS v_danmaku_outcomes;
