//! Versions sorted, then written out.

use demo_semver::Numbers;
use semver::Version;
use std::fmt::Write;
use std::hint::black_box;

#[inline(never)]
pub fn subject(versions: &mut [Version]) -> String {
    versions.sort();
    let mut text = String::new();
    for version in versions.iter() {
        write!(text, "{} ", version).expect("a string takes every write");
    }
    text
}

fn main() {
    let mut numbers = Numbers::new(4);
    let mut versions: Vec<Version> = (0..8_000)
        .map(|index| {
            let pre = ["", "", "-rc.1", "-alpha.7"][index % 4];
            let text = format!(
                "{}.{}.{}{pre}",
                numbers.below(4),
                numbers.below(20),
                numbers.below(20)
            );
            Version::parse(&text).expect("a version")
        })
        .collect();
    assert!(!black_box(subject(black_box(&mut versions))).is_empty());
}
