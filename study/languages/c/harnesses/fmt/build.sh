set -e
c++ -O2 -g -Wl,--emit-relocs -I"$LITO_CHECKOUT/include" bench.cpp "$LITO_CHECKOUT/src/format.cc" -o "$CARGO_TARGET_DIR/fmt"
