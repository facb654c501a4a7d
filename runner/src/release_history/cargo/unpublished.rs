//! The manifest and the files of a published release → the manifest without what was not published: targets without
//! their files, and folders of dependencies.
//!
//! Cargo refuses to build the targets of a kind if the file of one is missing, and everything if the folder of a dependency
//! is. It leaves both out when it packages, but for years it did not. The library and the build script stay as they are:
//! without them the release is not what was published. The paths that cargo infers:
//! <https://doc.rust-lang.org/cargo/guide/project-layout.html>, with those of the 2015 edition.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use toml_edit::{DocumentMut, Item, TableLike};

/// A part of a manifest that names a file or folder which was not published.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnpublishedPart {
    /// A target without its file: it is not declared.
    Target {
        /// The kind.
        kind: TargetKind,
        /// Its name.
        name: String,
    },
    /// A dependency without its folder: it comes from the registry, by its version. One of tests that has no version is
    /// left out.
    Dependency {
        /// Its name in the manifest.
        name: String,
    },
}

/// A kind of target that a package has several of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetKind {
    /// A program.
    Binary,
    /// An example.
    Example,
    /// An integration test.
    Test,
    /// A benchmark.
    Bench,
}

impl TargetKind {
    const ALL: [Self; 4] = [Self::Binary, Self::Example, Self::Test, Self::Bench];

    /// The key in the manifest, as in `[[bench]]`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Binary => "bin",
            Self::Example => "example",
            Self::Test => "test",
            Self::Bench => "bench",
        }
    }

    /// The folder in which cargo looks for the file of a target without a path.
    fn folder(self) -> &'static str {
        match self {
            Self::Binary => "src/bin",
            Self::Example => "examples",
            Self::Test => "tests",
            Self::Bench => "benches",
        }
    }

    /// The key of `[package]` that keeps cargo from adding the targets that it finds.
    fn discovery(self) -> &'static str {
        match self {
            Self::Binary => "autobins",
            Self::Example => "autoexamples",
            Self::Test => "autotests",
            Self::Bench => "autobenches",
        }
    }
}

/// Returns the manifest without the parts that are not among the published files, and these parts; `None` if there is
/// none, or if the manifest cannot be read. Paths are relative to the package.
pub(super) fn without_unpublished(
    manifest: &str,
    published: &BTreeSet<String>,
) -> Option<(String, Vec<UnpublishedPart>)> {
    let mut document: DocumentMut = manifest.parse().ok()?;
    let package = PackageLayout {
        name: package_key(&document, "name").unwrap_or_default().to_owned(),
        is_first_edition: package_key(&document, "edition").is_none_or(|edition| edition == "2015"),
        has_library: document.contains_key("lib") || published.contains("src/lib.rs"),
        published,
    };
    let mut unpublished = leave_targets_out(&mut document, &package);
    package.leave_folders_out(document.as_table_mut(), &mut unpublished);
    let targets = document.get_mut("target").and_then(Item::as_table_like_mut);
    for (_, platform) in targets.into_iter().flat_map(|targets| targets.iter_mut()) {
        if let Some(platform) = platform.as_table_like_mut() {
            package.leave_folders_out(platform, &mut unpublished);
        }
    }
    if unpublished.is_empty() {
        return None;
    }
    let text = document.to_string();
    // The library writes line feeds only.
    let text = if manifest.contains("\r\n") {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text
    };
    Some((text, unpublished))
}

fn leave_targets_out(document: &mut DocumentMut, package: &PackageLayout<'_>) -> Vec<UnpublishedPart> {
    let mut unpublished = Vec::new();
    for kind in TargetKind::ALL {
        let Some(declared) = document.get_mut(kind.key()) else {
            continue;
        };
        let before = unpublished.len();
        leave_out(declared, &mut |target| {
            let missing = package.unpublished(kind, target);
            let is_missing = missing.is_some();
            unpublished.extend(missing);
            is_missing
        });
        let is_empty = declared
            .as_array_of_tables()
            .is_some_and(toml_edit::ArrayOfTables::is_empty)
            || declared.as_array().is_some_and(toml_edit::Array::is_empty);
        if unpublished.len() == before || !is_empty {
            continue;
        }
        document.remove(kind.key());
        // In the 2015 edition, declaring one target of a kind is declaring all of them.
        let table = document.get_mut("package").and_then(Item::as_table_like_mut);
        if let Some(table) = table.filter(|table| !table.contains_key(kind.discovery()))
            && package.is_first_edition
            && package.would_discover(kind)
        {
            table.insert(kind.discovery(), toml_edit::value(false));
        }
    }
    unpublished
}

