//! Dependencies carried from one build folder to another: which of them are taken, and what is built all the same.

#![allow(clippy::unwrap_used)]
// git and the built program are started as a user would.
#![allow(clippy::disallowed_types)]

use std::process::Command;

use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::build;
use crate::fixture::CargoFixture;

/// Far more than a test builds.
const ENOUGH: u64 = 1 << 30;

fn key() -> DependencyKey {
    DependencyKey {
        prefix: String::from("lito-dependencies-test-"),
        lock: String::from("lock"),
    }
}

/// A git repository with a package whose library is `steps`, from which cargo fetches.
fn package_elsewhere(folder: &Path, name: &str) {
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nname = \"steps\"\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), "pub fn steps() -> u32 { 3 }\n").unwrap();
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.test",
            "commit",
            "--quiet",
            "-m",
            "steps",
        ],
    ] {
        assert!(
            Command::new("git")
                .args(arguments)
                .current_dir(folder)
                .status()
                .unwrap()
                .success()
        );
    }
}

/// A package that prints a number beside that of the package `steps` from elsewhere.
fn fixture(elsewhere: &Path) -> CargoFixture {
    fixture_with(elsewhere, "steps")
}

/// The same, where the package from elsewhere has a name of its own.
fn fixture_with(elsewhere: &Path, name: &str) -> CargoFixture {
    package_elsewhere(elsewhere, name);
    let manifest = format!(
        "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [dependencies]\nsteps = {{ package = \"{name}\", git = \"file://{}\" }}\n",
        elsewhere.display()
    );
    CargoFixture::new(&[("Cargo.toml", &manifest), ("src/main.rs", &program(1))])
}

fn program(number: u32) -> String {
    format!("fn main() {{ println!(\"{{}}\", {number} + steps::steps()); }}\n")
}

fn definition() -> BenchmarkDefinition {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect();
    BenchmarkDefinition {
        build: Some(words("cargo build --release")),
        run: Some([words("target/release/subject")].concat()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
    }
}

fn printed(cache: &RepositoryCache) -> String {
    let output = Command::new(cache.target().join("release/subject")).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn built_units(folder: &Path) -> Vec<String> {
    let units = sorted_entries(&folder.join("target/release").join(FINGERPRINTS));
    let names = units
        .iter()
        .map(|unit| unit.file_name().unwrap().to_string_lossy().into_owned());
    names.map(|name| name.rsplit_once('-').unwrap().0.to_owned()).collect()
}

#[test]
fn a_changed_source_is_built_again_upon_carried_dependencies() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fixture(&folder.path().join("elsewhere"));
    let exported = folder.path().join("exported");
    fixture.with_build_context(|site| {
        build::build(&definition(), site).unwrap();
        assert_eq!(printed(site.cache), "4");
        let DependencyExport::Written(carried) = export_dependencies(site.cache, &key(), &exported, ENOUGH).unwrap()
        else {
            panic!("nothing was kept");
        };
        assert_eq!(carried.units, 1);
        assert_eq!(
            built_units(&exported),
            ["steps"],
            "nothing of the version itself is kept"
        );

        // Another job: another version of the source with times that are older than the carried files.
        fs::remove_dir_all(site.cache.target()).unwrap();
        let source = site.tree.join("src/main.rs");
        fs::write(&source, program(5)).unwrap();
        File::options()
            .write(true)
            .open(&source)
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        let taken = import_dependencies(site.cache, &key(), &exported).unwrap();
        assert!(
            matches!(taken, DependencyImport::Taken(ref carried) if carried.units == 1),
            "{taken:?}"
        );
        let before = outputs_of("steps", site.cache);
        build::build(&definition(), site).unwrap();
        assert_eq!(printed(site.cache), "8", "the changed source is built");
        assert_eq!(outputs_of("steps", site.cache), before, "the dependency is not");
    });
}

#[test]
fn a_dependency_with_the_name_of_the_versions_own_package_is_built_once() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fixture_with(&folder.path().join("elsewhere"), "subject");
    fixture.with_build_context(|site| {
        build::build(&definition(), site).unwrap();
        assert_eq!(printed(site.cache), "4");
        let before = outputs_of("libsteps", site.cache);
        assert!(!before.is_empty());
        fs::write(site.tree.join("src/main.rs"), program(5)).unwrap();
        build::build(&definition(), site).unwrap();
        assert_eq!(printed(site.cache), "8", "the changed source is built");
        assert_eq!(outputs_of("libsteps", site.cache), before, "the dependency is not");
        assert!(!site.cache.target().join("set-aside").exists());
    });
}

