//! Grey pictures written.

use png::Encoder;
use std::hint::black_box;
use study_png::levels;

#[inline(never)]
pub fn subject(pictures: &[Vec<u8>], width: u32) -> usize {
    let mut bytes = 0;
    for picture in pictures {
        let mut file = Vec::new();
        let mut writer = Encoder::new(&mut file, width, picture.len() as u32 / width)
            .write_header()
            .expect("a head");
        writer.write_image_data(picture).expect("a picture");
        drop(writer);
        bytes += file.len();
    }
    bytes
}

fn main() {
    let pictures: Vec<Vec<u8>> = (0..3).map(|seed| levels(160, 120, seed)).collect();
    assert!(black_box(subject(black_box(&pictures), black_box(160))) > 10_000);
}
