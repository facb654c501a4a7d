//! Requests as browsers send them: a long path, a dozen headers.

use demo_httparse::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(requests: &[Vec<u8>]) -> usize {
    let mut bytes = 0;
    for request in requests {
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut parsed = httparse::Request::new(&mut headers);
        if let Ok(httparse::Status::Complete(read)) = parsed.parse(request) {
            bytes += read;
        }
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(1);
    let requests: Vec<Vec<u8>> = (0..2_000)
        .map(|_| {
            let mut text = format!(
                "GET /articles/{}/part-{}.html?page={} HTTP/1.1\r\nHost: www.example.test\r\n",
                numbers.below(1_000_000),
                numbers.below(100),
                numbers.below(20)
            );
            for header in 0..12 {
                text.push_str(&format!(
                    "X-Header-{}: {}\r\n",
                    header,
                    "value-".repeat(1 + numbers.below(12) as usize)
                ));
            }
            text.push_str("\r\n");
            text.into_bytes()
        })
        .collect();
    assert_eq!(
        black_box(subject(black_box(&requests))),
        requests.iter().map(Vec::len).sum::<usize>()
    );
}
