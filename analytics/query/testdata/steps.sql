SELECT seq, round, kind, name, input, output, error, cause, started_time, dateDiff('millisecond', started_time, ended_time), budget_ms
FROM v_trajectory_steps
WHERE run_id = {run:String}
ORDER BY seq
-- run = "w1#1"
