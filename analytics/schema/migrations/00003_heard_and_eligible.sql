-- +goose Up
-- Definitions that 00002 got wrong; docs/metrics.md has them in words.

-- Stages that end a danmaku after the aggregator write eligible = 1 whatever happened:
-- what was taken back in time was never owed an answer.
-- +goose StatementBegin
CREATE OR REPLACE VIEW v_danmaku_outcomes AS
SELECT
    * REPLACE (toUInt8(eligible = 1 AND NOT (state = 'retracted' AND outcome_time <= platform_time + INTERVAL 15 SECOND)) AS eligible),
    toDate(platform_time, 'Asia/Shanghai') AS business_day
FROM danmaku_outcomes FINAL
-- +goose StatementEnd

-- Who waits in vain for a window is neither admitted nor shed: attainment alone does not
-- tell how much of what was asked was answered.
-- +goose StatementBegin
CREATE OR REPLACE VIEW v_attainment AS
SELECT
    room_id, business_day, variant,
    countIf(admitted = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')) AS admitted_due,
    countIf(admitted = 1 AND state IN ('answered', 'merged') AND reply_time > toDateTime64(0, 3, 'UTC')
        AND reply_time <= platform_time + INTERVAL 15 SECOND) AS attained,
    if(admitted_due = 0, NULL, attained / admitted_due) AS attainment,
    countIf(eligible = 1) AS eligible_danmaku,
    if(eligible_danmaku = 0, NULL, countIf(state = 'shed') / eligible_danmaku) AS shed_share,
    countIf(eligible = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')) AS due,
    countIf(eligible = 1 AND state IN ('answered', 'merged')) AS served,
    if(due = 0, NULL, served / due) AS served_of_due
FROM v_danmaku_outcomes
GROUP BY room_id, business_day, variant
-- +goose StatementEnd

-- A platform's clock may be ahead of ours by a little: no reply takes less than nothing.
-- +goose StatementBegin
CREATE OR REPLACE VIEW v_latency AS
SELECT
    room_id, business_day, variant, danmaku_id, platform_time, state,
    if(state IN ('answered', 'merged') AND reply_time > toDateTime64(0, 3, 'UTC')
        AND reply_time <= platform_time + INTERVAL 15 SECOND,
       greatest(dateDiff('millisecond', platform_time, reply_time), 0), 15001) AS latency_ms
FROM v_danmaku_outcomes
WHERE admitted = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')
-- +goose StatementEnd

-- A merged danmaku is heard when the one that covers it is, at once when it was asked
-- while that was being said, and not at all when it was asked after. A delivery that
-- started announces a time: what was heard, and when, is in the record of its end.
-- +goose StatementBegin
CREATE OR REPLACE VIEW v_heard AS
SELECT
    d.room_id AS room_id, d.business_day AS business_day, d.variant AS variant, d.danmaku_id AS danmaku_id, d.platform_time AS platform_time, d.state AS state,
    if(d.state IN ('answered', 'merged') AND h.over_time >= d.platform_time AND h.heard_time <= d.platform_time + INTERVAL 20 SECOND,
       greatest(dateDiff('millisecond', d.platform_time, h.heard_time), 0), 20001) AS heard_ms
FROM (
    SELECT *, if(state = 'merged' AND cover_id != '', cover_id, danmaku_id) AS spoken_id
    FROM v_danmaku_outcomes
    WHERE admitted = 1 AND state NOT IN ('silent', 'handed_over', 'retracted', 'suppressed')
) AS d
LEFT JOIN (
    SELECT room_id, arrayJoin(danmaku_ids) AS spoken_id,
        min(if(channel = 'public', first_audio, event_time)) AS heard_time, max(if(channel = 'public', end_time, event_time)) AS over_time
    FROM deliveries FINAL
    WHERE (channel = 'public' AND first_audio > toDateTime64(0, 3, 'UTC') AND state = 'ended') OR (channel = 'private' AND state = 'sent')
    GROUP BY room_id, spoken_id
) AS h ON h.room_id = d.room_id AND h.spoken_id = d.spoken_id
-- +goose StatementEnd

-- +goose Down
-- The views keep their names; 00002 drops them.
SELECT 1;
