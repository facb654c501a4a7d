//! Paths as the compiler saw them → paths in a profile: relative to the project, or starting with the package that
//! contains them.
//!
//! Works on text only, without the file system.

/// Folders in which the sources of one build lay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathRemapping {
    /// Folders of the versioned project, absolute, as the compiler saw them. Everything below belongs to the project.
    pub project: Vec<String>,
    /// Further prefixes and their replacements in profiles; everything below is external. The longest prefix applies,
    /// the project's folders included.
    pub external: Vec<(String, String)>,
}

/// A file in a profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfilePath {
    /// `src/lib.rs`, `memchr-2.7.4/src/lib.rs`, `core/src/slice/mod.rs`.
    pub path: String,
    /// True outside the versioned source tree.
    pub external: bool,
}

impl PathRemapping {
    /// Rules for a project below one folder. Paths beside it, such as a harness, are named relative to it.
    #[must_use]
    pub fn for_project(folder: &str) -> Self {
        let beside = folder.trim_end_matches('/').rsplit_once('/');
        let beside = beside.filter(|(parent, _)| !parent.is_empty());
        Self {
            project: vec![folder.to_owned()],
            external: (beside.into_iter())
                .map(|(parent, _)| (parent.to_owned(), String::new()))
                .collect(),
        }
    }

    /// Names a file. A path without a rule is kept and external.
    #[must_use]
    pub fn to_profile_path(&self, path: &str) -> ProfilePath {
        let path = tidy(path);
        let project = self
            .project
            .iter()
            .filter_map(|root| Some((root.len(), below(&path, root)?.to_owned(), false)));
        let external = self.external.iter().filter_map(|(root, stands_for)| {
            let rest = below(&path, root)?;
            let name = if stands_for.is_empty() {
                rest.to_owned()
            } else {
                format!("{}/{rest}", stands_for.trim_end_matches('/'))
            };
            Some((root.len(), name, true))
        });
        if let Some((_, path, external)) = project.chain(external).max_by_key(|(length, ..)| *length) {
            return ProfilePath { path, external };
        }
        let known = after(&path, "/registry/src/", 1)
            .or_else(|| after(&path, "/git/checkouts/", 0))
            .or_else(|| standard_library(&path));
        ProfilePath {
            path: known.map_or_else(|| path.clone(), str::to_owned),
            external: true,
        }
    }
}

/// The part of a path below a folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/')
}

/// The part behind a marker, without `skip` folders.
fn after<'p>(path: &'p str, marker: &str, skip: usize) -> Option<&'p str> {
    let mut rest = &path[path.find(marker)? + marker.len()..];
    for _ in 0..skip {
        rest = rest.split_once('/')?.1;
    }
    Some(rest)
}

/// `/rustc/<hash>/library/core/src/..` and `…/rustlib/src/rust/library/core/src/..` → `core/src/..`;
/// the dependencies of the standard library lie in `/rust/deps/`.
fn standard_library(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("/rustc/") {
        let rest = rest.split_once('/')?.1;
        return Some(rest.strip_prefix("library/").unwrap_or(rest));
    }
    path.strip_prefix("/rust/deps/")
        .or_else(|| after(path, "/rustlib/src/rust/library/", 0))
}

/// Resolves `.` and `..` as text.
fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let tidied = parts.join("/");
    if path.starts_with('/') {
        format!("/{tidied}")
    } else {
        tidied
    }
}

#[cfg(test)]
mod tests {
    use super::{PathRemapping, ProfilePath};

    fn named(path: &str) -> (String, bool) {
        let roots = PathRemapping {
            project: vec!["/build/tree".to_owned()],
            external: vec![("/build/tree/target".to_owned(), "build".to_owned())],
        };
        let ProfilePath { path, external } = roots.to_profile_path(path);
        (path, external)
    }

    #[test]
    fn files_beside_the_project_are_named_without_paths_of_the_machine() {
        let roots = PathRemapping::for_project("/home/someone/cache/tree");
        let named = |path: &str| roots.to_profile_path(path).path;
        assert_eq!(
            named("/home/someone/cache/harness/1f/src/main.rs"),
            "harness/1f/src/main.rs"
        );
        assert_eq!(named("/home/someone/cache/tree/src/lib.rs"), "src/lib.rs");
        assert_eq!(PathRemapping::for_project("/tree").external, []);
    }

    #[test]
    fn project_files_are_relative_and_all_else_is_external() {
        for (path, name, external) in [
            ("/build/tree/src/lib.rs", "src/lib.rs", false),
            ("/build/tree/./a/../src/lib.rs", "src/lib.rs", false),
            ("/build/treehouse/src/lib.rs", "/build/treehouse/src/lib.rs", true),
            ("/build/tree/target/x/out/gen.rs", "build/x/out/gen.rs", true),
            (
                "/home/user/.cargo/registry/src/index-1949cf8c6b5b557f/memchr-2.7.4/src/lib.rs",
                "memchr-2.7.4/src/lib.rs",
                true,
            ),
            (
                "/home/user/.cargo/git/checkouts/thing-0a1b/2c3d/src/lib.rs",
                "thing-0a1b/2c3d/src/lib.rs",
                true,
            ),
            (
                "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/hint.rs",
                "core/src/hint.rs",
                true,
            ),
            (
                "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860//library/core/src/hint.rs",
                "core/src/hint.rs",
                true,
            ),
            (
                "/rust/deps/hashbrown-0.15.5/src/raw/mod.rs",
                "hashbrown-0.15.5/src/raw/mod.rs",
                true,
            ),
            (
                "/opt/toolchain/lib/rustlib/src/rust/library/alloc/src/vec/mod.rs",
                "alloc/src/vec/mod.rs",
                true,
            ),
            ("./csu/../csu/libc-start.c", "csu/libc-start.c", true),
        ] {
            assert_eq!(named(path), (name.to_owned(), external), "{path}");
        }
    }
}
