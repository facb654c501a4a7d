set -e
cc -O2 -g -Wl,--emit-relocs -DMD4C_USE_UTF8 -I"$LITO_CHECKOUT/src" bench.c "$LITO_CHECKOUT"/src/md4c.c "$LITO_CHECKOUT"/src/md4c-html.c "$LITO_CHECKOUT"/src/entity.c -o "$CARGO_TARGET_DIR/md4c"
