set -e
cc -O2 -g -Wl,--emit-relocs -I"$LITO_CHECKOUT/lib" bench.c "$LITO_CHECKOUT/lib/lz4.c" "$LITO_CHECKOUT/lib/lz4hc.c" -o "$CARGO_TARGET_DIR/lz4"
