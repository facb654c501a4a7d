#!/bin/sh
# The cost of scoring where there are samples, in two parts:
#
# - the last 1,000 first-parent commits of a real history, with one sample per 100 versions, beside
#   `git log --first-parent --numstat` over the same;
# - the newest of 200,000 generated commits, with one sample per 100 of them, without a store, and with samples that
#   are not of this history.
#
#   benches/samples.sh CLONE [LITO] [RUNS]
#
# CLONE is not written to. Its HEAD is sampled once, or it has a store already, whose samples are kept. The other versions get
# the records of that sample under their own ids: what is read is real, what it says of them is not. LITO is the
# program, target/release/lito unless said otherwise. Both histories are kept in target/bench-samples.
#
# Prints the least and the median of RUNS runs, 7 unless said otherwise, which take turns: the time on the clock and the
# processor's time, user and system.
set -eu
export LC_ALL=C

clone=${1:?a clone whose history is scored}
root=$(cd "$(dirname "$0")/.." && pwd)
lito=$(realpath "${2:-$root/target/release/lito}")
runs=${3:-7}
kept=$root/target/bench-samples
versions=1000
commits=200000
step=100
store=refs/lito/store
mkdir -p "$kept"

# plant REPOSITORY COUNT: records of the newest sample for COUNT versions, one in $step, of the branch at HEAD.
plant() {
    path=$(git -C "$1" ls-tree -r --name-only "$store" samples/ | tail -1)
    git -C "$1" cat-file blob "$store:$path" > "$kept/record.json"
    git -C "$1" log --first-parent --format='%H %ct' HEAD |
        awk -v step="$step" -v count="$2" -v file="${path##*/}" -v tip="$(git -C "$1" rev-parse "$store")" \
            -v ref="$store" '
            FILENAME != "-" { record = record $0 "\n"; next }
            FNR == 1 {
                printf "commit %s\ncommitter bench <bench@localhost> 1600000000 +0000\ndata 5\nplant\nfrom %s\n", ref, tip
            }
            (FNR - 1) % step == 0 && planted++ < count {
                text = record
                sub(/"commit": *"[0-9a-f]*"/, "\"commit\":\"" $1 "\"", text)
                sub(/"committed_at": *-?[0-9]+/, "\"committed_at\":" $2, text)
                printf "M 100644 inline samples/%s/%s\ndata %d\n%s\n", $1, file, length(text), text
            }' "$kept/record.json" - |
        git -C "$1" fast-import --quiet --force
}

# A bare clone with the samples of the given clone, else with one of HEAD.
if [ ! -e "$kept/real/planted" ]; then
    rm -rf "$kept/real" "$kept/sampled"
    git clone --quiet "$clone" "$kept/sampled"
    git -C "$kept/sampled" fetch --quiet "$clone" "$store:$store" 2> /dev/null ||
        (cd "$kept/sampled" && "$lito" sample HEAD)
    git clone --quiet --bare "$kept/sampled" "$kept/real"
    git -C "$kept/real" fetch --quiet "$kept/sampled" "$store:$store"
    if [ "$(git -C "$kept/real" ls-tree -r --name-only "$store" samples/ | wc -l)" -lt $((versions / step / 2)) ]; then
        plant "$kept/real" $((versions / step))
    fi
    touch "$kept/real/planted"
fi

# One file, changed by each commit; samples with the profiles of the other history.
if [ ! -e "$kept/long/planted" ]; then
    rm -rf "$kept/long"
    git init --quiet --bare --initial-branch=main "$kept/long"
    awk -v commits="$commits" 'BEGIN {
        for (number = 1; number <= commits; number++) {
            printf "commit refs/heads/main\ncommitter bench <bench@localhost> %d +0000\ndata 2\n.\n", 1500000000 + number * 60
            text = sprintf("pub fn sum(input: &[u64]) -> u64 {\n    input.iter().sum::<u64>() + %d\n}\n", number)
            printf "M 100644 inline src/lib.rs\ndata %d\n%s\n", length(text), text
        }
    }' | git -C "$kept/long" fast-import --quiet
    git -C "$kept/long" fetch --quiet "$kept/real" "$store:refs/elsewhere/store"
    git -C "$kept/long" update-ref "$store" refs/elsewhere/store
    plant "$kept/long" $((commits / step))
    touch "$kept/long/planted"
fi

# timed NAME COMMAND...: one run, its times added to those of its name.
timed() {
    name=$1
    shift
    /usr/bin/time -f '%e %U %S' -a -o "$kept/$name.times" "$@" > /dev/null
}

# told NAME WORDS: what the runs of a name took.
told() {
    for column in clock processor; do
        awk -v column="$column" '{ print column == "clock" ? $1 : $2 + $3 }' "$kept/$1.times" | sort -n |
            awk -v what="$2, $column" '{ times[NR] = $1 }
                END { printf "%s: %.2f s at least, %.2f s in the median\n", what, times[1], times[int((NR + 1) / 2)] }'
    done
}

rm -f "$kept"/*.times
range=HEAD~$versions..HEAD
for _ in $(seq "$runs"); do
    timed git git -C "$kept/real" log --first-parent --numstat "$range"
    timed range "$lito" score "$range" --repo "$kept/real"
    timed newest "$lito" score HEAD --repo "$kept/long"
done
git -C "$kept/long" update-ref refs/elsewhere/planted "$store"
git -C "$kept/long" update-ref -d "$store"
for _ in $(seq "$runs"); do timed none "$lito" score HEAD --repo "$kept/long"; done
git -C "$kept/long" update-ref "$store" refs/elsewhere/store
for _ in $(seq "$runs"); do timed elsewhere "$lito" score HEAD --repo "$kept/long"; done
git -C "$kept/long" update-ref "$store" refs/elsewhere/planted

told git "git log --numstat of $versions commits"
told range "lito score of the same, with samples"
told newest "lito score of the newest of $commits commits, $((commits / step)) samples"
told none "the same without a store"
told elsewhere "the same with samples of another history"