/// The outputs of a package with their times.
fn outputs_of(package: &str, cache: &RepositoryCache) -> Vec<(PathBuf, std::time::SystemTime)> {
    let files = sorted_entries(&cache.target().join("release/deps"));
    let is_of = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().contains(package);
    let found = files.into_iter().filter(is_of);
    found
        .map(|file| (file.clone(), fs::metadata(&file).unwrap().modified().unwrap()))
        .collect()
}

#[test]
fn what_was_carried_for_another_toolchain_or_beside_a_build_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fixture(&folder.path().join("elsewhere"));
    let exported = folder.path().join("exported");
    fixture.with_build_context(|site| {
        build::build(&definition(), site).unwrap();
        let too_large = export_dependencies(site.cache, &key(), &exported, 1).unwrap();
        assert!(
            matches!(too_large, DependencyExport::TooLarge { bytes } if bytes > 1),
            "{too_large:?}"
        );
        assert_eq!(
            import_dependencies(site.cache, &key(), &exported).unwrap(),
            DependencyImport::NoFolder
        );
        export_dependencies(site.cache, &key(), &exported, ENOUGH).unwrap();
        assert_eq!(
            import_dependencies(site.cache, &key(), &exported).unwrap(),
            DependencyImport::AlreadyBuilt
        );
        fs::write(exported.join("old"), "").unwrap();
        export_dependencies(site.cache, &key(), &exported, ENOUGH).unwrap();
        assert!(!exported.join("old").exists(), "what was carried before is replaced");
        fs::remove_dir_all(site.cache.target()).unwrap();
        let other = DependencyKey {
            prefix: String::from("lito-dependencies-other-"),
            ..key()
        };
        assert_eq!(
            import_dependencies(site.cache, &other, &exported).unwrap(),
            DependencyImport::ForAnother
        );
        assert!(!site.cache.target().exists());
        assert_eq!(
            export_dependencies(site.cache, &key(), &folder.path().join("none"), ENOUGH).unwrap(),
            DependencyExport::Nothing
        );
    });
}

#[test]
fn a_key_goes_with_the_lock_file_and_begins_alike_for_others() {
    let repository = crate::git::tests::GitFixture::new();
    let cache = RepositoryCache::below(&repository.beside("cache"), &repository.dir()).unwrap();
    let compiler = crate::toolchain::compiler(&repository.dir(), &crate::process::InterruptionFlag::default()).unwrap();
    let keys_of = |files: &[(&str, &str)]| {
        files.iter().for_each(|(path, text)| repository.write(path, text));
        let commit = repository.commit("a version");
        DependencyKey::of(&repository.open(), commit, &cache, &compiler).unwrap()
    };
    let first = keys_of(&[("Cargo.toml", "[package]"), ("Cargo.lock", "version = 4")]);
    let same_lock = keys_of(&[("Cargo.toml", "[package]  # released")]);
    assert_eq!(first, same_lock, "a manifest decides only where there is no lock file");
    let other_lock = keys_of(&[("Cargo.lock", "version = 5")]);
    assert_eq!(first.prefix, other_lock.prefix);
    assert_ne!(first.lock, other_lock.lock);
    let whole = first.with_content("0123");
    assert!(whole.starts_with(&first.wanted()) && first.wanted().starts_with(&first.prefix));
    let native = keys_of(&[(".cargo/config.toml", "[build]\nrustflags = [\"-Ctarget-cpu=native\"]")]);
    assert_ne!(
        native.prefix, first.prefix,
        "code for this processor is not for another"
    );
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let cache = RepositoryCache::below(&folder.path().join("cache"), folder.path()).unwrap();
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.txt"), "").unwrap();
    assert!(export_dependencies(&cache, &key(), &other, ENOUGH).is_err());
    assert!(other.join("thesis.txt").exists());
}

#[test]
fn a_link_in_the_folder_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let cache = RepositoryCache::below(&folder.path().join("cache"), folder.path()).unwrap();
    let (given, secret) = (folder.path().join("given"), folder.path().join("secret"));
    fs::create_dir_all(given.join("target/release/deps")).unwrap();
    fs::write(&secret, "s").unwrap();
    fs::write(given.join(RECORD), "{\"prefix\":\"lito-dependencies-test-\"}").unwrap();
    std::os::unix::fs::symlink(&secret, given.join("target/release/deps/libx-0123456789abcdef.rlib")).unwrap();
    import_dependencies(&cache, &key(), &given).unwrap();
    assert!(!cache.target().join("release/deps/libx-0123456789abcdef.rlib").exists());
}

#[test]
fn the_name_of_a_package_ends_before_its_version() {
    for (packed, name) in [
        ("serde-1.0.229", "serde"),
        ("wasi-0.11.0+wasi-snapshot-preview1", "wasi"),
        ("md-5-0.10.6", "md-5"),
        ("rand_core-0.10.0-rc.1", "rand_core"),
    ] {
        assert_eq!(package_of(packed), name);
    }
}
