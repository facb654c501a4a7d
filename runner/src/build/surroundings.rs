//! This machine → a digest of the parts that a build reads besides the version, the definitions and the compiler's
//! version: variables, configuration files above the checkout, and the programs that compile and link.
//!
//! Variables that change from one terminal or one step of a job to the next are left out; a build that is recorded to
//! read one of them is compared by that record. Reads files; starts no program.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::RepositoryCache;

/// Variables that no build reads, and that differ between two terminals or two steps of one job.
const OF_A_SESSION: [&str; 25] = [
    "COLUMNS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "GITHUB_ACTION",
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LINES",
    "LITO_CACHE",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "SSH_AUTH_SOCK",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "TERM",
    "TERM_SESSION_ID",
    "TMUX",
    "WINDOWID",
    "_",
];

/// Files of a folder above the checkout that cargo or rustup read.
const SETTINGS_ABOVE: [&str; 5] = [
    ".cargo/config.toml",
    ".cargo/config",
    "Cargo.toml",
    "rust-toolchain.toml",
    "rust-toolchain",
];

/// Programs that compile or link without the compiler's version saying so.
const TOOLS: [&str; 12] = [
    "ar", "as", "c++", "cargo", "cc", "clang", "gcc", "ld", "ld.lld", "lld", "mold", "rustc",
];

/// The digest, in hexadecimal digits; `None` if a configuration file includes others, which are not followed.
pub(crate) fn surroundings_digest(
    cache: &RepositoryCache,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Option<String> {
    let variables: BTreeMap<OsString, OsString> = variables.into_iter().collect();
    let mut hasher = blake3::Hasher::new();
    let mut add = |what: &[u8], content: &[u8]| {
        hasher.update(&(what.len() as u64).to_le_bytes()).update(what);
        hasher.update(&(content.len() as u64).to_le_bytes()).update(content);
    };
    for (name, value) in &variables {
        if OF_A_SESSION.iter().all(|left_out| name != left_out) {
            add(name.as_encoded_bytes(), value.as_encoded_bytes());
        }
    }
    for file in configuration_files(cache, &variables) {
        if let Ok(text) = fs::read_to_string(&file) {
            let table = text.parse::<toml::Table>().ok();
            if table.is_some_and(|table| table.contains_key("include")) {
                return None;
            }
            add(file.as_os_str().as_encoded_bytes(), text.as_bytes());
        }
    }
    let places: Vec<PathBuf> = variables
        .get(OsStr::new("PATH"))
        .map(|path| std::env::split_paths(path).collect())
        .unwrap_or_default();
    let own = std::env::current_exe().ok();
    let tools = TOOLS.iter().filter_map(|tool| found_in(&places, tool));
    for tool in tools.chain(own) {
        add(tool.as_os_str().as_encoded_bytes(), stamp(&tool).as_bytes());
    }
    Some(hasher.finalize().to_hex().to_string())
}

/// The files, whether they exist or not.
fn configuration_files(cache: &RepositoryCache, variables: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
    let above = cache
        .root()
        .ancestors()
        .flat_map(|folder| SETTINGS_ABOVE.map(|name| folder.join(name)));
    let home = match variables.get(OsStr::new("CARGO_HOME")) {
        Some(home) => Some(PathBuf::from(home)),
        None => variables
            .get(OsStr::new("HOME"))
            .map(|home| Path::new(home).join(".cargo")),
    };
    let at_home = home
        .into_iter()
        .flat_map(|home| ["config.toml", "config"].map(|name| home.join(name)));
    above.chain(at_home).collect()
}

fn found_in(places: &[PathBuf], tool: &str) -> Option<PathBuf> {
    let mut found = places
        .iter()
        .map(|place| place.join(tool))
        .filter(|path| path.is_file());
    found.next()?.canonicalize().ok()
}

/// Size and time of a program, which another release of it changes.
fn stamp(program: &Path) -> String {
    fs::metadata(program).map_or_else(
        |_| String::new(),
        |metadata| format!("{} {}.{}", metadata.len(), metadata.mtime(), metadata.mtime_nsec()),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn digest(cache: &RepositoryCache, variables: &[(&str, &str)]) -> Option<String> {
        surroundings_digest(cache, variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn a_variable_that_a_build_may_read_counts_and_one_of_the_terminal_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = RepositoryCache::below(folder.path(), folder.path()).unwrap();
        let plain = digest(&cache, &[("TERM", "one")]).unwrap();
        assert_eq!(digest(&cache, &[("TERM", "two"), ("PWD", "/")]).unwrap(), plain);
        let mut seen = vec![plain];
        for variables in [
            [("RUSTFLAGS", "-C target-cpu=native")],
            [("CFLAGS", "-O3")],
            [("CFLAGS", "-O2")],
            [("ANYTHING", "")],
        ] {
            let other = digest(&cache, &variables).unwrap();
            assert!(!seen.contains(&other), "{variables:?}");
            seen.push(other);
        }
    }

    #[test]
    fn configuration_above_the_checkout_and_at_home_counts() {
        let folder = tempfile::tempdir().unwrap();
        let cache = RepositoryCache::below(&folder.path().join("cache"), folder.path()).unwrap();
        let home = folder.path().join("home");
        let variables = [("CARGO_HOME", home.to_str().unwrap())];
        let mut seen = vec![digest(&cache, &variables).unwrap()];
        for file in ["home/config.toml", "cache/.cargo/config.toml", "rust-toolchain.toml"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "[build]\nrustflags = [\"-g\"]\n").unwrap();
            let other = digest(&cache, &variables).unwrap();
            assert!(!seen.contains(&other), "{file}");
            seen.push(other);
        }
        fs::write(home.join("config.toml"), "include = \"other.toml\"\n").unwrap();
        assert_eq!(digest(&cache, &variables), None, "what it includes is not known");
    }

    #[test]
    fn another_linker_counts() {
        let folder = tempfile::tempdir().unwrap();
        let cache = RepositoryCache::below(&folder.path().join("cache"), folder.path()).unwrap();
        let variables = [("PATH", folder.path().to_str().unwrap())];
        let none = digest(&cache, &variables).unwrap();
        fs::write(folder.path().join("ld"), "one").unwrap();
        let one = digest(&cache, &variables).unwrap();
        fs::write(folder.path().join("ld"), "another").unwrap();
        let other = digest(&cache, &variables).unwrap();
        assert!(none != one && one != other && none != other);
    }
}
