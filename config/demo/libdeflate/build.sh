# The library as it is at the version that is measured: its sources lie in a folder of the Rust package around it.
set -e
library="$LITO_CHECKOUT/libdeflate"
include="-I$library -I$library/lib -I$library/common"
mkdir -p "$CARGO_TARGET_DIR"
# shellcheck disable=SC2086
cc -O2 -g -w -Wl,--emit-relocs $include bench.c "$library"/lib/*.c "$library"/lib/x86/*.c "$library"/lib/arm/*.c -o "$CARGO_TARGET_DIR/bench"
