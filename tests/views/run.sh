#!/usr/bin/env bash
# The views of the HTML report: their types, that the committed bundle is what the sources give, and their tests in
# Chromium, offline. Arguments are handed to `node --test`.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
    echo "tests/views/run.sh: $1" >&2
    exit 3
}

if [[ -z ${CHROMIUM-} ]]; then
    CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        fail "running the tests of the views: there is no Chromium: install one, or name it in CHROMIUM"
fi
export CHROMIUM

for packages in . ../../report/views; do
    # npm notes there what it installed.
    installed=$packages/node_modules/.package-lock.json
    if [[ ! -e $installed || $packages/package-lock.json -nt $installed ]]; then
        npm ci --prefix "$packages" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
            fail "installing the packages of $packages: \`npm ci\` failed: check the network, then repeat"
        touch "$installed"
    fi
done

npm run --silent --prefix ../../report/views check
# One browser a file; two files at a time are as fast as a small machine gets.
node --test --test-concurrency=2 "$@"
