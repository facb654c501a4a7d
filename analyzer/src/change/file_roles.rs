//! A changed path → what it is to lito: a source, a build file, something else, or a reason for doubt.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::sources::{Blob, FileChange, SourceContent};
use crate::syntax::Language;

/// The shipped tables.
pub(super) static FILES: LazyLock<FileRules> = LazyLock::new(|| {
    toml::from_str(include_str!("../../config/files.toml")).expect("the shipped tables are read by a test")
});

/// `config/files.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRules {
    not_code: NonCodeRules,
    code_without_front_end: BTreeMap<String, Vec<String>>,
    pub(super) dependencies: DependencyRules,
    pub(super) cargo_config: CargoConfigRules,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NonCodeRules {
    names: Vec<String>,
    name_prefixes: Vec<String>,
    extensions: Vec<String>,
    data: Vec<String>,
    folders: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DependencyRules {
    pub(super) harnesses: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CargoConfigRules {
    pub(super) ignored: Vec<String>,
}

/// What a path is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileRole {
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
pub fn is_build_input(path: &str) -> bool {
    matches!(file_role(path), FileRole::Source(_) | FileRole::Build(_))
}

/// The role of a path, by its name alone.
pub(super) fn file_role(path: &str) -> FileRole {
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
        return FileRole::Build(build);
    }
    let files = &*FILES;
    let lower = name.to_lowercase();
    let in_folder = folder
        .split('/')
        .any(|part| files.not_code.folders.iter().any(|other| other == part));
    let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
    match extension {
        _ if in_folder => return FileRole::NotCode,
        Some("rs") => return FileRole::Source(Language::Rust),
        Some("py" | "pyi") => return FileRole::Source(Language::Python),
        _ => {}
    }
    let plain = files.not_code.names.contains(&lower)
        || files
            .not_code
            .name_prefixes
            .iter()
            .any(|prefix| lower.starts_with(prefix.as_str()));
    if plain {
        return FileRole::NotCode;
    }
    // Without an end, a name is a script's or a text's.
    let Some(extension) = extension else {
        return FileRole::NotCode;
    };
    let language = files
        .code_without_front_end
        .iter()
        .find(|(_, extensions)| extensions.iter().any(|other| other == extension));
    if let Some((language, _)) = language {
        return FileRole::Opaque(format!("no front end for {language}"));
    }
    let not_code = &files.not_code;
    let ends = not_code.extensions.iter().chain(&not_code.data);
    if ends.into_iter().any(|other| other == extension) {
        return FileRole::NotCode;
    }
    FileRole::Opaque(format!("unknown kind of file: .{extension}"))
}

/// True if a program may read this file while it runs, by its name alone: then the same machine code need not do the
/// same. What a program is compiled from is none.
#[must_use]
pub fn is_runtime_input(path: &str) -> bool {
    let not_code = &FILES.not_code;
    let path_end = path.to_lowercase();
    let end = path_end.rsplit_once('.').map(|(_, end)| end);
    let is_apart = path
        .split('/')
        .any(|part| not_code.folders.iter().any(|folder| folder == part));
    match file_role(path) {
        FileRole::Source(_) | FileRole::Build(_) => false,
        FileRole::NotCode => !is_apart && not_code.data.iter().any(|data| end == Some(data)),
        FileRole::Opaque(_) => true,
    }
}

/// One side of a changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlobText<'a> {
    Absent,
    Text(&'a str),
}

/// The text of one side, or why there is none.
pub(super) fn blob_text(blob: Option<&Blob>) -> Result<BlobText<'_>, String> {
    let Some(blob) = blob else {
        return Ok(BlobText::Absent);
    };
    match &blob.content {
        SourceContent::LfsPointer(bytes) => Err(format!(
            "a git-lfs pointer: its {bytes} bytes are not in the repository"
        )),
        SourceContent::TooLarge(bytes) => Err(format!("too large to analyse: {bytes} bytes")),
        SourceContent::SymbolicLink => Err("symbolic link".to_owned()),
        SourceContent::Submodule => Err("submodule".to_owned()),
        SourceContent::Bytes(bytes) if is_lfs_pointer(bytes) => {
            Err("git LFS pointer, the content is elsewhere".to_owned())
        }
        SourceContent::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(BlobText::Text(text)),
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
        .any(|blob| blob.content == SourceContent::Submodule)
}

const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_sorted_by_what_they_can_change() {
        let cases = [
            ("src/lib.rs", FileRole::Source(Language::Rust)),
            ("pkg/m.py", FileRole::Source(Language::Python)),
            ("README.md", FileRole::NotCode),
            ("LICENSE-MIT", FileRole::NotCode),
            (".github/workflows/ci.yml", FileRole::NotCode),
            ("crates/a/Cargo.toml", FileRole::Build(BuildFile::CargoManifest)),
            (".cargo/config.toml", FileRole::Build(BuildFile::CargoConfig)),
            ("ci/build-deb", FileRole::NotCode),
            ("doc/config.toml", FileRole::NotCode),
            ("rust-toolchain", FileRole::Build(BuildFile::Toolchain)),
            ("requirements-dev.txt", FileRole::Build(BuildFile::Requirements)),
            ("requirements.md", FileRole::NotCode),
            ("notes.txt", FileRole::NotCode),
            ("native/fast.c", FileRole::Opaque("no front end for C".to_owned())),
            (
                "native/fast.weird",
                FileRole::Opaque("unknown kind of file: .weird".to_owned()),
            ),
        ];
        for (path, expected) in cases {
            assert_eq!(file_role(path), expected, "{path}");
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
            assert!(is_runtime_input(data), "{data}");
        }
        for other in ["src/lib.rs", "Cargo.lock", "README.md", ".github/ci.yml", "LICENSE"] {
            assert!(!is_runtime_input(other), "{other}");
        }
    }
}
