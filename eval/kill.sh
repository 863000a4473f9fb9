#!/usr/bin/env bash
# Kills the whole demo (SIGKILL) at N random moments and goes on with the same
# data directory; the run that is left alone prints the summary of everything.
#   eval/kill.sh [N] [SEED] [demo arguments...]
set -uo pipefail
n=${1:-10}; seed=${2:-1}
shift $(( $# < 2 ? $# : 2 ))
bin=$(dirname "$0")/../bin/livehost
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
RANDOM=$seed
for i in $(seq "$n"); do
  "$bin" demo --json --data "$data" "$@" >"$data.out" 2>"$data.err" &
  pid=$!
  ms=$((1500 + RANDOM % 5000))
  sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
  if ! kill -9 "$pid" 2>/dev/null; then
    echo "run $i ended before it was killed" >&2; cat "$data.err" >&2; break
  fi
  wait "$pid" 2>/dev/null
  echo "killed $i after $ms ms" >&2
done
"$bin" demo --json --data "$data" "$@"
