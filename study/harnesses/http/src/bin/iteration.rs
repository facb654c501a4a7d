//! Maps with several values for a name walked over and thinned out.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use std::hint::black_box;
use study_http::Numbers;

#[inline(never)]
pub fn subject(maps: &mut [HeaderMap]) -> usize {
    let mut bytes = 0;
    for map in maps.iter_mut() {
        for (name, value) in map.iter() {
            bytes += name.as_str().len() + value.len();
        }
        bytes += map.get_all("x-own-3").iter().count();
        map.remove("x-own-5");
        bytes += map.len();
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(2);
    let mut maps: Vec<HeaderMap> = (0..1_500)
        .map(|_| {
            let mut map = HeaderMap::new();
            for _ in 0..30 {
                let name = format!("x-own-{}", numbers.below(20));
                map.append(
                    HeaderName::from_bytes(name.as_bytes()).expect("a name"),
                    HeaderValue::from_static("something"),
                );
            }
            map
        })
        .collect();
    assert!(black_box(subject(black_box(&mut maps))) > 100_000);
}
