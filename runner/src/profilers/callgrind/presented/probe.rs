//! A program under valgrind → what valgrind presents to it, as lines of text: the answers to CPUID, the capabilities in
//! the auxiliary vector, and the files that are mapped.
//!
//! Not part of lito's own code: it is compiled by the toolchain at hand and run once. Depends on nothing but the standard
//! library, and on no feature of the language that is younger than 2018.
#![allow(clippy::all, unused_unsafe)]

/// Leaves and subleaves of CPUID beyond these are not asked for: no processor that valgrind plays has as many.
const LEAVES: u32 = 0x40;
const SUBLEAVES: u32 = 8;

#[cfg(target_arch = "x86_64")]
fn processor() {
    use std::arch::x86_64::{__cpuid_count, _xgetbv};

    #[target_feature(enable = "xsave")]
    unsafe fn enabled_states() -> u64 {
        _xgetbv(0)
    }

    for first in [0_u32, 0x8000_0000].iter() {
        let last = unsafe { __cpuid_count(*first, 0) }.eax;
        let leaves = last.checked_sub(*first).map_or(0, |leaves| leaves.min(LEAVES) + 1);
        for leaf in (0..leaves).map(|leaf| first + leaf) {
            for subleaf in 0..SUBLEAVES {
                let mut answer = unsafe { __cpuid_count(leaf, subleaf) };
                // The core's number, which is of the run and not of the machine.
                match leaf {
                    1 => answer.ebx &= 0x00ff_ffff,
                    0xb | 0x1f => answer.edx = 0,
                    _ => {}
                }
                let registers = [answer.eax, answer.ebx, answer.ecx, answer.edx];
                println!(
                    "cpuid {:08x} {} {:08x} {:08x} {:08x} {:08x}",
                    leaf, subleaf, registers[0], registers[1], registers[2], registers[3]
                );
            }
        }
    }
    let uses_xgetbv = unsafe { __cpuid_count(1, 0) }.ecx & (1 << 27) != 0;
    if uses_xgetbv {
        println!("xgetbv {:x}", unsafe { enabled_states() });
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() {}

#[cfg(target_os = "linux")]
fn auxiliary_vector() {
    use std::ffi::CStr;
    use std::os::raw::{c_char, c_ulong};

    extern "C" {
        fn getauxval(kind: c_ulong) -> c_ulong;
    }

    // AT_HWCAP, AT_HWCAP2, AT_RSEQ_FEATURE_SIZE, AT_RSEQ_ALIGN, AT_HWCAP3, AT_HWCAP4, AT_MINSIGSTKSZ.
    for kind in [16, 26, 27, 28, 29, 30, 51].iter() {
        println!("auxv {} {:x}", kind, unsafe { getauxval(*kind) });
    }
    // AT_PLATFORM, AT_BASE_PLATFORM: addresses of text.
    for kind in [15, 24].iter() {
        let text = unsafe { getauxval(*kind) } as *const c_char;
        if !text.is_null() {
            println!("auxv {} {:?}", kind, unsafe { CStr::from_ptr(text) });
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn auxiliary_vector() {}

fn mapped_files() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for line in maps.lines() {
        if let Some(at) = line.find('/') {
            println!("file {}", &line[at..]);
        }
    }
}

fn main() {
    processor();
    auxiliary_vector();
    mapped_files();
}
