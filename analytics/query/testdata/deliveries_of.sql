SELECT delivery_id, any(run_id), any(reply_id), any(room_id), any(channel), argMax(state, (event_time, state != 'started')), argMax(reason, (event_time, state != 'started')),
    any(text), any(variant), any(heard_variant), any(danmaku_ids), max(first_audio), max(end_time), max(event_time)
FROM v_deliveries
WHERE run_id = {id:String} OR reply_id = {id:String} OR has(danmaku_ids, {id:String})
GROUP BY delivery_id
ORDER BY max(event_time), delivery_id
LIMIT 100
-- id = "d1"
