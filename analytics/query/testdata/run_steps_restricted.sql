SELECT run_id, window_id, room_id, variant, toInt64(seq), toInt64(round), kind, name, replica,
    toUnixTimestamp64Milli(started_time), toUnixTimestamp64Milli(ended_time), budget_ms, first_token_ms,
    toInt64(prompt_tokens), toInt64(completion_tokens), if(kind = 'model', '', input), output, error, cause,
    release, policy_version, harness_hash, reasoning
FROM trajectory_steps FINAL
WHERE run_id = {id:String} OR window_id = {id:String}
ORDER BY run_id, seq
LIMIT 500
-- id = "w1#1"
