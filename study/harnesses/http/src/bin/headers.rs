//! Headers put into a map and looked up, as a server does for every request.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use std::hint::black_box;
use study_http::Numbers;

#[inline(never)]
pub fn subject(requests: &[Vec<(String, String)>]) -> usize {
    let mut found = 0;
    for request in requests {
        let mut map = HeaderMap::new();
        for (name, value) in request {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
            let value = HeaderValue::from_str(value).expect("a value");
            map.insert(name, value);
        }
        found += usize::from(map.contains_key("content-length"));
        found += map.get("accept").map_or(0, |value| value.len());
        found += map.get("x-missing").map_or(1, |value| value.len());
    }
    found
}

fn main() {
    let mut numbers = Numbers::new(1);
    let requests: Vec<Vec<(String, String)>> = (0..1_200)
        .map(|_| {
            let mut headers: Vec<(String, String)> =
                ["Host", "Accept", "User-Agent", "Content-Length", "Cookie"]
                    .iter()
                    .map(|name| (name.to_string(), "v".repeat(4 + numbers.below(30) as usize)))
                    .collect();
            for _ in 0..6 {
                headers.push((
                    format!("X-Own-{}", numbers.below(50)),
                    numbers.below(1000).to_string(),
                ));
            }
            headers
        })
        .collect();
    assert!(black_box(subject(black_box(&requests))) > 1_200);
}
