SELECT toStartOfMinute(platform_time) AS minute, toInt64(count()), toInt64(countIf(latency_ms > 15000)), quantilesExact(0.5, 0.95)(toFloat64(latency_ms))
FROM v_latency
GROUP BY minute
ORDER BY minute
