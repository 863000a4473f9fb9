SELECT toInt64(sum(units)), toInt64(sum(mixed))
FROM v_ab_mixed
WHERE experiment = {experiment:String} AND experiment_version = {version:Int64}
-- experiment = "harness-vs-react"
-- version = 1
