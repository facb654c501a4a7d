set -e
c++ -O2 -g -Wl,--emit-relocs -I"$LITO_CHECKOUT" bench.cpp "$LITO_CHECKOUT/tinyxml2.cpp" -o "$CARGO_TARGET_DIR/tinyxml2"
