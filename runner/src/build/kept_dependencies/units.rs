//! A profile folder of cargo's target folder → the files in it that belong to dependencies only.
//!
//! A unit belongs to a dependency if rustc recorded, beside its output, that all its sources are in cargo's home, where
//! registries and git repositories are unpacked, or were written by a build script. A unit without such a record, and
//! one that read any file elsewhere, is left out: cargo builds it again. Names decide nothing, except for runs of build
//! scripts, which have no record of their own: these are kept if the scripts of that name are all kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::folder_entries::sorted_entries;

/// Where cargo keeps what it knows of each unit.
pub(super) const FINGERPRINTS: &str = ".fingerprint";

/// Hexadecimal digits of the hash by which cargo tells units apart.
const HASH_DIGITS: usize = 16;

/// Folders of cargo's home that hold the sources of dependencies.
const SOURCES: [&str; 2] = ["registry/src", "git/checkouts"];

/// The files of dependencies, relative to the profile folder, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DependencyFiles {
    /// The names of the units: cargo derives them from everything that decides the output.
    pub(super) units: BTreeSet<String>,
    /// The files.
    pub(super) files: Vec<PathBuf>,
    /// The sources that they were built from.
    pub(super) sources: BTreeSet<PathBuf>,
}

/// Finds the files of dependencies below a profile folder, such as `target/release`.
pub(super) fn dependency_files(profile: &Path, cargo_home: &Path) -> DependencyFiles {
    let (deps, build) = (profile.join("deps"), profile.join("build"));
    let is_source = |path: &Path| SOURCES.iter().any(|folder| path.starts_with(cargo_home.join(folder)));
    let build_folders = sorted_entries(&build);
    let lists = sorted_entries(&deps)
        .into_iter()
        .chain(build_folders.iter().flat_map(|folder| sorted_entries(folder)))
        .filter(|path| path.extension().is_some_and(|extension| extension == "d"));
    let (mut of_dependencies, mut of_others) = (BTreeSet::new(), BTreeSet::new());
    let mut sources = BTreeSet::new();
    for list in lists {
        let Some(hash) = hash_of(&list) else { continue };
        let read = sources_of(&list);
        let are_fetched = read.iter().any(|path| is_source(path))
            && read.iter().all(|path| is_source(path) || path.starts_with(&build));
        if are_fetched {
            of_dependencies.insert(hash);
            sources.extend(read);
        } else {
            of_others.insert(hash);
        }
    }
    of_dependencies.retain(|hash| !of_others.contains(hash));

    // A run of a build script has no hash of a list.
    let names: Vec<(String, String)> = build_folders
        .iter()
        .filter_map(|folder| name_and_hash(folder))
        .collect();
    let scripts_in = |hashes: &BTreeSet<String>| -> BTreeSet<&String> {
        let found = names.iter().filter(|(_, hash)| hashes.contains(hash));
        found.map(|(name, _)| name).collect()
    };
    let (ours, theirs) = (scripts_in(&of_dependencies), scripts_in(&of_others));
    let runs = names.iter().filter(|(name, hash)| {
        !of_dependencies.contains(hash) && !of_others.contains(hash) && ours.contains(name) && !theirs.contains(name)
    });
    let runs: BTreeSet<&String> = runs.map(|(_, hash)| hash).collect();

    let mut found = DependencyFiles {
        sources,
        ..DependencyFiles::default()
    };
    for folder in sorted_entries(&profile.join(FINGERPRINTS)) {
        let Some((name, hash)) = name_and_hash(&folder) else {
            continue;
        };
        if of_dependencies.contains(&hash) || runs.contains(&hash) {
            add_files(&folder, &mut found.files);
            found.units.insert(format!("{name}-{hash}"));
        }
    }
    for folder in &build_folders {
        let Some((_, hash)) = name_and_hash(folder) else {
            continue;
        };
        if runs.contains(&hash) {
            add_files(folder, &mut found.files);
        } else if of_dependencies.contains(&hash) {
            // Without the second name of the program, which cargo links again.
            let named = sorted_entries(folder)
                .into_iter()
                .filter(|file| hash_of(file).as_ref() == Some(&hash));
            named.for_each(|file| add_files(&file, &mut found.files));
        }
    }
    let outputs = sorted_entries(&deps).into_iter();
    for file in outputs.filter(|file| hash_of(file).is_some_and(|hash| of_dependencies.contains(&hash))) {
        add_files(&file, &mut found.files);
    }
    for file in &mut found.files {
        if let Ok(relative) = file.strip_prefix(profile) {
            *file = relative.to_owned();
        }
    }
    found.files.sort();
    found
}

