#!/usr/bin/env bash
# lito into $PROGRAM/bin: kept from an earlier run, installed in the job's container, released, or built from this action's
# sources; and valgrind where code is measured.
# shellcheck disable=SC2153 # what is in capitals comes from the step in action.yml
set -euo pipefail

released() {
    local name folder
    name="lito-$(uname -m)-unknown-linux-gnu.tar.gz"
    folder=$(mktemp -d)
    for file in "$name" "$name.sha256"; do
        curl --fail --silent --show-error --location --retry 3 --proto "=${RELEASES%%:*}" --max-time 300 \
            --output "$folder/$file" "$RELEASES/$file" || return 1
    done
    (cd "$folder" && sha256sum --check --strict --status "$name.sha256") || {
        echo "::warning title=lito::the release's checksum does not fit, so that it is not used"
        return 1
    }
    mkdir -p "$PROGRAM/bin"
    tar --extract --gzip --file "$folder/$name" --directory "$PROGRAM/bin" --no-same-owner lito
    # It may need a newer C library than this machine has.
    "$PROGRAM/bin/lito" --version >/dev/null
}

installed() {
    [[ $VERSION != source && $(lito --version 2>/dev/null) == "lito $RELEASE" ]] || return 1
    mkdir -p "$PROGRAM/bin"
    ln -s "$(command -v lito)" "$PROGRAM/bin/lito"
}

if [[ ! -x $PROGRAM/bin/lito ]] && ! installed; then
    if [[ $VERSION == source || -z $RELEASES ]] || ! released; then
        echo "building lito from its sources"
        command -v cargo >/dev/null || {
            echo "::error title=lito::there is no release for this machine, and no cargo to build lito with"
            exit 3
        }
        # With the toolchain that lito asks for, and not with that of the checkout.
        (cd "$GITHUB_ACTION_PATH" && cargo install --path . --locked --quiet --bin lito --root "$PROGRAM")
        echo "built=true" >>"$GITHUB_OUTPUT"
    fi
fi
"$PROGRAM/bin/lito" --version

if [[ $RUN == gate || $RUN == sample ]] && ! command -v valgrind >/dev/null; then
    sudo apt-get update -qq
    sudo DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends valgrind
fi
