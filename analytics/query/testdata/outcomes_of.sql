SELECT danmaku_id, room_id, state, reason, written_by, window_id, run_id, cover_id, variant, platform_time, outcome_time
FROM v_danmaku_outcomes
WHERE danmaku_id = {id:String} OR run_id = {id:String} OR window_id = {id:String}
ORDER BY outcome_time, danmaku_id
LIMIT 100
-- id = "d1"
