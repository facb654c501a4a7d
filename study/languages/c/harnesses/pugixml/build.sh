set -e
c++ -O2 -g -Wl,--emit-relocs -I"$LITO_CHECKOUT/src" bench.cpp "$LITO_CHECKOUT/src/pugixml.cpp" -o "$CARGO_TARGET_DIR/pugixml"
