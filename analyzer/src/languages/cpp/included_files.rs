//! The text of a source → paths that its `#include "..."` lines may mean.

/// The folder beside which projects keep their public headers.
const HEADERS: &str = "include";

/// Where a compiler may find what a source includes: beside the source, from the folders above it, and from a folder
/// `include` in one of these. Headers of the system are none of the repository.
pub(super) fn candidates(path: &str, source: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for name in source.split(|&byte| byte == b'\n').filter_map(included) {
        let mut folder = path.rsplit_once('/').map(|(folder, _)| folder);
        loop {
            for below in ["", HEADERS] {
                let parts = folder
                    .into_iter()
                    .flat_map(|folder| folder.split('/'))
                    .chain([below])
                    .chain(name.split('/'));
                found.extend(joined(parts));
            }
            match folder {
                Some(inner) => folder = inner.rsplit_once('/').map(|(outer, _)| outer),
                None => break,
            }
        }
    }
    found
}

/// The name in a line `#include "name"`.
fn included(line: &[u8]) -> Option<&str> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let quoted = directive
        .strip_prefix(b"include")?
        .trim_ascii_start()
        .strip_prefix(b"\"")?;
    let end = quoted.iter().position(|&byte| byte == b'"')?;
    std::str::from_utf8(&quoted[..end]).ok()
}

/// The path of some parts; `None` if it leads out of the repository.
fn joined<'p>(parts: impl Iterator<Item = &'p str>) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." => drop(kept.pop()?),
            part => kept.push(part),
        }
    }
    Some(kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn a_header_may_stand_beside_the_source_and_in_folders_for_headers() {
        let source = b"#include <stdio.h>\n#include \"sum.h\"\n  # include \"../a/b.h\" // b\n#define X \"no.h\"\n";
        let found = candidates("lib/src/sum.c", source);
        for path in [
            "lib/src/sum.h",
            "lib/include/sum.h",
            "include/sum.h",
            "sum.h",
            "lib/a/b.h",
            "a/b.h",
        ] {
            assert!(found.iter().any(|known| known == path), "{path} is not among {found:?}");
        }
        assert!(
            found
                .iter()
                .all(|path| path.ends_with("sum.h") || path.ends_with("a/b.h")),
            "{found:?}"
        );
    }
}
