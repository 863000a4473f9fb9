SELECT delivery_id, state, reason, channel, text, event_time
FROM v_deliveries
WHERE run_id = {run:String}
ORDER BY event_time, state
-- run = "w1#1"
