//! Blocks of text moved to the left and to the right.

use std::hint::black_box;
use study_textwrap::{paragraph, Numbers};

#[inline(never)]
pub fn subject(blocks: &[String]) -> usize {
    let mut bytes = 0;
    for block in blocks {
        let plain = textwrap::dedent(block);
        bytes += plain.len() * 3 + textwrap::indent(&plain, "  ").len();
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(5);
    let blocks: Vec<String> = (0..200)
        .map(|seed| {
            let mut block = String::new();
            for line in 0..20 {
                let room = 4 + numbers.below(3) as usize * 2;
                block.push_str(&" ".repeat(room));
                block.push_str(&paragraph(7, seed * 20 + line));
                block.push('\n');
            }
            block
        })
        .collect();
    assert!(black_box(subject(black_box(&blocks))) > 100_000);
}
