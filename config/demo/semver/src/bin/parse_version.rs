//! Version numbers read from text, a third of them pre-releases, some with build metadata.

use demo_semver::Numbers;
use semver::Version;
use std::hint::black_box;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    texts
        .iter()
        .filter(|text| Version::parse(text).is_ok())
        .count()
}

fn main() {
    let mut numbers = Numbers::new(1);
    let texts: Vec<String> = (0..20_000)
        .map(|index| {
            let core = format!(
                "{}.{}.{}",
                numbers.below(20),
                numbers.below(100),
                numbers.below(1000)
            );
            match index % 6 {
                0 => format!("{core}-alpha.{}", numbers.below(10)),
                3 => format!(
                    "{core}-rc.{}+build.{}",
                    numbers.below(5),
                    numbers.below(10_000)
                ),
                _ => core,
            }
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), texts.len());
}
