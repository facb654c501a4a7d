//! The text of a source → the headers that its `#include` lines name, and the paths that they may mean.

use super::readable::other_systems::compiled_here;
use super::systems::SYSTEMS;

/// The folder beside which projects keep their public headers.
const HEADERS: &str = "include";

/// Where a compiler may find what a source includes: beside the source, from the folders above it, and from a folder
/// `include` in one of these. Headers of the system are none of the repository.
pub(super) fn candidates(path: &str, source: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for header in headers(source) {
        let IncludedHeader::Quoted(name) = header else {
            continue;
        };
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

/// Folders of headers that come with the compiler and the system.
const FOLDERS_OF_SYSTEMS: [&str; 4] = [
    "/usr/include/c++/",
    "/usr/include/x86_64-linux-gnu/",
    "/usr/lib/gcc/",
    "/usr/lib/llvm",
];

/// The folder that holds headers of systems beside those of other libraries.
const SHARED_FOLDER: &str = "/usr/include/";

/// How the names of headers end that CMake makes to mark what a library exports.
const MADE_FOR_EXPORTS: &str = "_export.h";

/// True for the path of a header that comes with the compiler or the system.
pub(super) fn is_system_header(path: &str) -> bool {
    FOLDERS_OF_SYSTEMS.iter().any(|folder| path.starts_with(folder))
        || path.strip_prefix(SHARED_FOLDER).is_some_and(is_of_a_system)
}

/// True if every header that a source includes is one of the project, or belongs to a compiler or a system.
pub(super) fn are_known(source: &[u8], is_of_project: &dyn Fn(&str) -> bool) -> bool {
    let text = std::str::from_utf8(source).map(compiled_here);
    headers(text.as_ref().map_or(source, |text| text.as_bytes())).all(|header| match header {
        IncludedHeader::Quoted(name) | IncludedHeader::Bracketed(name) => is_of_a_system(name) || is_of_project(name),
        IncludedHeader::Unwritten => false,
    })
}

fn is_of_a_system(name: &str) -> bool {
    let headers = &SYSTEMS.headers;
    let is_one_of = |names: &[String], name: &str| names.iter().any(|known| known == name);
    name.ends_with(MADE_FOR_EXPORTS)
        || headers.folders.iter().any(|folder| name.starts_with(folder.as_str()))
        || match name.strip_suffix(".h") {
            Some(plain) => is_one_of(&headers.c, plain) || plain.ends_with("intrin"),
            None => is_one_of(&headers.cpp, name),
        }
}

/// The header of an `#include` line.
pub(super) enum IncludedHeader<'s> {
    /// `"name"`.
    Quoted(&'s str),
    /// `<name>`.
    Bracketed(&'s str),
    /// A macro names it.
    Unwritten,
}

fn headers(source: &[u8]) -> impl Iterator<Item = IncludedHeader<'_>> {
    source.split(|&byte| byte == b'\n').filter_map(of_line)
}

fn of_line(line: &[u8]) -> Option<IncludedHeader<'_>> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    Some(included(directive.strip_prefix(b"include")?))
}

/// The header that a directive names behind its `include`.
pub(super) fn included(target: &[u8]) -> IncludedHeader<'_> {
    let target = target.trim_ascii_start();
    let between = |open: u8, close: u8| {
        let name = target.strip_prefix(&[open])?;
        std::str::from_utf8(&name[..memchr::memchr(close, name)?]).ok()
    };
    let quoted = between(b'"', b'"').map(IncludedHeader::Quoted);
    let written = quoted.or_else(|| between(b'<', b'>').map(IncludedHeader::Bracketed));
    written.unwrap_or(IncludedHeader::Unwritten)
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
    use super::{are_known, candidates, is_system_header};

    #[test]
    fn headers_of_the_system_are_known_by_name() {
        let are_known = |line: &str| are_known(line.as_bytes(), &|_| false);
        for line in [
            "#include <limits>",
            "#  include <sys/stat.h> // modes",
            "#include <stdio.h>",
            "#define X <zlib.h>",
            "int a;",
        ] {
            assert!(are_known(line), "{line}");
        }
        for line in [
            "#include <gtest/gtest.h>",
            "#include <zlib.h>",
            "#include CONFIG",
            "#include <Eigen/Dense>",
            "#include <QString>",
        ] {
            assert!(!are_known(line), "{line}");
        }
        assert!(is_system_header("/usr/include/ctype.h") && !is_system_header("/usr/include/zlib.h"));
    }

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
