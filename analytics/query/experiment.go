package query

// Version is one version of an experiment.
type Version struct {
	Experiment string
	Version    uint32
}

func (v Version) params() map[string]any {
	return map[string]any{"experiment": v.Experiment, "version": int64(v.Version)}
}

// LatestVersion is the newest version of an experiment with exposures; 0: none.
func LatestVersion(experiment string) Statement {
	return Statement{"SELECT max(experiment_version)\nFROM v_exposures\nWHERE experiment = {experiment:String}", map[string]any{"experiment": experiment}}
}

// Experiments lists experiments with exposures, with their newest version.
func Experiments() Statement {
	return Statement{"SELECT experiment, max(experiment_version)\nFROM v_exposures\nGROUP BY experiment\nORDER BY experiment", nil}
}

// Moments is mean and sample variance of a metric over units.
type Moments struct {
	N        int64
	Mean     float64
	Variance float64 // 0 with fewer than two units
}

// VariantUnits is what one variant's units did. Money is in fen.
type VariantUnits struct {
	Variant       string
	Unit          string // viewer or room
	Units         int64
	Exposed       int64
	Degraded      int64 // assigned without Redis
	GMV           Moments
	Orders        Moments
	GMVExposed    Moments
	OrdersExposed Moments
}

// Fields are where the columns are scanned to.
func (v *VariantUnits) Fields() []any {
	return []any{&v.Variant, &v.Unit, &v.Units, &v.Exposed, &v.Degraded,
		&v.GMV.Mean, &v.GMV.Variance, &v.Orders.Mean, &v.Orders.Variance,
		&v.GMVExposed.Mean, &v.GMVExposed.Variance, &v.OrdersExposed.Mean, &v.OrdersExposed.Variance}
}

// complete fills in what follows from the counts.
func (v *VariantUnits) complete() {
	v.GMV.N, v.Orders.N, v.GMVExposed.N, v.OrdersExposed.N = v.Units, v.Units, v.Exposed, v.Exposed
}

// moments is SQL for mean and variance that is never NaN.
func moments(column, only string) string {
	return "ifNotFinite(avgIf(" + column + ", " + only + "), 0), ifNotFinite(varSampStableIf(toFloat64(" + column + "), " + only + "), 0)"
}

// Units asks for the units of an experiment version, by variant. Units seen in
// several variants are left out: MixedUnits counts them.
func Units(v Version) Statement {
	return Statement{
		"SELECT variant, any(unit_kind), toInt64(count()), toInt64(countIf(is_exposed)), toInt64(countIf(is_degraded)),\n    " +
			moments("gmv_fen", "true") + ",\n    " + moments("orders", "true") + ",\n    " +
			moments("gmv_exposed_fen", "is_exposed") + ",\n    " + moments("orders_exposed", "is_exposed") +
			"\nFROM v_ab_users\nWHERE experiment = {experiment:String} AND experiment_version = {version:Int64}\nGROUP BY variant\nORDER BY variant",
		v.params(),
	}
}

// MixedUnits asks how many units were seen in several variants.
func MixedUnits(v Version) Statement {
	return Statement{
		"SELECT toInt64(sum(units)), toInt64(sum(mixed))\nFROM v_ab_mixed\nWHERE experiment = {experiment:String} AND experiment_version = {version:Int64}",
		v.params(),
	}
}

// VariantWindows is how one variant's danmaku were put into windows.
type VariantWindows struct {
	Variant string
	Windows int64
	Members int64
	Multi   int64 // windows in multi mode
}

// Fields are where the columns are scanned to.
func (v *VariantWindows) Fields() []any {
	return []any{&v.Variant, &v.Windows, &v.Members, &v.Multi}
}

// Windows asks for the windows of an experiment version, by variant.
func Windows(v Version) Statement {
	return Statement{
		`SELECT variant, toInt64(count()), toInt64(sum(members)), toInt64(countIf(mode = 'multi'))
FROM v_windows
WHERE kind = 'danmaku' AND experiment = {experiment:String} AND experiment_version = {version:Int64}
GROUP BY variant
ORDER BY variant`, v.params(),
	}
}

// VariantSpeech is what one variant's askers heard.
type VariantSpeech struct {
	Variant    string
	Spoken     int64 // public answers that were heard; thanks for gifts answer nobody
	HeardOther int64 // public answers not spoken, because the other variant's was
	Private    int64
	SpeechMs   int64 // spoken time
}

// Fields are where the columns are scanned to.
func (v *VariantSpeech) Fields() []any {
	return []any{&v.Variant, &v.Spoken, &v.HeardOther, &v.Private, &v.SpeechMs}
}

// Speech asks for the deliveries of an experiment version, by variant.
func Speech(v Version) Statement {
	return Statement{
		`SELECT variant,
    toInt64(countIf(channel = 'public' AND state IN ('ended', 'interrupted') AND notEmpty(danmaku_ids))),
    toInt64(countIf(channel = 'public' AND state = 'skipped' AND heard_variant NOT IN ('', variant))),
    toInt64(countIf(channel = 'private' AND state = 'sent')),
    toInt64(sumIf(greatest(dateDiff('millisecond', first_audio, end_time), 0), channel = 'public' AND state IN ('ended', 'interrupted') AND first_audio > toDateTime64(0, 3, 'UTC')))
FROM v_deliveries
WHERE run_id IN (SELECT run_id FROM v_replies WHERE experiment = {experiment:String} AND experiment_version = {version:Int64})
GROUP BY variant
ORDER BY variant`, v.params(),
	}
}
