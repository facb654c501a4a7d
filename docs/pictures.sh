#!/usr/bin/env bash
# Regenerates every picture of the documentation, in docs/src/images.
#
#   docs/pictures.sh [LITO]
#
# LITO is the program, target/release/lito unless said otherwise. The comment and the summary are written from the verdicts in
# docs/pictures by a test of lito-report; the report is the demo's, over 24 releases of semver, so this takes some minutes and
# needs cargo's registry. The first windows of the papers' stories are taken, too; those of libraries' histories are not, since
# these take long: docs/src/explanation/first-sight.md has their commands. Needs npm, chromium, pngquant and valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "docs/pictures.sh: $1" >&2
    exit 3
}

lito=${1:-target/release/lito}
[[ -x $lito ]] || fail "drawing the report: there is no program $lito: run \`cargo build --release\`"
if [[ -z ${CHROMIUM-} ]]; then
    CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        fail "drawing the pictures: there is no Chromium: install one, or name it in CHROMIUM"
fi
export CHROMIUM
for program in npm node pngquant; do
    command -v "$program" >/dev/null || fail "drawing the pictures: $program is missing: install it"
done
for packages in docs/pictures tests/views; do
    npm ci --prefix "$packages" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
        fail "installing the packages of $packages: \`npm ci\` failed: check the network, then repeat"
done

LITO_BLESS=1 cargo test --quiet --locked -p lito-report the_pictures_show_what_is_written
node docs/pictures/pages.mjs

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$lito" demo --last 24 --output "$work/report.html"
node docs/pictures/report.mjs "$work/report.html"
LITO_PROGRAM=$(realpath "$lito") node docs/pictures/first.mjs
