set -e
cmake -S "$LITO_CHECKOUT" -B "$CARGO_TARGET_DIR/cmark-build" -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="-O2 -g -DCMARK_STATIC_DEFINE" -DCMARK_TESTS=OFF -DCMARK_SHARED=OFF -DCMARK_STATIC=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5
rm -f "$CARGO_TARGET_DIR"/cmark-build/src/lib*.a
cmake --build "$CARGO_TARGET_DIR/cmark-build"
library=$(ls "$CARGO_TARGET_DIR"/cmark-build/src/lib*.a)
cc -O2 -g -Wl,--emit-relocs -DCMARK_STATIC_DEFINE -I"$LITO_CHECKOUT/src" -I"$CARGO_TARGET_DIR/cmark-build/src" bench.c "$library" -o "$CARGO_TARGET_DIR/cmark"
