//! The source of `inlined-dwarf4.elf` and `inlined-dwarf5.elf`: a loop, and generic functions that are inlined into it. Made
//! on Linux for x86-64, in this folder, with `$version` 4 and 5:
//!
//! ```sh
//! rustc --edition 2021 -O -g -C dwarf-version=$version -C panic=abort -C relocation-model=static \
//!     -C link-args="-nostartfiles -nostdlib -static -Wl,--gc-sections,--build-id=none" \
//!     --remap-path-prefix "$PWD=." -o inlined-dwarf$version.elf inlined.rs
//! ```
//!
//! The one of version 5 is linked with `-Wl,--emit-relocs` as well.

#![no_std]
#![no_main]

#[panic_handler]
fn end(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[inline(always)]
fn half<T: core::ops::Div<Output = T> + From<u8>>(n: T) -> T {
    n / T::from(2)
}

#[inline(always)]
fn twice(n: u32) -> u32 {
    half(n).wrapping_mul(4)
}

#[inline(never)]
#[no_mangle]
fn work(n: u32) -> u32 {
    (0..n).fold(0, |sum: u32, i| {
        if i % 3 == 0 { half(sum) } else { sum.wrapping_add(twice(i)) }
    })
}

#[no_mangle]
extern "C" fn _start() -> ! {
    core::hint::black_box(work(core::hint::black_box(10)));
    loop {}
}
