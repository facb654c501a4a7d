#!/bin/sh
# `lito gate` again and again on a small library: whether memory, temporary folders, open files, the cache and git's
# objects stay as they are.
#
#   benches/soak.sh MINUTES [LITO]
#
# The library has two benchmarks, which need nothing from a registry, and two versions, one of which does twice the work.
# Rounds in turn: the slow version against the fast one, and the fast one against the slow one, each measured anew; the same two
# as they were measured before; and a change that is not committed and that no earlier round had. LITO is the program, target/release/lito unless said
# otherwise. All is in target/bench-soak, which is emptied first; the rounds are in rounds.tsv there.
#
# Prints the largest values of the first and of the last quarter of the rounds, and the rounds whose exit code is wrong.
set -eu
export LC_ALL=C

minutes=${1:?the minutes that it takes}
root=$(cd "$(dirname "$0")/.." && pwd)
lito=$(realpath "${2:-$root/target/release/lito}")
kept=$root/target/bench-soak
rm -rf "$kept"
mkdir -p "$kept/repository/src" "$kept/repository/benches" "$kept/temporary"
export LITO_CACHE="$kept/cache" TMPDIR="$kept/temporary"

# library TIMES: the library, which goes over its numbers so often.
library() {
    printf 'pub fn sum(of: &[u64]) -> u64 {\n    let mut total = 0;\n    for _ in 0..%s {\n' "$1" > src/lib.rs
    printf '        for n in of {\n            total += std::hint::black_box(n * 3);\n        }\n    }\n    total\n}\n' >> src/lib.rs
}

# committed MESSAGE: all that is in the folder.
committed() {
    git add --all
    git -c user.name=soak -c user.email=soak@localhost commit --quiet --message "$1"
}

cd "$kept/repository"
git init --quiet --initial-branch=main
cat > Cargo.toml << 'END'
[package]
name = "soak"
version = "0.1.0"
edition = "2021"

[workspace]
END
cat > src/main.rs << 'END'
use std::hint::black_box;

fn main() {
    let size = std::env::args().nth(1).map_or(0, |size| size.parse().unwrap());
    let numbers: Vec<u64> = (0..size).collect();
    black_box(soak::sum(black_box(&numbers)));
}
END
for size in 1000 10000; do
    printf '[[benchmarks]]\nadapter = "command"\nname = "sum/%s"\n' "$size"
    printf 'build = ["cargo", "build", "--release", "--offline"]\nrun = ["target/release/soak", "%s"]\n\n' "$size"
done > lito.toml
echo /target > .gitignore
library 10
cargo generate-lockfile --quiet --offline
committed fast
fast=$(git rev-parse HEAD)
"$lito" sample HEAD > "$kept/sample.txt" 2>&1
library 20
committed slow
slow=$(git rev-parse HEAD)

# gate WANTED ARGUMENTS...: one round, its figures added to rounds.tsv.
gate() {
    wanted=$1
    shift
    began=$(date +%s%N)
    "$lito" gate --no-audit "$@" > "$kept/gate.txt" 2>&1 &
    process=$!
    memory=0
    files=0
    while kill -0 "$process" 2> /dev/null; do
        # Of lito itself: compilers and profilers are processes of their own.
        now=$(awk '/^VmHWM/ { print $2 }' "/proc/$process/status" 2> /dev/null || true)
        memory=${now:-$memory}
        now=$(find "/proc/$process/fd" -mindepth 1 2> /dev/null | wc -l)
        [ "$now" -le "$files" ] || files=$now
        sleep 0.05
    done
    code=0
    wait "$process" || code=$?
    ended=$(date +%s%N)
    [ "$code" = "$wanted" ] || cp "$kept/gate.txt" "$kept/wrong-$round.txt"
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$round" "$wanted" "$code" "$(((ended - began) / 1000000))" \
        "$memory" "$files" "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l)" "$(du -sk "$TMPDIR" | cut -f 1)" \
        "$(find "$LITO_CACHE" | wc -l)" "$(du -sk "$LITO_CACHE" | cut -f 1)" \
        "$(git worktree list | wc -l)" \
        "$(git count-objects -v | awk '/^count|^in-pack/ { all += $2 } END { print all }')" >> "$kept/rounds.tsv"
}

end=$(($(date +%s) + minutes * 60))
round=0
while [ "$(date +%s)" -lt "$end" ]; do
    round=$((round + 1))
    git checkout --quiet --force main
    case $((round % 5)) in
        1) gate 1 --base "$fast" --head "$slow" --fresh ;;
        2) gate 0 --base "$slow" --head "$fast" --fresh ;;
        3) gate 1 --base "$fast" --head "$slow" ;;
        4) gate 0 --base "$slow" --head "$fast" ;;
        0)
            library $((round + 100))
            gate 1 --base "$fast" --uncommitted
            ;;
    esac
done

awk -F '\t' '
    BEGIN {
        split("ms|KiB of memory|open files|temporary folders|KiB of them|files in the cache|KiB of it|worktrees|git objects",
            names, "|")
    }
    { rows[NR] = $0; wrong += $2 != $3 }
    END {
        printf "%d rounds, %d with a wrong exit code\n", NR, wrong
        for (column = 4; column <= 12; column++) {
            first = last = 0
            for (row = 1; row <= NR; row++) {
                split(rows[row], values, "\t")
                value = values[column] + 0
                if (row <= NR / 4 && value > first) first = value
                if (row > NR - NR / 4 && value > last) last = value
            }
            printf "%s: at most %d in the first quarter, %d in the last\n", names[column - 3], first, last
        }
    }' "$kept/rounds.tsv"
