//! A drawing with a palette and a picture with transparency decoded row by row.

use png::Decoder;
use std::hint::black_box;
use std::io::Cursor;
use study_png::Opened;

#[inline(never)]
pub fn subject(pictures: &[&'static [u8]]) -> usize {
    let mut rows = 0;
    for _ in 0..10 {
        for picture in pictures {
            let mut reader = Decoder::new(Cursor::new(*picture))
                .read_info()
                .expect("a picture")
                .opened();
            while let Ok(Some(_)) = reader.next_row() {
                rows += 1;
            }
        }
    }
    rows
}

fn main() {
    let pictures: [&'static [u8]; 2] = [
        include_bytes!("../palette.png"),
        include_bytes!("../alpha.png"),
    ];
    assert_eq!(black_box(subject(black_box(&pictures))), 10 * (160 + 96));
}
