SELECT delivery_id, any(run_id), any(reply_id), any(room_id), any(channel), argMax(state, (event_time, state != 'started')), argMax(reason, (event_time, state != 'started')),
    argMax(text, (event_time, state != 'started')), any(variant), argMax(heard_variant, (event_time, state != 'started')), argMax(danmaku_ids, (event_time, state != 'started')),
    argMax(first_audio, (event_time, state != 'started')), argMax(end_time, (event_time, state != 'started')), max(event_time)
FROM v_deliveries
WHERE run_id = {id:String} OR reply_id = {id:String} OR has(danmaku_ids, {id:String})
GROUP BY delivery_id
ORDER BY max(event_time), delivery_id
LIMIT 100
-- id = "d1"