fn package_key<'a>(document: &'a DocumentMut, key: &str) -> Option<&'a str> {
    document.get("package")?.get(key)?.as_str()
}

/// Removes the targets for which `is_missing` is true from `[[bench]]` or `bench = [{ ... }]`.
fn leave_out(declared: &mut Item, is_missing: &mut dyn FnMut(&dyn TableLike) -> bool) {
    match declared {
        Item::ArrayOfTables(tables) => tables.retain(|table| !is_missing(table)),
        Item::Value(toml_edit::Value::Array(array)) => {
            array.retain(|value| !value.as_inline_table().is_some_and(|table| is_missing(table)));
        }
        Item::None | Item::Table(_) | Item::Value(_) => {}
    }
}

/// Tables of dependencies. Those of tests, benchmarks and examples are the last: cargo publishes them without a version.
const DEPENDENCIES: [&str; 3] = ["dependencies", "build-dependencies", DEVELOPMENT];

const DEVELOPMENT: &str = "dev-dependencies";

/// The rules by which cargo finds the files of one release.
struct PackageLayout<'a> {
    name: String,
    is_first_edition: bool,
    has_library: bool,
    published: &'a BTreeSet<String>,
}

impl PackageLayout<'_> {
    /// The target, if its file is not published.
    fn unpublished(&self, kind: TargetKind, target: &dyn TableLike) -> Option<UnpublishedPart> {
        // Cargo refuses a target without a name for that reason, wherever its file is.
        let name = target.get("name").and_then(Item::as_str)?;
        let is_present = match target.get("path") {
            Some(path) => path
                .as_str()
                .is_none_or(|path| within_package(path).is_some_and(|path| self.published.contains(&path))),
            None => self
                .inferred(kind, name)
                .iter()
                .any(|path| self.published.contains(path)),
        };
        (!is_present).then(|| UnpublishedPart::Target {
            kind,
            name: name.to_owned(),
        })
    }

    /// Has the dependencies of a table come from the registry where their folders are not published.
    fn leave_folders_out(&self, table: &mut dyn TableLike, unpublished: &mut Vec<UnpublishedPart>) {
        for key in DEPENDENCIES {
            let Some(dependencies) = table.get_mut(key).and_then(Item::as_table_like_mut) else {
                continue;
            };
            let mut without_version = Vec::new();
            for (name, dependency) in dependencies.iter_mut() {
                let Some(dependency) = dependency.as_table_like_mut() else {
                    continue;
                };
                let Some(folder) = dependency.get("path").and_then(Item::as_str) else {
                    continue;
                };
                let manifest = within_package(folder).map(|folder| format!("{folder}/Cargo.toml"));
                if manifest.is_some_and(|manifest| self.published.contains(&manifest)) {
                    continue;
                }
                if dependency.contains_key("version") {
                    dependency.remove("path");
                } else if key == DEVELOPMENT {
                    without_version.push(name.to_string());
                } else {
                    continue;
                }
                let name = name.to_string();
                unpublished.push(UnpublishedPart::Dependency { name });
            }
            for name in without_version {
                dependencies.remove(&name);
            }
        }
    }

    /// Whether cargo finds a file for a target of a kind that nothing declares.
    fn would_discover(&self, kind: TargetKind) -> bool {
        self.published.iter().any(|path| {
            let within = path.strip_prefix(kind.folder()).and_then(|path| path.strip_prefix('/'));
            let is_target = within.is_some_and(|path| match path.split_once('/') {
                None => path.ends_with(".rs"),
                Some((_, file)) => file == "main.rs",
            });
            is_target || kind == TargetKind::Binary && path == "src/main.rs"
        })
    }

    /// The paths at which cargo looks for a target without `path`.
    fn inferred(&self, kind: TargetKind, name: &str) -> Vec<String> {
        let folder = kind.folder();
        let mut paths = vec![format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")];
        match kind {
            TargetKind::Binary => {
                if name == self.name || self.is_first_edition {
                    paths.push("src/main.rs".to_owned());
                }
                if self.is_first_edition {
                    paths.push("src/bin/main.rs".to_owned());
                }
                if self.is_first_edition && !self.has_library {
                    paths.push(format!("src/{name}.rs"));
                }
            }
            TargetKind::Bench if self.is_first_edition && name == "bench" => paths.push("src/bench.rs".to_owned()),
            TargetKind::Example | TargetKind::Test | TargetKind::Bench => {}
        }
        paths
    }
}

