SELECT time, kind, id, room_id, run_id, rule, version, stage, action, span, cause, variant, release, policy_version, harness_hash, danmaku_ids
FROM v_incidents
ORDER BY time DESC, kind, id
LIMIT {limit:Int64}
-- limit = 100
