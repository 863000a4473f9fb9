SELECT max(experiment_version)
FROM v_exposures
WHERE experiment = {experiment:String}
-- experiment = "harness-vs-react"
