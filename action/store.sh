#!/usr/bin/env bash
# Parts of the store that sampling jobs handed on → pushed to the repository. Runs nothing of it, and checks out nothing.
# shellcheck disable=SC2153 # what is in capitals comes from the step in action.yml
set -euo pipefail
shopt -s nullglob

parts=("$PARTS"/*/*.bundle)
if ((${#parts[@]} == 0)); then
    echo "no sampling job handed on a part of the store"
    exit 0
fi
bare="$RUNNER_TEMP/lito-store"
git init --quiet --bare "$bare"
"$LITO" --repo "$bare" store merge "${parts[@]}"
"$LITO" --repo "$bare" store push "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
