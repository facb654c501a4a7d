//! A Rust file → where the files may be that it pulls in, and a path → where its crate may start. Looks at words, not at
//! the syntax: a wrong guess names a file that does not exist.

use memchr::memmem;

use crate::sources::{folder_of, joined_path};
use crate::text_search::places_of;

/// The files that a path may be reached from: the roots of the packages around it, and the modules above it.
pub(super) fn entry_points(path: &str) -> Vec<String> {
    const ROOTS: [&str; 5] = ["lib.rs", "main.rs", "mod.rs", "src/lib.rs", "src/main.rs"];
    if !path.ends_with(".rs") {
        return Vec::new();
    }
    let folders = folders_around(path);
    let modules = folders
        .iter()
        .filter(|folder| !folder.is_empty())
        .map(|folder| format!("{folder}.rs"));
    let roots = folders.iter().flat_map(|folder| ROOTS.map(|root| join(folder, root)));
    roots.chain(modules).filter(|root| root != path).collect()
}

/// The files that a file may pull in: as a module (`mod name;`), or by their path (`#[path = "…"]`, `include!("…")`).
pub(super) fn declared_files(path: &str, bytes: &[u8]) -> Vec<String> {
    let Some(stem) = path.strip_suffix(".rs") else {
        return Vec::new();
    };
    let (parent, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let modules = match name {
        "lib" | "main" | "mod" => parent,
        _ => stem,
    };
    let declared = DeclaredModules::of(bytes);
    let mut folders = vec![modules.to_owned()];
    folders.extend(declared.inline.iter().map(|inline| join(modules, inline)));
    let named = folders.iter().flat_map(|folder| {
        let names = declared.in_files.iter();
        names.flat_map(move |name| [format!("{name}.rs"), format!("{name}/mod.rs")].map(|file| join(folder, &file)))
    });
    let written = paths_written(bytes).flat_map(|written| match written.strip_prefix('/') {
        // What stands before it is the folder of the package.
        Some(below) => folders_around(path).iter().map(|folder| join(folder, below)).collect(),
        None => {
            let beside = std::iter::once(parent).chain(folders.iter().map(String::as_str));
            beside
                .filter_map(|folder| resolved(folder, written))
                .collect::<Vec<_>>()
        }
    });
    named.chain(written).filter(|file| file != path).collect()
}

/// The files of the modules that a file declares, or includes; beside it, if it is the root of a crate.
pub(super) fn modules_of_root(path: &str, bytes: &[u8], is_root: bool) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let (parent, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folder = if is_root || name == "mod" { parent } else { stem };
    let names = DeclaredModules::of(bytes).in_files.into_iter();
    let named = names.flat_map(|name| [format!("{name}.rs"), format!("{name}/mod.rs")].map(|file| join(folder, &file)));
    let is_read_in = |written: &&str| {
        let at = written.as_ptr().addr() - bytes.as_ptr().addr();
        let before = bytes[..at].strip_suffix(b"\"").unwrap_or_default().trim_ascii_end();
        let before_sign = before.strip_suffix(b"=").unwrap_or_default().trim_ascii_end();
        before_sign.ends_with(b"path") || before.ends_with(b"include!(")
    };
    let written = paths_written(bytes).filter(is_read_in);
    named
        .chain(written.filter_map(|written| resolved(parent, written)))
        .collect()
}

/// True for a line that declares a module of a name, or writes the name in a string, which may be a path. A macro may
/// declare modules whose names it is given.
pub(super) fn may_pull_in(source: &[u8], line: &[u8], name: &str) -> bool {
    let comment = memmem::find(line, b"//").filter(|&at| !line[..at].contains(&b'"'));
    let line = &line[..comment.unwrap_or(line.len())];
    let declares = |at: usize| {
        let before = line[..at].trim_ascii_end();
        let before = before.strip_suffix(b"r#").unwrap_or(before).trim_ascii_end();
        before.ends_with(b"mod")
    };
    let is_written_by_macros = || memmem::find(source, b"mod $").is_some();
    places_of(line, name).any(|at| declares(at) || line[..at].contains(&b'"') || is_written_by_macros())
}

/// The modules that a file declares.
#[derive(Default)]
struct DeclaredModules<'t> {
    /// In files of their own.
    in_files: Vec<&'t str>,
    /// In the file itself.
    inline: Vec<&'t str>,
}

