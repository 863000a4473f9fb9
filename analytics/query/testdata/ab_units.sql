SELECT variant, any(unit_kind), toInt64(count()), toInt64(countIf(is_exposed)), toInt64(countIf(is_degraded)),
    ifNotFinite(avgIf(gmv_fen, true), 0), ifNotFinite(varSampStableIf(toFloat64(gmv_fen), true), 0),
    ifNotFinite(avgIf(orders, true), 0), ifNotFinite(varSampStableIf(toFloat64(orders), true), 0),
    ifNotFinite(avgIf(gmv_exposed_fen, is_exposed), 0), ifNotFinite(varSampStableIf(toFloat64(gmv_exposed_fen), is_exposed), 0),
    ifNotFinite(avgIf(orders_exposed, is_exposed), 0), ifNotFinite(varSampStableIf(toFloat64(orders_exposed), is_exposed), 0)
FROM v_ab_users
WHERE experiment = {experiment:String} AND experiment_version = {version:Int64}
GROUP BY variant
ORDER BY variant
-- experiment = "harness-vs-react"
-- version = 1
