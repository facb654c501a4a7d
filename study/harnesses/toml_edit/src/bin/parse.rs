//! Manifests read, with everything that is needed to write them back.

use std::hint::black_box;
use study_toml_edit::manifest;
#[allow(unused_imports)]
use toml_edit::Document as DocumentMut;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    // Old versions call it `Document`; newer ones have `DocumentMut`, which then hides the name above.
    #[allow(unused_imports)]
    use toml_edit::*;
    let mut entries = 0;
    for text in texts {
        let document: DocumentMut = text.parse().expect("a manifest");
        entries += document.as_table().iter().count();
    }
    entries
}

fn main() {
    let texts: Vec<String> = (0..20).map(|seed| manifest(20, seed)).collect();
    assert_eq!(black_box(subject(black_box(&texts))), 40);
}
