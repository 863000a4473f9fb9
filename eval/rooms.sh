#!/usr/bin/env bash
# Plays the busiest ten minutes of every recording below DATA/rooms at speed 20,
# one after the other, and prints one line each and what was missed.
#   eval/rooms.sh DATA [OUT]      summaries are kept in OUT
set -uo pipefail
data=${1:?usage: eval/rooms.sh DATA [OUT]}
out=${2:-$(mktemp -d)}
bin=$(dirname "$0")/../bin/livehost
mkdir -p "$out"
bad=0
for f in "$data"/rooms/*/*.jsonl; do
  name=$(basename "$f" .jsonl)
  "$bin" demo --room "$f" --busiest 10m --speed 20 --json >"$out/$name.json" 2>"$out/$name.err"
  code=$?
  python3 - "$out/$name.json" "$name" "$code" <<'PY' || bad=$((bad + 1))
import json, sys
path, name, code = sys.argv[1:]
try:
    d = json.load(open(path))
except ValueError:
    print(f"{name:32} exit {code}: no summary"); sys.exit(1)
zero = ["unaccounted", "conflicts", "answered_twice", "late_spoken", "overlaps", "ungrounded_prices"]
missed = [k for k in zero if d[k]]
def share(k): return "-" if d[k] is None else f"{d[k]:.3f}"
checks = [
    ("exit", code == "0"),
    ("attainment", d["attainment"] is None or d["attainment"] >= 0.95),
    ("served_share", d["capacity_bound"] < 20 or d["served_share"] >= 0.9),
    ("intent_filtered_share", (d["intent_filtered_share"] or 0) < 0.05),
    ("overhead_p99", (d["overhead_ms"]["p99"] or 0) <= 25),
    ("max_rss_mb", d["max_rss_mb"] < 300),
]
missed += [k for k, ok in checks if not ok]
p99 = d["overhead_ms"]["p99"] or 0
print(f"{name:32} accepted {d['accepted']:5} admitted {d['admitted']:5} attainment {share('attainment')} served {share('served_share')} of {d['capacity_bound']:4}"
      f" intent_filtered {share('intent_filtered_share')} false_nir {d['false_not_in_room']:2} overhead p99 {p99:5.1f} ms rss {d['max_rss_mb']:4.0f} MB {d['wall_s']:4.0f} s {'MISSED ' + ' '.join(missed) if missed else 'ok'}")
sys.exit(1 if missed else 0)
PY
done
echo "$bad recordings missed something; summaries in $out"
[ "$bad" = 0 ]
