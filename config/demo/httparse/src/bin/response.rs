//! Short responses: status line, four headers.

use demo_httparse::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(responses: &[Vec<u8>]) -> u64 {
    let mut codes = 0;
    for response in responses {
        let mut headers = [httparse::EMPTY_HEADER; 8];
        let mut parsed = httparse::Response::new(&mut headers);
        if parsed.parse(response).is_ok() {
            codes += u64::from(parsed.code.unwrap_or(0));
        }
    }
    codes
}

fn main() {
    let mut numbers = Numbers::new(2);
    let responses: Vec<Vec<u8>> = (0..6_000)
        .map(|_| {
            let code = [200, 204, 301, 404][numbers.below(4) as usize];
            format!("HTTP/1.1 {} Fine\r\nServer: demo\r\nDate: Fri, 01 Jan 2021 00:00:00 GMT\r\nContent-Length: {}\r\nETag: \"{:x}\"\r\n\r\n",
                code, numbers.below(100_000), numbers.below(1 << 30)).into_bytes()
        })
        .collect();
    assert!(black_box(subject(black_box(&responses))) > 0);
}
