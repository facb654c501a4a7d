//! One target under libFuzzer, which keeps the inputs that reach new code and changes those. `fuzz/guided.sh` builds it
//! with coverage counters and runs it; `LITO_FUZZ_TARGET` names the target.

#![no_main]

use std::sync::LazyLock;

use fuzz::Target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("LITO_FUZZ_TARGET").expect("LITO_FUZZ_TARGET names a target");
    fuzz::target(&name).unwrap_or_else(|why| panic!("{why}"))
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| TARGET.read(input));
