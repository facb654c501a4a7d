#!/usr/bin/env bash
# What the action was asked for → where its program, reports and parts of the store lie, as outputs of the step.
# shellcheck disable=SC2153 # what is in capitals comes from the step in action.yml
set -euo pipefail

case "$RUN" in
    gate | post | sample | store) ;;
    *)
        echo "::error title=lito::the input run is none of gate, post, sample and store"
        exit 2
        ;;
esac
if [[ ! $SHARD =~ ^[0-9]{1,4}/[0-9]{1,4}$ ]]; then
    echo "::error title=lito::the input shard is not of the form 2/4"
    exit 2
fi

version=$VERSION
if [[ -z $version ]]; then
    version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1)
fi
# The program depends on these sources and on nothing else that differs between runs.
sources=$(cd "$GITHUB_ACTION_PATH" && find . -type f ! -path './.git/*' ! -path './target/*' -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-32)
releases=
if [[ -n ${GITHUB_ACTION_REPOSITORY:-} ]]; then
    releases="$GITHUB_SERVER_URL/$GITHUB_ACTION_REPOSITORY/releases/download/v$version"
fi

# One job writes the caches: the first of those that sample the default branch.
saves=false
if [[ $RUN == sample && $DEFAULT == true && ${SHARD%%/*} == 1 && $GITHUB_EVENT_NAME =~ ^(push|schedule|workflow_dispatch)$ ]]; then
    saves=true
fi

mkdir -p "$RUNNER_TEMP/lito-report" "$RUNNER_TEMP/lito-parts"
{
    echo "program=$RUNNER_TEMP/lito-program"
    echo "report=$RUNNER_TEMP/lito-report"
    echo "parts=$RUNNER_TEMP/lito-parts"
    echo "part=lito-store-${SHARD//\//-of-}"
    echo "dependencies=$RUNNER_TEMP/lito-dependencies"
    echo "saves=$saves"
    echo "key=lito-$RUNNER_OS-$RUNNER_ARCH-$version-$sources"
    echo "version=$version"
    echo "releases=$releases"
} >>"$GITHUB_OUTPUT"
