//! The path of a Rust file and the manifests above it → its crate and modules. Reads manifests only; knows `#[path]` and
//! `include!` as little as cargo's defaults do.

use hashbrown::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::layout::ModuleLayout;
use crate::sources::FileSource;

/// The crates of one version. Each manifest is read once.
pub(super) struct CargoLayout<'t> {
    tree: &'t dyn FileSource,
    packages: Mutex<HashMap<String, Option<Arc<PackageLayout>>>>,
}

/// Where the crates of a package start.
#[derive(Debug)]
struct PackageLayout {
    /// Folder of the manifest, without a slash at the end; empty at the root.
    folder: String,
    /// Crate roots named in the manifest: path below the folder, crate name.
    roots: Vec<(String, String)>,
    /// The crate of `src/` outside `src/bin/`.
    main: String,
}

impl ModuleLayout for CargoLayout<'_> {
    fn module_path(&self, path: &str) -> Vec<String> {
        match self.package_of(path) {
            Some(package) => {
                let below = path.strip_prefix(package.folder.as_str()).unwrap_or(path);
                module_path(&package, below.trim_start_matches('/'))
            }
            None => {
                let package = PackageLayout {
                    folder: String::new(),
                    roots: Vec::new(),
                    main: "crate".to_owned(),
                };
                module_path(&package, path)
            }
        }
    }
}

impl<'t> CargoLayout<'t> {
    /// The layout of a version.
    pub(super) fn new(tree: &'t dyn FileSource) -> Self {
        Self {
            tree,
            packages: Mutex::new(HashMap::new()),
        }
    }

    /// The nearest manifest with a package above a path.
    fn package_of(&self, path: &str) -> Option<Arc<PackageLayout>> {
        let mut folder = path;
        loop {
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            let known = self
                .packages
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(folder)
                .cloned();
            let package = known.unwrap_or_else(|| {
                let read = self.read_package(folder).map(Arc::new);
                let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
                packages.insert(folder.to_owned(), read.clone());
                read
            });
            if package.is_some() || folder.is_empty() {
                return package;
            }
        }
    }

    fn read_package(&self, folder: &str) -> Option<PackageLayout> {
        let join = |name: &str| {
            if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            }
        };
        let bytes = self.tree.bytes(&join("Cargo.toml"))?;
        let manifest: toml::Table = toml::from_str(std::str::from_utf8(&bytes).ok()?).ok()?;
        let name = manifest.get("package")?.get("name")?.as_str()?;
        let crate_name = |name: &str| name.replace('-', "_");
        let library = manifest.get("lib");
        let library_name = library
            .and_then(|table| table.get("name"))
            .and_then(toml::Value::as_str)
            .unwrap_or(name);
        let mut roots = Vec::new();
        if let Some(path) = library
            .and_then(|table| table.get("path"))
            .and_then(toml::Value::as_str)
        {
            roots.push((path.to_owned(), crate_name(library_name)));
        }
        for kind in ["bin", "test", "bench", "example"] {
            for target in manifest.get(kind).and_then(toml::Value::as_array).into_iter().flatten() {
                let field = |key: &str| target.get(key).and_then(toml::Value::as_str);
                if let (Some(name), Some(path)) = (field("name"), field("path")) {
                    roots.push((path.to_owned(), crate_name(name)));
                }
            }
        }
        // The library's name stands for `src/` unless there is only a binary.
        let has_library = library.is_some() || self.tree.file(&join("src/lib.rs")).is_some();
        let main = crate_name(if has_library { library_name } else { name });
        Some(PackageLayout {
            folder: folder.to_owned(),
            roots,
            main,
        })
    }
}

