//! The recorded sources of a sample → the files that they put into the program as they are, by name.

use std::collections::BTreeSet;

use memchr::memmem;

use super::Sample;
use crate::sources::file_name;

/// Macros that put the content of a file into a program.
const EMBEDDING: [&str; 2] = ["include_str!", "include_bytes!"];

impl Sample {
    /// True if some source may put a file into the program as it is, be it a source itself: then every byte of it counts.
    pub(crate) fn embeds(&self, path: &str) -> bool {
        self.embedded
            .get_or_init(|| self.embedded_names())
            .contains(file_name(path))
    }

    fn embedded_names(&self) -> BTreeSet<String> {
        let files: BTreeSet<&String> = self.inputs.units().flat_map(|unit| &unit.files).collect();
        let texts = files.into_iter().filter_map(|path| self.tree.bytes(path));
        texts.flat_map(|text| names_in(&text)).collect()
    }
}

/// The names of the files in the literals that follow such words.
fn names_in(text: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for word in EMBEDDING {
        for at in memmem::find_iter(text, word) {
            let rest = &text[at + word.len()..];
            let end = rest.iter().position(|&byte| byte == b';').unwrap_or(rest.len());
            let literals = rest[..end].split(|&byte| byte == b'"').skip(1).step_by(2);
            let literals = literals.map(|literal| String::from_utf8_lossy(literal).into_owned());
            names.extend(literals.map(|literal| file_name(&literal).to_owned()));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_literals() {
        let text = b"const A: &str = include_str!(\"corpus.rs\");\nconst B: &[u8] = include_bytes!(concat!(env!(\"X\"), \"/a/b.bin\"));\nconst C: &str = \"c\";";
        assert_eq!(names_in(text), ["corpus.rs", "X", "b.bin"]);
        assert!(names_in(b"include!(\"a.rs\");").is_empty());
    }
}
