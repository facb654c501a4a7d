//! A changed path → what it is to lito: a source, a build file, something else, or a reason for doubt.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::sources::{Blob, Content, FileChange};
use crate::syntax::Language;

/// The shipped tables.
pub(super) static FILES: LazyLock<Files> = LazyLock::new(|| {
    toml::from_str(include_str!("../../config/files.toml")).expect("the shipped tables are read by a test")
});

/// `config/files.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Files {
    not_code: NotCode,
    code_without_front_end: BTreeMap<String, Vec<String>>,
    pub(super) dependencies: Dependencies,
    pub(super) cargo_config: CargoConfig,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NotCode {
    names: Vec<String>,
    name_prefixes: Vec<String>,
    extensions: Vec<String>,
    data: Vec<String>,
    folders: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dependencies {
    pub(super) harnesses: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CargoConfig {
    pub(super) ignored: Vec<String>,
}

/// What a path is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// Has a front end.
    Source(Language),
    /// Decides how the code is built.
    Build(BuildFile),
    /// Cannot change what runs.
    NotCode,
    /// May change what runs, and cannot be analysed: why.
    Opaque(String),
}

/// The files that decide how code is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuildFile {
    CargoManifest,
    CargoLock,
    CargoConfig,
    Toolchain,
    Pyproject,
    Requirements,
}

/// True if a path is one that is compiled, or decides how: a source or a build file.
#[must_use]
pub fn is_compiled(path: &str) -> bool {
    matches!(role(path), Role::Source(_) | Role::Build(_))
}

/// The role of a path, by its name alone.
pub(super) fn role(path: &str) -> Role {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path.strip_suffix(name).unwrap_or("").trim_end_matches('/');
    let parent = folder.rsplit('/').next().unwrap_or("");
    let build = match name {
        "Cargo.toml" => Some(BuildFile::CargoManifest),
        "Cargo.lock" => Some(BuildFile::CargoLock),
        "rust-toolchain" | "rust-toolchain.toml" => Some(BuildFile::Toolchain),
        "config" | "config.toml" if parent == ".cargo" => Some(BuildFile::CargoConfig),
        "pyproject.toml" => Some(BuildFile::Pyproject),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Some(BuildFile::Requirements),
        _ => None,
    };
    if let Some(build) = build {
        return Role::Build(build);
    }
    let files = &*FILES;
    let lower = name.to_lowercase();
    let in_folder = folder
        .split('/')
        .any(|part| files.not_code.folders.iter().any(|other| other == part));
    let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
    match extension {
        _ if in_folder => return Role::NotCode,
        Some("rs") => return Role::Source(Language::Rust),
        Some("py" | "pyi") => return Role::Source(Language::Python),
        _ => {}
    }
    let plain = files.not_code.names.contains(&lower)
        || files
            .not_code
            .name_prefixes
            .iter()
            .any(|prefix| lower.starts_with(prefix.as_str()));
    if plain {
        return Role::NotCode;
    }
    // Without an end, a name is a script's or a text's.
    let Some(extension) = extension else {
        return Role::NotCode;
    };
    let language = files
        .code_without_front_end
        .iter()
        .find(|(_, extensions)| extensions.iter().any(|other| other == extension));
    if let Some((language, _)) = language {
        return Role::Opaque(format!("no front end for {language}"));
    }
    let not_code = &files.not_code;
    let ends = not_code.extensions.iter().chain(&not_code.data);
    if ends.into_iter().any(|other| other == extension) {
        return Role::NotCode;
    }
    Role::Opaque(format!("unknown kind of file: .{extension}"))
}

/// True if a program may read this file while it runs, by its name alone: then the same machine code need not do the
/// same. What a program is compiled from is none.
#[must_use]
pub fn is_data(path: &str) -> bool {
    let not_code = &FILES.not_code;
    let path_end = path.to_lowercase();
    let end = path_end.rsplit_once('.').map(|(_, end)| end);
    let is_apart = path
        .split('/')
        .any(|part| not_code.folders.iter().any(|folder| folder == part));
    match role(path) {
        Role::Source(_) | Role::Build(_) => false,
        Role::NotCode => !is_apart && not_code.data.iter().any(|data| end == Some(data)),
        Role::Opaque(_) => true,
    }
}

/// One side of a changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading<'a> {
    Absent,
    Text(&'a str),
}

/// The text of one side, or why there is none.
pub(super) fn text(blob: Option<&Blob>) -> Result<Reading<'_>, String> {
    let Some(blob) = blob else {
        return Ok(Reading::Absent);
    };
    match &blob.content {
        Content::LfsPointer(bytes) => Err(format!(
            "a git-lfs pointer: its {bytes} bytes are not in the repository"
        )),
        Content::TooLarge(bytes) => Err(format!("too large to analyse: {bytes} bytes")),
        Content::SymbolicLink => Err("symbolic link".to_owned()),
        Content::Submodule => Err("submodule".to_owned()),
        Content::Bytes(bytes) if is_lfs_pointer(bytes) => Err("git LFS pointer, the content is elsewhere".to_owned()),
        Content::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Reading::Text(text)),
            Err(at) => Err(format!("not UTF-8 from byte {}", at.valid_up_to())),
        },
    }
}

/// True if a content stands for another one that git LFS keeps elsewhere.
pub(super) fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(LFS_POINTER)
}

/// True if a path holds something that is no file of its own on either side, whatever its name.
pub(super) fn is_submodule(change: &FileChange) -> bool {
    [&change.before, &change.after]
        .into_iter()
        .flatten()
        .any(|blob| blob.content == Content::Submodule)
}

const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_sorted_by_what_they_can_change() {
        let cases = [
            ("src/lib.rs", Role::Source(Language::Rust)),
            ("pkg/m.py", Role::Source(Language::Python)),
            ("README.md", Role::NotCode),
            ("LICENSE-MIT", Role::NotCode),
            (".github/workflows/ci.yml", Role::NotCode),
            ("crates/a/Cargo.toml", Role::Build(BuildFile::CargoManifest)),
            (".cargo/config.toml", Role::Build(BuildFile::CargoConfig)),
            ("ci/build-deb", Role::NotCode),
            ("doc/config.toml", Role::NotCode),
            ("rust-toolchain", Role::Build(BuildFile::Toolchain)),
            ("requirements-dev.txt", Role::Build(BuildFile::Requirements)),
            ("requirements.md", Role::NotCode),
            ("notes.txt", Role::NotCode),
            ("native/fast.c", Role::Opaque("no front end for C".to_owned())),
            (
                "native/fast.weird",
                Role::Opaque("unknown kind of file: .weird".to_owned()),
            ),
        ];
        for (path, expected) in cases {
            assert_eq!(role(path), expected, "{path}");
        }
    }

    #[test]
    fn no_end_of_name_is_in_two_tables() {
        let files = &*FILES;
        for (language, extensions) in &files.code_without_front_end {
            for extension in extensions {
                let not_code = &files.not_code;
                let twice = not_code.extensions.contains(extension) || not_code.data.contains(extension);
                assert!(!twice, "{extension} is {language} and no code");
            }
        }
    }

    #[test]
    fn what_a_program_may_read_is_told_from_what_it_is_compiled_from() {
        for data in ["benches/large.txt", "data/a.JSON", "fixtures/x.weird"] {
            assert!(is_data(data), "{data}");
        }
        for other in ["src/lib.rs", "Cargo.lock", "README.md", ".github/ci.yml", "LICENSE"] {
            assert!(!is_data(other), "{other}");
        }
    }
}
