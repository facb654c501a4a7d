//! Versions of dependencies set in a manifest, as a tool for updates does.

use std::hint::black_box;
use study_toml_edit::{manifest, Numbers};
#[allow(unused_imports)]
use toml_edit::Document as DocumentMut;

#[inline(never)]
pub fn subject(text: &str, names: &[String]) -> String {
    // Old versions call it `Document`; newer ones have `DocumentMut`, which then hides the name above.
    #[allow(unused_imports)]
    use toml_edit::*;
    let mut document = text.parse::<DocumentMut>().expect("a manifest");
    for name in names {
        document["dependencies"][name.as_str()] = value("9.9");
        document["package"]["version"] = value(name.as_str());
    }
    document.to_string()
}

fn main() {
    let mut numbers = Numbers::new(3);
    let names: Vec<String> = (0..2_000)
        .map(|_| format!("dependency-{}", numbers.below(600)))
        .collect();
    let text = manifest(200, 3);
    assert!(black_box(subject(black_box(&text), black_box(&names))).len() > text.len());
}
