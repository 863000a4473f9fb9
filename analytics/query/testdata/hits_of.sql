SELECT hit_id, run_id, room_id, rule, version, stage, point, action, span, cause, hit_time
FROM v_guardrail_hits
WHERE run_id = {id:String} OR window_id = {id:String}
ORDER BY hit_time, hit_id
LIMIT 100
-- id = "w1#1"
