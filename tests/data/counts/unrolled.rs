//= sums
//= calls tiny ~600
//= executions tiny ~600
//= calls far 160
//= executions far 160
//+ executions body 1024
//+ calls mix 1024
//+ executions sum 400
use std::hint::black_box;

#[inline(always)]
fn tiny(x: u64) -> u64 {
    black_box(x.wrapping_mul(3) ^ 5)
}

#[inline(never)]
fn far(x: u64) -> u64 {
    black_box(x)
}

#[inline]
fn mix(t: u64, x: u8) -> u64 {
    (t ^ u64::from(x)).wrapping_mul(0x0100_0000_01b3) // @body
}

#[inline(never)]
fn hash(bytes: &[u8]) -> u64 {
    let mut t = 0u64;
    for b in bytes {
        t = mix(t, *b);
    }
    t
}

#[inline(never)]
fn total(xs: &[u32]) -> u32 {
    let mut t = 0u32;
    for x in xs {
        t = t.wrapping_add(*x); // @sum
    }
    t
}

#[inline(never)]
pub fn subject(bytes: &[u8], xs: &[u32]) -> u64 {
    let mut t = 0;
    for i in 0..40u64 {
        for j in 0..15u64 {
            t ^= tiny(black_box(i ^ j)); // @tiny
        }
        for j in 0..4u64 {
            t ^= far(black_box(j)); // @far
        }
    }
    t ^ hash(bytes) ^ u64::from(total(xs))
}

fn main() {
    let bytes = vec![7u8; 1024];
    let xs = vec![3u32; 400];
    println!("{}", subject(black_box(&bytes), black_box(&xs)));
}
