#!/usr/bin/env bash
# Judges what the event is about. A regression (1) and what can't be decided (4) are results: whether the step fails for
# them is the maintainer's choice. Everything else fails it.
# shellcheck disable=SC2153 # what is in capitals comes from the step in action.yml
set -euo pipefail

code=0
"$LITO" gate --github --report "$REPORT" || code=$?
if [[ $FAIL != true && ($code == 1 || $code == 4) ]]; then
    code=0
fi
exit "$code"
