#!/usr/bin/env bash
# Checks the documentation: the reference has every command and setting, the book builds, every link leads somewhere, every
# example prints what it shows.
#
#   docs/check.sh [--write] [--online] [LITO]
#
# LITO       the program; target/release/lito or target/debug/lito, the newer one, unless said otherwise
# --write    write the page of commands, and what the examples print, into the pages; then read the difference
# --online   also run the examples that clone a repository and fetch crates
#
# Installs mdBook with cargo where it is missing. Needs python3, git, cargo and valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

# The release that the book was looked at with.
mdbook=0.5.4

fail() {
    echo "docs/check.sh: $1" >&2
    exit 3
}

write=() bless=() online=() lito=
for argument in "$@"; do
    case $argument in
        --write)
            write=(--write)
            bless=(--bless)
            ;;
        --online) online=(--online) ;;
        -*) fail "reading the arguments: $argument is unknown: see the first lines of docs/check.sh" ;;
        *) lito=$argument ;;
    esac
done
if [[ -z $lito ]]; then
    for program in target/release/lito target/debug/lito; do
        if [[ -x $program && (-z $lito || $program -nt $lito) ]]; then lito=$program; fi
    done
fi
[[ -n $lito && -x $lito ]] || fail "checking the documentation: there is no program ${lito:-lito}: run \`cargo build\`"
lito=$(realpath "$lito")
for program in python3 git cargo valgrind; do
    command -v "$program" >/dev/null || fail "checking the documentation: $program is missing: install it"
done
if ! mdbook --version 2>/dev/null | grep -qxF "mdbook v$mdbook"; then
    echo "docs/check.sh: installing mdBook $mdbook" >&2
    env -u CARGO_TARGET_DIR cargo install --locked --quiet --debug --version "$mdbook" mdbook
    export PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
fi

# The examples run with the compiler of this checkout.
if command -v rustup >/dev/null; then
    RUSTUP_TOOLCHAIN=$(rustup show active-toolchain | cut -d ' ' -f 1)
    export RUSTUP_TOOLCHAIN
fi

failed=0
python3 docs/check/reference.py "$lito" "${write[@]}" || failed=1
mdbook build docs
python3 docs/check/links.py target/book || failed=1
python3 docs/check/examples.py "${bless[@]}" "${online[@]}" -- "$lito" || failed=1
exit "$failed"