/// `./benches/../x.rs` → `x.rs`; `None` for a path that leaves the package.
fn within_package(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The manifest that is left, and the parts left out as `bench x`.
    fn edited(manifest: &str, files: &[&str]) -> Option<(String, Vec<String>)> {
        let published = files.iter().map(|path| (*path).to_owned()).collect();
        let (text, unpublished) = without_unpublished(manifest, &published)?;
        let names = unpublished.iter().map(|part| match part {
            UnpublishedPart::Target { kind, name } => format!("{} {name}", kind.key()),
            UnpublishedPart::Dependency { name } => format!("dependency {name}"),
        });
        Some((text, names.collect()))
    }

    fn left_out(edition: &str, targets: &str, files: &[&str]) -> Vec<String> {
        let manifest = format!("[package]\nname = \"x\"\nedition = \"{edition}\"\n{targets}");
        edited(&manifest, files).map_or(Vec::new(), |(_, names)| names)
    }

    const MANIFEST: &str = "# as published\n[package]\nname   = \"x\" # odd\nversion = '1.0.0'\nedition = \"2018\"\n\n\
        [[bench]]\nname = \"gone\"\nharness = false\n\n[dependencies]\nb = {version=\"1\"}\na = \"1\"\n\n\
        [[bench]]\nname = \"here\"\npath = \"benches/here.rs\"\n\n[[test]]\nname = \"t\"\n\n[profile.release]\nlto = true";

    #[test]
    fn a_target_without_its_file_is_left_out_and_the_rest_stays_byte_for_byte() {
        let files = ["src/lib.rs", "benches/here.rs"];
        let (text, names) = edited(MANIFEST, &files).unwrap();
        assert_eq!(names, ["test t", "bench gone"]);
        let expected = MANIFEST
            .replace("[[bench]]\nname = \"gone\"\nharness = false\n\n", "")
            .replace("[[test]]\nname = \"t\"\n\n", "");
        // The only difference: the end of the last line.
        assert_eq!(text.trim_end(), expected);
        assert_eq!(edited(&text, &files), None);
        let windows = MANIFEST.replace('\n', "\r\n");
        let (text, _) = edited(&windows, &files).unwrap();
        assert_eq!(text.trim_end(), expected.replace('\n', "\r\n"));
    }

    #[test]
    fn a_manifest_whose_files_are_all_published_is_not_touched() {
        assert_eq!(
            edited(MANIFEST, &["benches/here.rs", "benches/gone/main.rs", "tests/t.rs"]),
            None
        );
        assert_eq!(edited("[package\nname", &[]), None);
        assert_eq!(
            edited("[lib]\npath = \"gone.rs\"\n[package]\nbuild = \"gone.rs\"", &[]),
            None
        );
        assert_eq!(edited("[[bench]]\nharness = false\n[bin]\nname = \"x\"", &[]), None);
    }

    #[test]
    fn paths_that_cargo_infers_count_for_targets_without_one() {
        let one = |edition: &str, kind: &str, name: &str, file: &str| {
            left_out(edition, &format!("[[{kind}]]\nname = \"{name}\""), &[file]).is_empty()
        };
        for (kind, folder) in [
            ("bin", "src/bin"),
            ("example", "examples"),
            ("test", "tests"),
            ("bench", "benches"),
        ] {
            for edition in ["2015", "2021"] {
                assert!(one(edition, kind, "t", &format!("{folder}/t.rs")));
                assert!(one(edition, kind, "t", &format!("{folder}/t/main.rs")));
                assert!(!one(edition, kind, "t", &format!("{folder}/other.rs")));
                assert!(!one(edition, kind, "t", &format!("{folder}/t/mod.rs")));
            }
        }
        assert!(one("2021", "bin", "x", "src/main.rs"));
        for (kind, name, file) in [
            ("bin", "t", "src/main.rs"),
            ("bin", "t", "src/bin/main.rs"),
            ("bin", "t", "src/t.rs"),
            ("bench", "bench", "src/bench.rs"),
        ] {
            assert!(one("2015", kind, name, file), "{file}");
            assert!(!one("2021", kind, name, file), "{file}");
        }
        let program = "[[bin]]\nname = \"t\"";
        assert_eq!(left_out("2015", program, &["src/lib.rs", "src/t.rs"]), ["bin t"]);
    }

    #[test]
    fn paths_are_those_of_the_package_however_they_are_written() {
        let one = |path: &str| {
            left_out(
                "2021",
                &format!("[[test]]\nname = \"t\"\npath = \"{path}\""),
                &["a/t.rs"],
            )
        };
        assert!(one("a/t.rs").is_empty() && one("./a/t.rs").is_empty() && one("b/../a/t.rs").is_empty());
        for outside in ["../a/t.rs", "/a/t.rs", "a", "t.rs", "b/../../a/t.rs"] {
            assert_eq!(one(outside), ["test t"], "{outside}");
        }
    }

    #[test]
    fn inline_declarations_are_edited_too() {
        let manifest = "bench = [{ name = \"a\" }, { name = \"b\" }]\n[package]\nname = \"x\"\nedition = \"2021\"\n";
        let (text, names) = edited(manifest, &["benches/b.rs"]).unwrap();
        assert_eq!(names, ["bench a"]);
        let left: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(left["bench"].as_array().unwrap().len(), 1);
        assert_eq!(left["bench"][0]["name"].as_str(), Some("b"));
        let (text, _) = edited(manifest, &[]).unwrap();
        assert_eq!(text, "[package]\nname = \"x\"\nedition = \"2021\"\n");
    }

    #[test]
    fn in_the_2015_edition_no_undeclared_target_takes_the_place_of_the_last_declared_one() {
        let manifest = "[package]\nname = \"x\"\n\n[[bench]]\nname = \"gone\"\n";
        let files = ["benches/undeclared.rs"];
        let (text, _) = edited(manifest, &files).unwrap();
        assert_eq!(text, "[package]\nname = \"x\"\nautobenches = false\n");
        let (text, _) = edited(manifest, &["benches/data.txt", "benches/a/other.rs"]).unwrap();
        assert_eq!(text, "[package]\nname = \"x\"\n");
        let newer = manifest.replace("\n\n", "\nedition = \"2018\"\n\n");
        let (text, _) = edited(&newer, &files).unwrap();
        assert_eq!(text, "[package]\nname = \"x\"\nedition = \"2018\"\n");
        let says_so = manifest.replace("\n\n", "\nautobenches = true\n\n");
        let (text, _) = edited(&says_so, &files).unwrap();
        assert_eq!(text, "[package]\nname = \"x\"\nautobenches = true\n");
    }

    #[test]
    fn dependencies_whose_folders_are_not_published_come_from_the_registry() {
        let manifest = "[package]\nname = \"x\"\n\n[dependencies]\na = \"1\"\n\n[dependencies.gone]\npath = \"gone\"\n\
            version = \"0.1.4\"\n\n[dependencies.here]\npath = \"./here\"\nversion = \"1\"\n\n\
            [target.'cfg(unix)'.build-dependencies]\nouter = { version = \"2\", path = \"../outer\" }\n\n\
            [dev-dependencies]\nunversioned = { path = \"tools\" }\nb = \"2\"\n";
        let (text, names) = edited(manifest, &["here/Cargo.toml"]).unwrap();
        assert_eq!(names, ["dependency gone", "dependency unversioned", "dependency outer"]);
        let expected = manifest
            .replace("path = \"gone\"\n", "")
            .replace(", path = \"../outer\"", "")
            .replace("unversioned = { path = \"tools\" }\n", "");
        let expected: toml::Table = toml::from_str(&expected).unwrap();
        assert_eq!(toml::from_str::<toml::Table>(&text).unwrap(), expected);
        let all = ["here/Cargo.toml", "gone/Cargo.toml", "tools/Cargo.toml"];
        assert_eq!(edited(manifest, &all).unwrap().1, ["dependency outer"]);
        let needed = "[dependencies]\ngone = { path = \"gone\" }\n";
        assert_eq!(edited(needed, &[]), None, "without it the sources do not compile");
    }
}
