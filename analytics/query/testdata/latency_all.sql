SELECT stage, toInt64(count()), toInt64(countIf(missed)), [(arraySort(groupArray(ms)) AS sorted)[intDiv(count() * 50 + 99, 100)], sorted[intDiv(count() * 90 + 99, 100)], sorted[intDiv(count() * 95 + 99, 100)], sorted[intDiv(count() * 99 + 99, 100)], sorted[intDiv(count() * 100 + 99, 100)]]
FROM (
SELECT 'window_wait' AS stage, toFloat64(dateDiff('millisecond', earliest_time, opened_time)) AS ms, toUInt8(0) AS missed FROM v_windows
WHERE kind = 'danmaku'
UNION ALL
SELECT 'lane_wall' AS stage, toFloat64(lane_wall_ms) AS ms, toUInt8(0) AS missed FROM v_run_stages
UNION ALL
SELECT 'slot_wall' AS stage, toFloat64(slot_wall_ms) AS ms, toUInt8(0) AS missed FROM v_run_stages
UNION ALL
SELECT 'policy_wall' AS stage, toFloat64(policy_wall_ms) AS ms, toUInt8(0) AS missed FROM v_run_stages
UNION ALL
SELECT 'tool_wall' AS stage, toFloat64(tool_wall_ms) AS ms, toUInt8(0) AS missed FROM v_run_stages
UNION ALL
SELECT 'run' AS stage, toFloat64(run_ms) AS ms, toUInt8(0) AS missed FROM v_run_stages
UNION ALL
SELECT 'first_token' AS stage, toFloat64(first_token_ms) AS ms, toUInt8(0) AS missed FROM v_model_calls
WHERE first_token_ms > 0
UNION ALL
SELECT 'model_call' AS stage, toFloat64(duration_ms) AS ms, toUInt8(error != '') AS missed FROM v_model_calls
UNION ALL
SELECT 'tool_call' AS stage, toFloat64(duration_ms) AS ms, toUInt8(error != '') AS missed FROM v_tool_calls
UNION ALL
SELECT 'reply' AS stage, toFloat64(latency_ms) AS ms, toUInt8(latency_ms > 15000) AS missed FROM v_latency
UNION ALL
SELECT 'heard' AS stage, toFloat64(heard_ms) AS ms, toUInt8(heard_ms > 20000) AS missed FROM v_heard
)
GROUP BY stage
