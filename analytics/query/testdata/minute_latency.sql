SELECT toStartOfMinute(platform_time) AS minute, toInt64(count()), toInt64(countIf(latency_ms > 15000)), [(arraySort(groupArray(toFloat64(latency_ms))) AS sorted)[intDiv(count() * 50 + 99, 100)], sorted[intDiv(count() * 95 + 99, 100)]]
FROM v_latency
GROUP BY minute
ORDER BY minute
