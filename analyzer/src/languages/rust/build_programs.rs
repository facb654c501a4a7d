//! The manifests of two versions → sources that run while the code is built: scripts by another name than `build.rs`, modules of
//! scripts, and packages that scripts and procedural macros are built with.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use memchr::memmem;

use super::cargo_manifest::{folders_above, text};
use super::declared_modules::{modules_of_root, resolved};
use super::procedural_macros::macros_of_package;
use crate::change::build_files::{BuildPrograms, parse_toml};
use crate::sources::{ContentId, FileSource, ListedFile};

/// The most manifests that are read. A project with more of them is followed in part.
const MOST_MANIFESTS: usize = 2_000;

/// The words of a manifest without which a package has no macros, and no other script than `build.rs`.
const SAID_OF_PROGRAMS: [&[u8]; 3] = [b"build", b"proc-macro", b"proc_macro"];

/// The programs of the build of both versions.
pub(super) fn build_programs(trees: [&dyn FileSource; 2]) -> BuildPrograms {
    let mut programs = BuildPrograms::default();
    let mut says = HashMap::new();
    for tree in trees {
        for manifest in manifests(tree, &mut says).iter().take(MOST_MANIFESTS) {
            if let Some(package) = Package::read(manifest, tree) {
                package.add_script(&mut programs);
                package.add_macros(&mut programs);
            }
        }
    }
    programs
}

/// The manifests of packages that may have a program of the build. `says` keeps of each content whether it speaks of one.
fn manifests(tree: &dyn FileSource, says: &mut HashMap<ContentId, bool>) -> Vec<String> {
    let Some(files) = tree.all_files() else {
        return vec!["Cargo.toml".to_owned()];
    };
    let scripts = files.iter().filter_map(|file| file.path.strip_suffix("build.rs"));
    let with_script: HashSet<&str> = scripts.collect();
    let has_script = |manifest: &str| with_script.contains(manifest.trim_end_matches("Cargo.toml"));
    let mut speaks = |file: &ListedFile| {
        *says.entry(file.id).or_insert_with(|| {
            let text = tree.bytes(&file.path);
            text.is_some_and(|text| SAID_OF_PROGRAMS.iter().any(|word| memmem::find(&text, word).is_some()))
        })
    };
    let manifests = files.iter().filter(|file| is_manifest(&file.path));
    let may_have_one = manifests.filter(|file| speaks(file) || has_script(&file.path));
    let mut paths: Vec<String> = may_have_one.map(|file| file.path.to_string()).collect();
    paths.sort_unstable();
    paths
}

fn is_manifest(path: &str) -> bool {
    path == "Cargo.toml" || path.ends_with("/Cargo.toml")
}

/// A package of one version.
struct Package<'t> {
    /// With a slash at its end, empty for the root.
    folder: String,
    manifest: toml::Table,
    tree: &'t dyn FileSource,
}

impl<'t> Package<'t> {
    fn read(path: &str, tree: &'t dyn FileSource) -> Option<Self> {
        let manifest = parse_toml(&text(tree, path)?).ok()?;
        manifest.contains_key("package").then(|| Self {
            folder: path.trim_end_matches("Cargo.toml").to_owned(),
            manifest,
            tree,
        })
    }

    /// The path of the build script; `None` if there is none.
    fn script(&self) -> Option<String> {
        let stated = self.manifest.get("package").and_then(|package| package.get("build"));
        let path = match stated {
            Some(toml::Value::String(path)) => path.as_str(),
            Some(toml::Value::Boolean(false)) => return None,
            _ => "build.rs",
        };
        let path = resolved(&self.folder, path)?;
        self.tree.file(&path).map(|_| path)
    }

    fn add_script(&self, programs: &mut BuildPrograms) {
        let Some(script) = self.script() else {
            return;
        };
        let mut add = |part: String| programs.scripts.entry(part).or_default().insert(script.clone());
        if !script.ends_with("build.rs") {
            add(script.clone());
        }
        for part in self.modules(&script) {
            add(part);
        }
        let used = self.named_folders(&["build-dependencies", "build_dependencies"]);
        for folder in self.within_reach(used) {
            add(folder);
        }
    }

    fn add_macros(&self, programs: &mut BuildPrograms) {
        let Some(macros) = macros_of_package(&self.folder, &self.manifest, self.tree) else {
            return;
        };
        for folder in self.within_reach(self.named_folders(&["dependencies"])) {
            programs
                .macros
                .entry(folder)
                .or_default()
                .extend(macros.iter().cloned());
        }
    }

    /// The files of the modules of a script.
    fn modules(&self, script: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![(script.to_owned(), true)];
        while let Some((file, is_root)) = waiting.pop() {
            let Some(source) = self.tree.bytes(&file) else {
                continue;
            };
            let named = modules_of_root(&file, &source, is_root).into_iter();
            let files = named.filter(|part| self.tree.file(part).is_some());
            waiting.extend(
                files
                    .filter(|part| found.insert(part.clone()))
                    .map(|part| (part, false)),
            );
        }
        found
    }

