#!/usr/bin/env bash
# Runs all tests of lito, after setting up what they need on a fresh machine with a Rust toolchain.
# Arguments are handed to `cargo nextest run`.
set -euo pipefail
cd "$(dirname "$0")"

tests/setup.sh valgrind node strace suites buckets slurm chromium nextest
# shellcheck source=tests/toolchain.sh
source tests/toolchain.sh

cargo nextest run --workspace --locked "$@"

# Left out where somebody asks for some tests alone: the examples of the documentation; the workflows that lito writes, run
# as GitHub would run them; and the reports, opened in a browser.
if (($# == 0)); then
    cargo test --doc --workspace --locked
    LITO_PROGRAM=$(realpath "${CARGO_TARGET_DIR:-target}/debug/lito")
    export LITO_PROGRAM
    node --test tests/github/*.test.mjs
    tests/views/run.sh
fi
