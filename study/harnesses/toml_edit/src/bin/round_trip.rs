//! A long file of locked packages read and written back as it was.

use std::hint::black_box;
use study_toml_edit::lock;
#[allow(unused_imports)]
use toml_edit::Document as DocumentMut;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    // Old versions call it `Document`; newer ones have `DocumentMut`, which then hides the name above.
    #[allow(unused_imports)]
    use toml_edit::*;
    let document = text.parse::<DocumentMut>().expect("a lock file");
    document.to_string().len()
}

fn main() {
    let text = lock(150, 2);
    assert_eq!(black_box(subject(black_box(&text))), text.len());
}
