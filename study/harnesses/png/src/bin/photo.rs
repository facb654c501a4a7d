//! A coloured picture decoded, every row with another filter. It is stored: written by the measured version, it
//! would not be the same for all of them.

use png::Decoder;
use std::hint::black_box;
use std::io::Cursor;
use study_png::Opened;

#[inline(never)]
pub fn subject(picture: &'static [u8], bytes: &mut [u8]) -> u64 {
    let mut sum = 0u64;
    for _ in 0..8 {
        let mut reader = Decoder::new(Cursor::new(picture))
            .read_info()
            .expect("a picture")
            .opened();
        reader.next_frame(bytes).expect("a frame");
        sum += u64::from(bytes[1_000]) + 1;
    }
    sum
}

fn main() {
    let mut bytes = vec![0; 160 * 160 * 3];
    assert!(
        black_box(subject(
            black_box(include_bytes!("../photo.png")),
            black_box(&mut bytes)
        )) >= 8
    );
}