impl<'t> DeclaredModules<'t> {
    fn of(text: &'t [u8]) -> Self {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let mut declared = Self::default();
        for at in memmem::find_iter(text, b"mod") {
            let after = &text[at + b"mod".len()..];
            let is_word = !text[..at].last().is_some_and(is_part) && after.first().is_some_and(u8::is_ascii_whitespace);
            if !is_word {
                continue;
            }
            let after = after.trim_ascii_start();
            let after = after.strip_prefix(b"r#").unwrap_or(after);
            let (name, rest) = after.split_at(after.iter().take_while(|byte| is_part(byte)).count());
            let Ok(name) = std::str::from_utf8(name) else {
                continue;
            };
            match rest.trim_ascii_start().first() {
                Some(b';') if !name.is_empty() => declared.in_files.push(name),
                Some(b'{') if !name.is_empty() => declared.inline.push(name),
                _ => {}
            }
        }
        declared
    }
}

/// The string literals that name a Rust file.
fn paths_written(text: &[u8]) -> impl Iterator<Item = &str> {
    const END: &[u8] = b".rs\"";
    memmem::find_iter(text, END).filter_map(|at| {
        let start = text[..at].iter().rposition(|&byte| matches!(byte, b'"' | b'\n'))? + 1;
        std::str::from_utf8(&text[start..at + END.len() - 1]).ok()
    })
}

/// The folders that a path is in, the nearest first; the last one is the root.
fn folders_around(path: &str) -> Vec<&str> {
    let nearest = folder_of(path);
    std::iter::successors(Some(nearest), |&folder| (!folder.is_empty()).then(|| folder_of(folder))).collect()
}

fn join(folder: &str, below: &str) -> String {
    match folder.is_empty() {
        true => below.to_owned(),
        false => format!("{folder}/{below}"),
    }
}

/// A path without `.` and `..`; `None` if it leaves the repository.
pub(super) fn resolved(folder: &str, written: &str) -> Option<String> {
    joined_path(folder.split('/').chain(written.split('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_or_a_path_may_pull_a_file_in() {
        let may = |line: &str| may_pull_in(line.as_bytes(), line.as_bytes(), "part");
        for line in [
            "pub mod part;",
            "mod r#part {",
            "#[path = \"x/part.rs\"]",
            "include!(\"part\"); // x",
            "mod $x; part",
        ] {
            assert!(may(line), "{line}");
        }
        for line in ["let part = 1;", "use part::Row;", "// mod part;", "modulo(part)"] {
            assert!(!may(line), "{line}");
        }
    }

    #[test]
    fn modules_are_looked_for_where_their_declarations_put_them() {
        let text = b"pub mod a; mod b;\n#[cfg(x)] pub(crate) mod r#c;\n// a modest; modulo d;\n";
        assert_eq!(
            declared_files("src/lib.rs", text),
            [
                "src/a.rs",
                "src/a/mod.rs",
                "src/b.rs",
                "src/b/mod.rs",
                "src/c.rs",
                "src/c/mod.rs"
            ]
        );
        assert_eq!(
            declared_files("src/x/y.rs", b"mod z;"),
            ["src/x/y/z.rs", "src/x/y/z/mod.rs"]
        );
        assert_eq!(declared_files("m.py", b"mod z;"), Vec::<String>::new());
    }

    #[test]
    fn modules_inside_a_module_of_the_same_file_are_below_its_folder() {
        let files = declared_files("src/lib.rs", b"mod outer {\n    mod inner;\n}\n");
        assert!(files.contains(&"src/outer/inner.rs".to_owned()), "{files:?}");
    }

    #[test]
    fn files_that_are_pulled_in_by_their_path_are_found() {
        let beside = declared_files("src/lib.rs", b"#[path = \"../shared/sizes.rs\"]\nmod sizes;");
        assert!(beside.contains(&"shared/sizes.rs".to_owned()), "{beside:?}");
        let included = declared_files("src/a/b.rs", b"include!(\"table.rs\");");
        assert!(included.contains(&"src/a/table.rs".to_owned()), "{included:?}");
        let from_the_package = b"include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/data/table.rs\"));";
        let included = declared_files("k/src/a.rs", from_the_package);
        assert!(included.contains(&"k/data/table.rs".to_owned()), "{included:?}");
        assert_eq!(
            declared_files("src/lib.rs", b"include!(\"../../outside.rs\");"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_crate_starts_at_a_root_above_its_files() {
        let roots = entry_points("crates/a/src/m/n.rs");
        for root in [
            "crates/a/src/lib.rs",
            "crates/a/src/main.rs",
            "crates/a/src/m.rs",
            "crates/a/lib.rs",
        ] {
            assert!(roots.contains(&root.to_owned()), "{root}: {roots:?}");
        }
        let library = "src/lib.rs".to_owned();
        assert!(entry_points("benches/m.rs").contains(&library));
        assert!(!entry_points("src/lib.rs").contains(&library));
        assert_eq!(entry_points("m.py"), Vec::<String>::new());
    }
}
