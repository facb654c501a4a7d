//! Requirements held against versions: the inner loop of a dependency resolver.

use demo_semver::Numbers;
use semver::{Version, VersionReq};
use std::hint::black_box;

#[inline(never)]
pub fn subject(requirements: &[VersionReq], versions: &[Version]) -> u64 {
    let mut matched = 0;
    for requirement in requirements {
        for version in versions {
            matched += u64::from(requirement.matches(version));
        }
    }
    matched
}

fn main() {
    let mut numbers = Numbers::new(3);
    let versions: Vec<Version> = (0..1_000)
        .map(|index| {
            let pre = if index % 9 == 0 { "-beta.1" } else { "" };
            let text = format!(
                "{}.{}.{}{pre}",
                numbers.below(4),
                numbers.below(10),
                numbers.below(10)
            );
            Version::parse(&text).expect("a version")
        })
        .collect();
    let requirements: Vec<VersionReq> = (0..200)
        .map(|index| {
            let (major, minor) = (numbers.below(4), numbers.below(10));
            let text = match index % 4 {
                0 => format!("^{major}.{minor}"),
                1 => format!("~{major}.{minor}.2"),
                2 => format!(">={major}.{minor}.0, <{}.0.0", major + 1),
                _ => format!("={major}.{minor}.3"),
            };
            VersionReq::parse(&text).expect("a requirement")
        })
        .collect();
    assert!(black_box(subject(black_box(&requirements), black_box(&versions))) > 0);
}
