//! A source tree → the packages in it that cargo does not see from its root and that have bench targets, as in `bench/`. Many
//! libraries keep their benchmarks there, so that what these need is no dependency of theirs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

/// Folders that such a package may be below the root.
const DEEPEST: usize = 3;

/// Folders that hold no benchmarks of the repository: builds, others' sources, and packages that tests are made of.
const SKIPPED: [&str; 9] = [
    "target",
    "vendor",
    "third_party",
    "node_modules",
    "tests",
    "test",
    "testdata",
    "fixtures",
    "fuzz",
];

/// The folders of these packages relative to the tree, sorted; `members` are the folders of the packages that cargo sees.
pub(crate) fn nested_bench_packages(tree: &Path, members: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![(PathBuf::new(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        let place = tree.join(&folder);
        let is_other_package = depth > 0 && !members.contains(&place);
        if is_other_package && has_bench_targets(&place) {
            found.push(folder.clone());
        }
        if depth == DEEPEST {
            continue;
        }
        for entry in std::fs::read_dir(&place).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_skipped = name.starts_with('.') || SKIPPED.contains(&&*name);
            // A link may lead out of the tree, or around in it.
            if !is_skipped && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push((folder.join(&*name), depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// Whether a folder has a package with bench targets: declared ones, or those that cargo finds in `benches`.
fn has_bench_targets(folder: &Path) -> bool {
    let Some(manifest) = std::fs::read_to_string(folder.join("Cargo.toml"))
        .ok()
        .and_then(|text| text.parse::<DocumentMut>().ok())
    else {
        return false;
    };
    let Some(package) = manifest.get("package") else {
        return false;
    };
    let finds_benches = package.get("autobenches").and_then(toml_edit::Item::as_bool) != Some(false);
    let is_declared = manifest.get("bench").is_some_and(toml_edit::Item::is_array_of_tables);
    is_declared || finds_benches && holds_sources(&folder.join("benches"))
}

fn holds_sources(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn packages_beside_the_workspace_are_found_by_their_bench_targets() {
        let tree = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = tree.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let package = "[package]\nname = \"x\"\n";
        let declared = format!("{package}[[bench]]\nname = \"x\"\n");
        write("Cargo.toml", &declared);
        write("bench/Cargo.toml", &declared);
        write("more/speed/Cargo.toml", package);
        write("more/speed/benches/a.rs", "");
        for other in ["member", "vendor/x", "tests/fixture", ".hidden", "a/b/c/d"] {
            write(&format!("{other}/Cargo.toml"), &declared);
        }
        write("tool/Cargo.toml", package);
        write("broken/Cargo.toml", "[[bench");
        write("off/Cargo.toml", &format!("{package}autobenches = false\n"));
        write("off/benches/a.rs", "");
        let members = BTreeSet::from([tree.path().to_owned(), tree.path().join("member")]);
        let found = nested_bench_packages(tree.path(), &members);
        assert_eq!(found, [PathBuf::from("bench"), PathBuf::from("more/speed")]);
    }
}
