SELECT variant,
    toInt64(countIf(channel = 'public' AND state IN ('ended', 'interrupted') AND notEmpty(danmaku_ids))),
    toInt64(countIf(channel = 'public' AND state = 'skipped' AND heard_variant NOT IN ('', variant))),
    toInt64(countIf(channel = 'private' AND state = 'sent')),
    toInt64(sumIf(greatest(dateDiff('millisecond', first_audio, end_time), 0), channel = 'public' AND state IN ('ended', 'interrupted') AND first_audio > toDateTime64(0, 3, 'UTC')))
FROM v_deliveries
WHERE run_id IN (SELECT run_id FROM v_replies WHERE experiment = {experiment:String} AND experiment_version = {version:Int64})
GROUP BY variant
ORDER BY variant
-- experiment = "harness-vs-react"
-- version = 1
