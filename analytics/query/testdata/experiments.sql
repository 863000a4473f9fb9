SELECT experiment, max(experiment_version)
FROM v_exposures
GROUP BY experiment
ORDER BY experiment