    /// The folders of packages that tables of the manifest name, for any target.
    fn named_folders(&self, tables: &[&str]) -> Vec<String> {
        let targets = self.manifest.get("target").and_then(toml::Value::as_table);
        let of_targets = targets.into_iter().flatten().filter_map(|(_, table)| table.as_table());
        let named = std::iter::once(&self.manifest).chain(of_targets).flat_map(|around| {
            let tables = tables.iter().filter_map(|name| around.get(*name)?.as_table());
            tables.flatten()
        });
        named.filter_map(|(name, value)| self.folder_of(name, value)).collect()
    }

    /// The folder of a dependency, which a workspace around may state.
    fn folder_of(&self, name: &str, dependency: &toml::Value) -> Option<String> {
        let path = |value: &toml::Value| value.get("path").and_then(toml::Value::as_str).map(str::to_owned);
        let folder = match path(dependency) {
            Some(path) => resolved(&self.folder, &path),
            None => {
                dependency.get("workspace")?;
                let own = format!("{}Cargo.toml", self.folder);
                let around = std::iter::once(self.folder.as_str()).chain(folders_above(&own));
                around.into_iter().find_map(|folder| {
                    let manifest = parse_toml(&text(self.tree, &format!("{folder}Cargo.toml"))?).ok()?;
                    let shared = manifest.get("workspace")?.get("dependencies")?.get(name)?;
                    resolved(folder, &path(shared)?)
                })
            }
        }?;
        Some(if folder.is_empty() {
            folder
        } else {
            format!("{folder}/")
        })
    }

    /// Folders of packages, and of those that these depend on.
    fn within_reach(&self, folders: Vec<String>) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = folders.iter().cloned().collect();
        let mut waiting = folders;
        while let Some(folder) = waiting.pop() {
            if let Some(package) = Package::read(&format!("{folder}Cargo.toml"), self.tree) {
                let named = package.named_folders(&["dependencies"]).into_iter();
                waiting.extend(named.filter(|folder| found.insert(folder.clone())));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::layout::TestFiles;

    fn programs(files: Vec<(&'static str, &'static str)>) -> BuildPrograms {
        let files = TestFiles(files);
        build_programs([&files, &files])
    }

    fn keys(map: &BTreeMap<String, BTreeSet<String>>) -> Vec<&str> {
        map.keys().map(String::as_str).collect()
    }

    #[test]
    fn scripts_by_other_names_and_modules_of_scripts_run_in_the_build() {
        let found = programs(vec![
            ("Cargo.toml", "[package]\nname = \"a\"\nbuild = \"make/first.rs\""),
            (
                "make/first.rs",
                "#[path = \"../shared/tables.rs\"]\nmod tables;\nmod words;\nmod none;\nfn main() { write(\"src/lib.rs\") }",
            ),
            ("make/words.rs", "mod inner;"),
            ("make/words/inner.rs", ""),
            ("shared/tables.rs", ""),
            ("src/lib.rs", ""),
        ]);
        assert_eq!(
            keys(&found.scripts),
            [
                "make/first.rs",
                "make/words.rs",
                "make/words/inner.rs",
                "shared/tables.rs"
            ]
        );
    }

    #[test]
    fn packages_that_scripts_and_macros_are_built_with_run_in_the_build() {
        let found = programs(vec![
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\n[dependencies]\nplain = { path = \"plain\" }\n[build-dependencies]\nmake = { workspace = true }\n[workspace.dependencies]\nmake = { path = \"make\" }",
            ),
            ("build.rs", "fn main() {}"),
            (
                "make/Cargo.toml",
                "[package]\nname = \"make\"\n[dependencies]\ndeep = { path = \"../deep\" }",
            ),
            ("deep/Cargo.toml", "[package]\nname = \"deep\""),
            ("plain/Cargo.toml", "[package]\nname = \"plain\""),
            (
                "pm/Cargo.toml",
                "[package]\nname = \"pm\"\n[lib]\nproc-macro = true\n[target.x.dependencies]\nhelp = { path = \"help\" }",
            ),
            ("pm/src/lib.rs", "#[proc_macro]\npub fn rounds() {}"),
            ("pm/help/Cargo.toml", "[package]\nname = \"help\""),
        ]);
        assert_eq!(keys(&found.scripts), ["deep/", "make/"]);
        assert_eq!(found.scripts["deep/"], BTreeSet::from(["build.rs".to_owned()]));
        assert_eq!(keys(&found.macros), ["pm/help/"]);
        assert_eq!(found.macros["pm/help/"], BTreeSet::from(["rounds".to_owned()]));
    }
}
