//! Version requirements read from text: carets, tildes, wildcards, ranges of two comparators.

use demo_semver::Numbers;
use semver::VersionReq;
use std::hint::black_box;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    texts
        .iter()
        .map(|text| usize::from(VersionReq::parse(text).is_ok()))
        .sum()
}

fn main() {
    let mut numbers = Numbers::new(2);
    let texts: Vec<String> = (0..8_000)
        .map(|index| {
            let (major, minor) = (numbers.below(20), numbers.below(100));
            match index % 5 {
                0 => format!("^{major}.{minor}.1"),
                1 => format!("~{major}.{minor}"),
                2 => format!(">={major}.{minor}.0, <{}.0.0", major + 1),
                3 => format!("{major}.*"),
                _ => format!("={major}.{minor}.7"),
            }
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), texts.len());
}
