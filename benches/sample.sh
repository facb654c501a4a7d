#!/bin/sh
# What one sample costs, builds excluded, beside one ordinary `cargo bench` of the same benchmarks: those of a
# published library that has criterion benchmarks.
#
#   benches/sample.sh [CRATE] [LITO]
#
# LITO is the program, target/release/lito unless said otherwise. Prints both and the ratio.
set -eu

crate=${1:-httparse}
lito=${2:-$(cd "$(dirname "$0")/.." && pwd)/target/release/lito}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CARGO_TARGET_DIR="$folder/target"

now() { date +%s.%N; }

"$lito" import crate "$crate" "$folder/history" --last 1 --quiet
cd "$folder/history"

cargo bench --quiet --benches --no-run
start=$(now)
cargo bench --quiet --benches > "$folder/bench.log" 2>&1
ordinary=$(echo "$(now) $start" | awk '{ print $1 - $2 }')

unset CARGO_TARGET_DIR
"$lito" sample HEAD 2>&1 | tee "$folder/sample.log"
echo "one cargo bench, built before: $ordinary s"
# Like `1.3 s` or `2 min 5 s`.
sed -n 's/.*profiled in //p' "$folder/sample.log" | awk -v ordinary="$ordinary" '{
    for (field = 1; field < NF; field += 2)
        seconds += $field * ($(field + 1) == "min" ? 60 : $(field + 1) == "ms" ? 0.001 : 1)
    printf "one sample / one cargo bench, builds excluded: %.2f\n", seconds / ordinary
}'