/// The sources that rustc recorded: a line `path:` for each.
fn sources_of(list: &Path) -> BTreeSet<PathBuf> {
    let text = fs::read(list).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let sources = text.lines().filter(|line| !line.starts_with('#'));
    let sources = sources.filter_map(|line| line.strip_suffix(':'));
    sources.map(|path| PathBuf::from(path.replace("\\ ", " "))).collect()
}

/// The hash in the name of an output: `libserde-0123456789abcdef.rlib`.
pub(super) fn hash_of(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let stem = name.split('.').next().unwrap_or(name);
    split(stem).map(|(_, hash)| hash)
}

/// The package and the hash of a unit's folder.
pub(super) fn name_and_hash(folder: &Path) -> Option<(String, String)> {
    split(folder.file_name()?.to_str()?)
}

fn split(name: &str) -> Option<(String, String)> {
    let (name, hash) = name.rsplit_once('-')?;
    let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| (name.to_owned(), hash.to_owned()))
}

/// Adds all files at a path; links and special files are none.
pub(super) fn add_files(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            for entry in sorted_entries(path) {
                add_files(&entry, files);
            }
        }
        Ok(metadata) if metadata.is_file() => files.push(path.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const OF_REGISTRY: &str = "0123456789abcdef";
    const OF_TREE: &str = "fedcba9876543210";
    const RUN: &str = "00000000000000aa";

    struct Profile(tempfile::TempDir);

    impl Profile {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, path: &str, text: &str) {
            let file = self.0.path().join("release").join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }

        /// A unit whose record names these sources.
        fn unit(&self, name: &str, hash: &str, sources: &[&str]) {
            let lines: Vec<String> = sources.iter().map(|source| format!("{source}:\n")).collect();
            self.write(&format!("deps/{name}-{hash}.d"), &lines.concat());
            self.write(&format!("deps/lib{name}-{hash}.rlib"), "");
            self.write(&format!(".fingerprint/{name}-{hash}/lib-{name}"), "");
        }

        fn found(&self) -> Vec<String> {
            let found = dependency_files(&self.0.path().join("release"), Path::new("/home/.cargo"));
            found.units.into_iter().collect()
        }
    }

    #[test]
    fn a_unit_is_of_a_dependency_only_where_all_it_read_was_fetched() {
        let profile = Profile::new();
        profile.unit(
            "serde",
            OF_REGISTRY,
            &["/home/.cargo/registry/src/x/serde-1.0.0/src/lib.rs"],
        );
        profile.unit("own", OF_TREE, &["src/lib.rs"]);
        let reads_both = ["/home/.cargo/git/checkouts/a/1/src/lib.rs", "/tree/table.txt"];
        profile.unit("both", "00000000000000bb", &reads_both);
        profile.unit("silent", "00000000000000cc", &[]);
        profile.unit(
            "like",
            "00000000000000dd",
            &["/home/.cargo/registry/src-of-mine/lib.rs"],
        );
        profile.write(".fingerprint/unrecorded-00000000000000ee/lib-unrecorded", "");
        assert_eq!(profile.found(), [format!("serde-{OF_REGISTRY}")]);
    }

    #[test]
    fn a_run_of_a_build_script_goes_with_the_scripts_of_its_name() {
        let of_registry = "/home/.cargo/registry/src/x/ring-1.0.0/build.rs:\n";
        let profile = Profile::new();
        profile.write(
            &format!("build/ring-{OF_REGISTRY}/build_script_build-{OF_REGISTRY}.d"),
            of_registry,
        );
        profile.write(&format!("build/ring-{OF_REGISTRY}/build-script-build"), "");
        profile.write(&format!("build/ring-{RUN}/output"), "");
        profile.write(&format!(".fingerprint/ring-{OF_REGISTRY}/build-script"), "");
        profile.write(&format!(".fingerprint/ring-{RUN}/run-build-script"), "");
        let found = dependency_files(&profile.0.path().join("release"), Path::new("/home/.cargo"));
        assert!(found.files.contains(&PathBuf::from(format!("build/ring-{RUN}/output"))));
        assert!(
            found.files.iter().all(|file| !file.ends_with("build-script-build")),
            "it is linked again"
        );
        // A package of the tree with the same name: which of the two ran is not known.
        profile.write(
            &format!("build/ring-{OF_TREE}/build_script_build-{OF_TREE}.d"),
            "build.rs:\n",
        );
        assert_eq!(profile.found(), [format!("ring-{OF_REGISTRY}")]);
    }
}
