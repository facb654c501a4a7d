//! A changed path → what it is to lito: a source, a build file, something else, or a reason for doubt.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::build_files::BuildFileReader;
use crate::languages::{Language, language_of, languages};
use crate::sources::{Blob, FileChange, SourceContent};

/// The shipped tables.
static FILES: LazyLock<FileRules> = LazyLock::new(|| {
    toml::from_str(include_str!("../../config/files.toml")).expect("the shipped tables are read by a test")
});

/// `config/files.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRules {
    build_scripts: BuildScriptRules,
    not_code: NonCodeRules,
    code_without_front_end: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildScriptRules {
    names: Vec<String>,
    extensions: Vec<String>,
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

impl NonCodeRules {
    /// True for a file's name, in lower case, that tells by itself that the file is for people or for tools around the code.
    fn has_name(&self, lower: &str) -> bool {
        let starts = |prefix: &String| lower.starts_with(prefix.as_str());
        self.names.iter().any(|name| name == lower) || self.name_prefixes.iter().any(starts)
    }
}

/// The role of a path in a change.
#[derive(Debug, Clone)]
pub(super) enum FileRole {
    /// Has a front end.
    Source(Language),
    /// Decides how the code is built.
    Build(BuildFileReader),
    /// Cannot change what runs.
    NotCode,
    /// May change what runs, and cannot be analysed: why.
    Opaque(String),
}

/// True if a path is one that is compiled, or decides how: a source or a build file.
#[must_use]
pub fn is_build_input(path: &str) -> bool {
    matches!(file_role(path), FileRole::Source(_) | FileRole::Build(_))
}

/// True if a command of the user that builds a program may run this file, or be told by it what to do, by its name alone.
#[must_use]
pub fn may_decide_a_build(path: &str) -> bool {
    let rules = &FILES.build_scripts;
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_script = match name.rsplit_once('.') {
        Some((_, end)) => rules.extensions.iter().any(|extension| extension == end),
        None => !FILES.not_code.has_name(&name),
    };
    rules.names.contains(&name) || is_script
}

/// True for a file of a name by which a build tool finds it without being told.
pub(crate) fn is_found_by_a_tool(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    FILES.build_scripts.names.contains(&name)
}

/// The role of a path, by its name alone.
pub(super) fn file_role(path: &str) -> FileRole {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path.strip_suffix(name).unwrap_or("").trim_end_matches('/');
    let reader = languages().find_map(|language| language.support().build_file_reader(path));
    if let Some(reader) = reader {
        return FileRole::Build(reader);
    }
    let files = &*FILES;
    let lower = name.to_lowercase();
    let in_folder = folder
        .split('/')
        .any(|part| files.not_code.folders.iter().any(|other| other == part));
    let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
    // A module may stand in any folder.
    if let Some(language) = language_of(&lower) {
        return FileRole::Source(language);
    }
    if in_folder {
        return FileRole::NotCode;
    }
    if files.not_code.has_name(&lower) {
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

/// True if a path is neither compiled nor decides how, so that only a record can tell whether a program reads it while it
/// runs. Folders for the tools around the code are left out.
#[must_use]
pub fn may_be_read(path: &str) -> bool {
    !is_build_input(path) && !is_apart(path)
}

/// True for the source of a benchmark and what lies beside it, by cargo's convention.
#[must_use]
pub fn is_beside_benchmarks(path: &str) -> bool {
    path.split('/').any(|folder| folder == "benches")
}

/// True for the source of a benchmark, by cargo's convention.
#[must_use]
pub fn is_benchmark_source(path: &str) -> bool {
    path.ends_with(".rs") && is_beside_benchmarks(path)
}

/// True for a file in a folder of which nothing runs in a benchmark.
fn is_apart(path: &str) -> bool {
    let folders = &FILES.not_code.folders;
    path.split('/').any(|part| folders.iter().any(|folder| folder == part))
}

/// True for a text for people, by its name.
pub(crate) fn is_document(path: &str) -> bool {
    may_be_read(path) && !is_runtime_input(path) && !may_decide_a_build(path)
}

/// True if a program may read this file while it runs, by its name alone: then the same machine code need not do the
/// same. What a program is compiled from is none.
#[must_use]
pub fn is_runtime_input(path: &str) -> bool {
    let not_code = &FILES.not_code;
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let end = name.rsplit_once('.').map(|(_, end)| end);
    let is_data = || !not_code.has_name(&name) && not_code.data.iter().any(|data| end == Some(data));
    match file_role(path) {
        FileRole::Source(_) | FileRole::Build(_) => false,
        FileRole::NotCode => !is_apart(path) && is_data(),
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
        SourceContent::Unread(bytes) => Err(format!(
            "not read: its {bytes} bytes are beyond what one change may have"
        )),
        SourceContent::SymbolicLink(_) => Err(SYMBOLIC_LINK.to_owned()),
        SourceContent::Submodule => Err(SUBMODULE.to_owned()),
        SourceContent::UnopenedFolder => Err(UNOPENED_FOLDER.to_owned()),
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

/// The reason why a path holds nothing that can be read, whatever its name: it is no file on one of the sides. A link to a
/// text for people is as harmless as the text.
pub(super) fn no_file(change: &FileChange) -> Option<&'static str> {
    let sides = [&change.before, &change.after];
    sides.into_iter().flatten().find_map(|blob| match blob.content {
        SourceContent::Submodule => Some(SUBMODULE),
        SourceContent::UnopenedFolder => Some(UNOPENED_FOLDER),
        SourceContent::SymbolicLink(_) if !is_document(&change.path) && !is_apart(&change.path) => Some(SYMBOLIC_LINK),
        SourceContent::Bytes(_)
        | SourceContent::TooLarge(_)
        | SourceContent::Unread(_)
        | SourceContent::LfsPointer(_)
        | SourceContent::SymbolicLink(_) => None,
    })
}

const SYMBOLIC_LINK: &str = "symbolic link";

const SUBMODULE: &str = "submodule";
const UNOPENED_FOLDER: &str = "a folder that is nested too deeply, or among too many others, to be opened";

const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_sorted_by_what_they_can_change() {
        let cases = [
            ("src/lib.rs", "source rust"),
            ("pkg/m.py", "source python"),
            ("README.md", "not code"),
            ("LICENSE-MIT", "not code"),
            (".github/workflows/ci.yml", "not code"),
            ("crates/a/Cargo.toml", "build"),
            ("Cargo.lock", "build"),
            (".cargo/config.toml", "build"),
            ("a/.cargo/config", "build"),
            ("ci/build-deb", "not code"),
            ("doc/config.toml", "not code"),
            ("rust-toolchain", "build"),
            ("requirements-dev.txt", "build"),
            ("pyproject.toml", "build"),
            ("requirements.md", "not code"),
            ("notes.txt", "not code"),
            ("CITATION.cff", "not code"),
            ("spellcheck.dic", "not code"),
            (".cargo/spellcheck.dic", "not code"),
            (".envrc", "not code"),
            ("docs/flow.puml", "not code"),
            ("native/fast.c", "source cpp"),
            ("native/fast.s", "no front end for assembly"),
            ("native/fast.weird", "unknown kind of file: .weird"),
        ];
        for (path, expected) in cases {
            let role = match file_role(path) {
                FileRole::Source(language) => format!("source {language:?}"),
                FileRole::Build(_) => "build".to_owned(),
                FileRole::NotCode => "not code".to_owned(),
                FileRole::Opaque(why) => why,
            };
            assert_eq!(role, expected, "{path}");
        }
    }

    #[test]
    fn a_link_is_no_file_unless_it_leads_to_a_text_for_people() {
        let link = |path: &str| {
            let link = Blob {
                id: crate::sources::ContentId([1; 20]),
                content: SourceContent::SymbolicLink("a".into()),
            };
            no_file(&FileChange {
                path: path.into(),
                before: Some(link.clone()),
                after: Some(link),
            })
        };
        for path in ["src/plug", "src/current.rs", "data", "data/words.txt.gz"] {
            assert!(link(path).is_some(), "{path}");
        }
        for path in ["LICENSE-MIT", "crates/a/README.md", ".github/settings"] {
            assert!(link(path).is_none(), "{path}");
        }
    }

    #[test]
    fn scripts_that_a_build_may_run_are_known_by_name() {
        for script in [
            "Makefile",
            "lib/CMakeLists.txt",
            "configure",
            "autogen",
            "a/rules.mk",
            "gen.SH",
            "x.h.in",
            ".github/build.sh",
        ] {
            assert!(may_decide_a_build(script), "{script}");
        }
        for other in [
            "README.md",
            "LICENSE",
            "notes.txt",
            ".github/workflows/ci.yml",
            "src/lib.rs",
            "CODEOWNERS",
        ] {
            assert!(!may_decide_a_build(other), "{other}");
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
        for data in [
            "benches/large.txt",
            "dictionaries/en.dic",
            "data/a.JSON",
            "fixtures/x.weird",
        ] {
            assert!(is_runtime_input(data), "{data}");
        }
        for other in [
            "src/lib.rs",
            "Cargo.lock",
            "README.md",
            ".github/ci.yml",
            "LICENSE",
            ".travis.yml",
            "rustfmt.toml",
        ] {
            assert!(!is_runtime_input(other), "{other}");
        }
        assert!(is_beside_benchmarks("benches/parse.rs") && is_beside_benchmarks("crates/a/benches/data.bin"));
        assert!(!is_beside_benchmarks("src/benches.rs") && !is_beside_benchmarks("README.md"));
        assert!(is_benchmark_source("crates/x/benches/parse.rs"));
        assert!(!is_benchmark_source("docs/benches.md") && !is_benchmark_source("benches/data.json"));
        // No name tells that a program reads a document.
        assert!(may_be_read("README.md") && may_be_read("data/a.JSON") && may_be_read("LICENSE"));
        assert!(!may_be_read("src/lib.rs") && !may_be_read("Cargo.lock") && !may_be_read(".github/ci.yml"));
    }
}
