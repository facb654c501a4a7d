#!/usr/bin/env bash
# lito into $PROGRAM/bin: kept from an earlier run, installed in the job's container, released, or built from this action's
# sources; and valgrind where code is measured.
#
# A release is used only if its provenance is verified: an attestation, signed for the workflow of the repository that this
# action comes from. Whoever can replace the files of a release can't make one.
# shellcheck disable=SC2153 # what is in capitals comes from the step in action.yml
set -euo pipefail

GITHUB=https://github.com

# The released program from the folder $1 of a server.
released() {
    local name folder host
    host=${1#*://}
    name="lito-$(uname -m)-unknown-linux-gnu.tar.gz"
    folder=$(mktemp -d)
    command -v gh >/dev/null || {
        echo "::notice title=lito::there is no gh to verify the release with, so that it is not used"
        return 1
    }
    for file in "$name" "$name.sigstore.json"; do
        curl --fail --silent --show-error --location --retry 3 --proto "=${1%%:*}" --max-time 300 \
            --output "$folder/$file" "$1/$file" || return 1
    done
    local repository=$GITHUB_ACTION_REPOSITORY
    local verified=(--repo "$repository" --signer-workflow "$repository/.github/workflows/release.yml"
        --source-ref "refs/tags/v$RELEASE" --deny-self-hosted-runners)
    # Where a workflow pins a commit, the program of another one is not what was asked for.
    if pinned; then
        verified+=(--source-digest "$GITHUB_ACTION_REF")
    fi
    # The signer is a workflow of the server that the release comes from.
    GH_HOST=${host%%/*} gh attestation verify "$folder/$name" --bundle "$folder/$name.sigstore.json" "${verified[@]}" >/dev/null || {
        echo "::warning title=lito::the release's provenance could not be verified, so that it is not used"
        return 1
    }
    mkdir -p "$PROGRAM/bin"
    tar --extract --gzip --file "$folder/$name" --directory "$PROGRAM/bin" --no-same-owner lito
    # It may need a newer C library than this machine has.
    "$PROGRAM/bin/lito" --version >/dev/null
}

pinned() {
    [[ -z $VERSION && ${GITHUB_ACTION_REF:-} =~ ^[0-9a-f]{40}$ ]]
}

# An Enterprise Server takes actions from github.com that it doesn't have itself. A repository of that name may be somebody
# else's there, so that only the release of the pinned commit is taken.
downloaded() {
    [[ -n $RELEASES ]] || return 1
    released "$RELEASES" && return
    [[ $RELEASES != "$GITHUB"/* ]] && pinned && released "$GITHUB/${RELEASES#*://*/}"
}

installed() {
    [[ $VERSION != source && $(lito --version 2>/dev/null) == "lito $RELEASE" ]] || return 1
    mkdir -p "$PROGRAM/bin"
    ln -s "$(command -v lito)" "$PROGRAM/bin/lito"
}

if [[ ! -x $PROGRAM/bin/lito ]] && ! installed; then
    if [[ $VERSION == source ]] || ! downloaded; then
        echo "building lito from its sources"
        command -v cargo >/dev/null || {
            echo "::error title=lito::there is no release for this machine, and no cargo to build lito with"
            exit 3
        }
        # Away from the checkout: cargo and rustup obey settings of every folder above, and those may name programs to run.
        sources=$RUNNER_TEMP/lito-sources
        rm -rf "$sources"
        mkdir "$sources"
        tar --create --directory "$GITHUB_ACTION_PATH" --exclude ./.git --exclude ./target --exclude node_modules . |
            tar --extract --directory "$sources"
        (cd "$sources" && cargo install --path . --locked --quiet --bin lito --root "$PROGRAM" --target-dir "$RUNNER_TEMP/lito-target")
        echo "built=true" >>"$GITHUB_OUTPUT"
    fi
fi
"$PROGRAM/bin/lito" --version

if [[ $RUN == gate || $RUN == sample ]] && ! command -v valgrind >/dev/null; then
    sudo apt-get update -qq
    sudo DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends valgrind
fi
