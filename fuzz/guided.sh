#!/bin/bash
# The targets of `lito-fuzz` under libFuzzer, one after the other: it keeps the inputs that reach new code, and changes those.
#
#   fuzz/guided.sh run SECONDS [TARGET...]   each target for so long; all of them unless some are named
#   fuzz/guided.sh merge                     fuzz/corpus anew: few inputs that reach what all rounds reached
#
# A round goes on from what earlier ones kept in target/fuzz/TARGET, and from fuzz/corpus. Its figures are printed and
# added to target/fuzz/rounds.tsv. An input that fails is left beside it, and `cargo run -p lito-fuzz -- TARGET FILE` reads
# it alone. Needs cargo-fuzz (`cargo install --locked cargo-fuzz`) and a C++ compiler; the pinned compiler will do.
set -euo pipefail
export LC_ALL=C
TIMEFORMAT='%U %S'
cd "$(dirname "$0")/.."
kept=target/fuzz
mkdir -p "$kept"

# An input that takes longer, in seconds, or more memory, in MiB, is a failure.
limits=(-timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=1000)

program() {
    # Overflows are checked. There is no sanitizer: it would need another compiler than the pinned one. Under the cfg
    # `fuzzing`, proc-macro2 knows no positions, and what is read of Rust is not what lito reads.
    cargo fuzz build --release --sanitizer none --no-cfg-fuzzing --features guided guided >&2
    host=$(rustc --print host-tuple)
    echo "$PWD/target/$host/release/guided"
}

usage() {
    sed -n '4,5s/^#   //p' "$0" >&2
    exit 2
}

all=$(cargo run --quiet -p lito-fuzz -- list)
case ${1:-} in
    run)
        seconds=${2:?the seconds for each target}
        shift 2
        guided=$(program)
        failed=0
        for target in ${@:-$all}; do
            mkdir -p "$kept/$target"
            corpus=fuzz/corpus/$target.tar.gz
            [ ! -f "$corpus" ] || tar --extract --gzip --skip-old-files --file "$corpus" --directory "$kept/$target"
            cargo run --quiet -p lito-fuzz -- write "$target" "$kept/$target" 50
            log=$kept/$target.log
            code=0
            {
                time LITO_FUZZ_TARGET=$target "$guided" "$kept/$target" "${limits[@]}" -max_total_time="$seconds" \
                    -print_final_stats=1 -artifact_prefix="$kept/$target-" > "$log" 2>&1 || code=$?
            } 2> "$kept/$target.used"
            [ "$code" = 0 ] || failed=1
            awk -v target="$target" -v code="$code" -v log_file="$log" '
                { used = $1 + $2 }
                END {
                    while ((getline line < log_file) > 0) {
                        if (line ~ /number_of_executed_units/) { sub(/.*: */, "", line); inputs = line }
                        if (match(line, / cov: [0-9]+/)) edges = substr(line, RSTART + 6, RLENGTH - 6)
                        if (match(line, / corp: [0-9]+/)) corpus = substr(line, RSTART + 7, RLENGTH - 7)
                    }
                    printf "%s\t%d inputs\t%.0f s of processor time\t%d edges\t%d inputs kept\t%s\n",
                        target, inputs, used, edges, corpus, code == 0 ? "no failure" : "fails, see " log_file
                }' "$kept/$target.used" | tee -a "$kept/rounds.tsv"
        done
        exit $failed
        ;;
    merge)
        guided=$(program)
        mkdir -p fuzz/corpus
        for target in $all; do
            [ -d "$kept/$target" ] || continue
            rm -rf "$kept/merged"
            mkdir -p "$kept/merged"
            LITO_FUZZ_TARGET=$target "$guided" "$kept/merged" "$kept/$target" "${limits[@]}" -merge=1 > "$kept/merge.log" 2>&1
            tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --directory "$kept/merged" . |
                gzip --best --no-name > "fuzz/corpus/$target.tar.gz"
        done
        ;;
    *) usage ;;
esac
