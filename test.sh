#!/usr/bin/env bash
# Runs all tests of lito, after setting up what they need on a fresh machine with a Rust toolchain.
# Arguments are handed to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
    echo "test.sh: $1" >&2
    exit 3
}

command -v cargo >/dev/null || fail "running the tests: cargo is missing: install a Rust toolchain with rustup"

# Package names as Debian and its descendants have them, where they differ from the program's.
packages=()
command -v valgrind >/dev/null || packages+=(valgrind)
command -v git >/dev/null || packages+=(git)
command -v cc >/dev/null || packages+=(gcc libc6-dev)
# Serves GitHub's description of its API to the test of the client, and runs workflows.
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
# Opens the reports.
command -v chromium >/dev/null || packages+=(chromium)
if ((${#packages[@]})); then
    command -v apt-get >/dev/null ||
        fail "running the tests: these programs are missing and there is no apt-get: install ${packages[*]}"
    if [[ $(id -u) == 0 ]]; then
        sudo=()
    elif sudo -n true 2>/dev/null; then
        sudo=(sudo -n)
    else
        fail "running the tests: programs are missing, and only root may install them: run \`sudo apt-get install ${packages[*]}\`"
    fi
    echo "test.sh: installing ${packages[*]}" >&2
    "${sudo[@]}" apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2
fi

# npm notes there what it installed.
installed=tests/github/node_modules/.package-lock.json
if [[ ! -e $installed || tests/github/package-lock.json -nt $installed ]]; then
    echo "test.sh: installing the packages of tests/github" >&2
    npm ci --prefix tests/github --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
        fail "installing the packages of tests/github: \`npm ci\` failed: check the network, then repeat"
    touch "$installed"
fi

cargo test --workspace --locked "$@"

# Left out where somebody asks for other tests: the workflows that lito writes, run as GitHub would run them, and the
# reports, opened in a browser.
if (($# == 0)); then
    export LITO_PROGRAM=$PWD/target/debug/lito
    node --test tests/github/action.test.mjs
    tests/views/run.sh
fi
