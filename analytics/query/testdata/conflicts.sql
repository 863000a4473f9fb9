SELECT toInt64(count())
FROM v_outcome_conflicts
