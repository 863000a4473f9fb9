SELECT toStartOfMinute(platform_time) AS minute, state, toInt64(count())
FROM v_danmaku_outcomes
WHERE room_id = {room:String} AND variant = {variant:String} AND platform_time >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND platform_time < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
GROUP BY minute, state
ORDER BY minute, state
-- room = "r'1"
-- since = 1790000000000
-- until = 1790003600000
-- variant = "harness"
