SELECT time, kind, id, room_id, run_id, rule, version, stage, action, span, cause, variant, release, policy_version, harness_hash, danmaku_ids
FROM v_incidents
WHERE (id = {id:String} OR run_id = {id:String} OR has(danmaku_ids, {id:String}))
ORDER BY id = {id:String} DESC, time, kind, id
LIMIT 50
-- id = "g1"
