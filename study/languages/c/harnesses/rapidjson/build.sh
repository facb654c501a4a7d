set -e
c++ -O2 -g -fpermissive -w -Wl,--emit-relocs -I"$LITO_CHECKOUT/include" bench.cpp -o "$CARGO_TARGET_DIR/rapidjson"
