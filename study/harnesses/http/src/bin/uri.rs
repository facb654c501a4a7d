//! Targets of requests read: paths, and whole addresses.

use http::Uri;
use std::hint::black_box;
use study_http::Numbers;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    let mut bytes = 0;
    for text in texts {
        if let Ok(uri) = text.parse::<Uri>() {
            bytes +=
                uri.path().len() + uri.query().map_or(0, str::len) + uri.host().map_or(0, str::len);
        }
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(3);
    let texts: Vec<String> = (0..15_000)
        .map(|index| {
            let path = format!(
                "/articles/{}/part-{}",
                numbers.below(1_000_000),
                numbers.below(100)
            );
            match index % 3 {
                0 => path,
                1 => format!("{path}?page={}&sort=asc", numbers.below(20)),
                _ => format!(
                    "https://www.example.test:8080{path}?q={}",
                    numbers.below(20)
                ),
            }
        })
        .collect();
    assert!(black_box(subject(black_box(&texts))) > 200_000);
}
