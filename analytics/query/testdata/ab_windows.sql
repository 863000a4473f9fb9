SELECT variant, toInt64(count()), toInt64(sum(members)), toInt64(countIf(mode = 'multi'))
FROM v_windows
WHERE kind = 'danmaku' AND experiment = {experiment:String} AND experiment_version = {version:Int64}
GROUP BY variant
ORDER BY variant
-- experiment = "harness-vs-react"
-- version = 1
