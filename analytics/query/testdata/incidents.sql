SELECT time, kind, id, room_id, run_id, rule, version, stage, action, span, cause, variant, release, policy_version, harness_hash, danmaku_ids
FROM v_incidents
WHERE room_id = {room:String} AND variant = {variant:String} AND time >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({until:Int64}, 'UTC') AND kind = {kind:String} AND rule = {rule:String} AND cause = {cause:String} AND has([version, release, policy_version, harness_hash], {version:String})
ORDER BY time DESC, kind, id
LIMIT {limit:Int64}
-- cause = "c"
-- kind = "guardrail"
-- limit = 5
-- room = "r'1"
-- rule = "price_grounding"
-- since = 1790000000000
-- until = 1790003600000
-- variant = "harness"
-- version = "h1"