/// Crate and modules of a path below the package's folder.
fn module_path(package: &PackageLayout, path: &str) -> Vec<String> {
    if let Some((_, name)) = package.roots.iter().find(|(root, _)| root == path) {
        return vec![name.clone()];
    }
    if path == "build.rs" {
        return vec!["build_script_build".to_owned()];
    }
    // Files beside or below a root named in the manifest belong to it; the deepest folder wins.
    let named = package
        .roots
        .iter()
        .filter_map(|(root, name)| {
            let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
            let below = if folder.is_empty() {
                Some(path)
            } else {
                path.strip_prefix(folder)?.strip_prefix('/')
            };
            below.map(|below| (folder.len(), name.clone(), below))
        })
        .max_by_key(|(depth, ..)| *depth);
    let conventional = conventional(package, path);
    match (named, conventional) {
        (Some((depth, name, below)), Some((folder, ..))) if depth > folder.len() => with_modules(name, below),
        (_, Some((_, name, below))) => with_modules(name, below),
        (Some((_, name, below)), None) => with_modules(name, below),
        (None, None) => with_modules(package.main.clone(), path),
    }
}

/// The crate that cargo's conventions put a path in: its folder, its name, the path below its root.
fn conventional<'p>(package: &PackageLayout, path: &'p str) -> Option<(&'static str, String, &'p str)> {
    let crate_name = |name: &str| name.trim_end_matches(".rs").replace('-', "_");
    for folder in ["src/bin", "tests", "benches", "examples"] {
        let Some(below) = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        return Some(match below.split_once('/') {
            None => (folder, crate_name(below), ""),
            Some((name, inside)) => (folder, crate_name(name), inside),
        });
    }
    path.strip_prefix("src/")
        .map(|below| ("src", package.main.clone(), below))
}

fn with_modules(name: String, below: &str) -> Vec<String> {
    let mut segments = vec![name];
    let below = below.strip_suffix(".rs").unwrap_or(below);
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        let is_root = index == 0 && is_last && matches!(*part, "lib" | "main");
        if !(is_root || (is_last && *part == "mod")) {
            segments.push((*part).to_owned());
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TestFiles;

    fn rust(files: Vec<(&'static str, &'static str)>, path: &str) -> String {
        let files = TestFiles(files);
        CargoLayout::new(&files).module_path(path).join("::")
    }

    const PACKAGE: (&str, &str) = ("Cargo.toml", "[package]\nname = \"my-lib\"");

    #[test]
    fn a_librarys_modules_follow_its_folders() {
        assert_eq!(rust(vec![PACKAGE], "src/lib.rs"), "my_lib");
        assert_eq!(rust(vec![PACKAGE], "src/a/b.rs"), "my_lib::a::b");
        assert_eq!(rust(vec![PACKAGE], "src/a/mod.rs"), "my_lib::a");
        assert_eq!(rust(vec![PACKAGE], "src/a/lib.rs"), "my_lib::a::lib");
    }

    #[test]
    fn binaries_tests_benches_and_examples_are_crates_of_their_own() {
        assert_eq!(rust(vec![PACKAGE], "src/bin/my-tool.rs"), "my_tool");
        assert_eq!(rust(vec![PACKAGE], "src/bin/tool/main.rs"), "tool");
        assert_eq!(rust(vec![PACKAGE], "src/bin/tool/args.rs"), "tool::args");
        assert_eq!(rust(vec![PACKAGE], "benches/parse.rs"), "parse");
        assert_eq!(rust(vec![PACKAGE], "tests/all/main.rs"), "all");
        assert_eq!(rust(vec![PACKAGE], "build.rs"), "build_script_build");
    }

    #[test]
    fn names_and_paths_in_the_manifest_win() {
        let lib = ("Cargo.toml", "[package]\nname = \"p\"\n[lib]\nname = \"other\"");
        assert_eq!(rust(vec![lib], "src/x.rs"), "other::x");
        let bin = (
            "Cargo.toml",
            "[package]\nname = \"p\"\n[[bin]]\nname = \"rg\"\npath = \"crates/core/main.rs\"",
        );
        assert_eq!(rust(vec![bin], "crates/core/main.rs"), "rg");
        assert_eq!(rust(vec![bin], "crates/core/flags/hiargs.rs"), "rg::flags::hiargs");
    }

    #[test]
    fn the_nearest_package_counts_and_a_bare_workspace_is_none() {
        let files = vec![
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/a\"]"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\""),
        ];
        assert_eq!(rust(files.clone(), "crates/a/src/m.rs"), "a::m");
        assert_eq!(rust(files, "src/m.rs"), "crate::m");
    }
}
