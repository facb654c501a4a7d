# The library as it is at the version that is measured: its sources lie in a folder of the Rust package around it.
set -e
library="$LITO_CHECKOUT/deps"
mkdir -p "$CARGO_TARGET_DIR"
c++ -std=c++20 -O2 -g -w -Wl,--emit-relocs "-I$library" bench.cpp "$library/ada.cpp" -o "$CARGO_TARGET_DIR/bench"
