#!/usr/bin/env bash
# The five smallest projects of the study, each by a task of a real Slurm: the cluster of the tests, which is this machine alone.
#
#   study/on_slurm.sh [RESULTS] [LITO]
#
# Takes about a quarter of an hour on two cores, clones and fetches crates. RESULTS is where results are kept, so that the
# same command goes on with what was stopped; target/study-on-slurm unless said otherwise. LITO is the program,
# target/release/lito unless said otherwise. Slurm is what `tests/setup.sh slurm` installs.
set -euo pipefail
cd "$(dirname "$0")/.."

results=$(realpath -m "${1:-target/study-on-slurm}")
lito=$(realpath "${2:-target/release/lito}")
tests/setup.sh slurm valgrind

cluster=$(mktemp -d)
stop() {
    tests/slurm/cluster.sh stop "$cluster"
    rm -rf "$cluster"
}
trap stop EXIT
SLURM_CONF=$(tests/slurm/cluster.sh start "$cluster")
export SLURM_CONF

only=()
for project in fixedbitset petgraph itoa textwrap csv; do
    only+=(--only "releases/$project")
done
"$lito" evaluate study/projects.toml --results "$results" "${only[@]}" --every 5,10 --executor slurm
