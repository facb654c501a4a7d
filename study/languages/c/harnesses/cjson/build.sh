set -e
cc -O2 -g -Wl,--emit-relocs -I"$LITO_CHECKOUT" bench.c "$LITO_CHECKOUT/cJSON.c" -o "$CARGO_TARGET_DIR/cjson" -lm
