SELECT danmaku_id, state, reason, written_by, outcome_time
FROM v_danmaku_outcomes
WHERE room_id = {room:String} AND danmaku_id IN {danmaku:Array(String)}
ORDER BY outcome_time, danmaku_id
-- danmaku = []string{"d1", "d2"}
-- room = "r1"
