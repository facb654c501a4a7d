//! The compiler, the system, lito, the folders and the lock files of a version → the key of built dependencies in a host's
//! cache.
//!
//! The key begins with everything that makes a unit useless if it differs, and goes on with the lock files: an older entry of
//! the same beginning is of use, since most dependencies stay. Reads files and asks the C library's version; decides
//! nothing about a build.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::{RepositoryCache, profile_settings};
use crate::environment::EnvironmentFingerprint;
use crate::git::{BlobContent, CommitId, GitError, Repository};
use crate::process::{self, InterruptionFlag, Invocation};
use crate::toolchain::RustCompiler;

/// The version of the folder; another one is never restored.
const SCHEMA: &str = "lito.dependencies/1";

/// Hexadecimal digits of a digest in a key: 64 bits, beside names that are readable.
const DIGITS: usize = 16;

/// Variables with flags of compilers.
const FLAG_VARIABLES: [&str; 6] = [
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CFLAGS",
    "CXXFLAGS",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
];

/// Files of a version in which cargo looks for flags.
const FLAG_FILES: [&[u8]; 2] = [b".cargo/config.toml", b".cargo/config"];

/// Largest file that is searched for flags.
const LARGEST_FLAG_FILE: u64 = 1 << 20;

/// The word by which flags ask for code that only this processor's kind executes.
const OF_THIS_PROCESSOR: &str = "native";

/// How long the system may take to name its C library.
const QUESTION_LIMIT: Duration = Duration::from_secs(10);

/// The key of built dependencies, but for their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyKey {
    /// The beginning: lito, the compiler, the system with its C library, the settings and folders of the builds.
    pub prefix: String,
    /// The rest: the version's lock files, or its manifests where it has none.
    pub lock: String,
}

impl DependencyKey {
    /// The key of a version's dependencies.
    ///
    /// # Errors
    /// If the version can't be read.
    pub fn of(
        repository: &Repository,
        commit: CommitId,
        cache: &RepositoryCache,
        compiler: &RustCompiler,
    ) -> Result<Self, GitError> {
        let lito = env!("CARGO_PKG_VERSION");
        let (system, library) = (system_release(), c_library());
        let folders = [cache.root().to_owned(), cargo_home()].map(|folder| folder.display().to_string());
        let parts = [
            &[SCHEMA, lito, &compiler.version, &compiler.host, &system, &library].map(str::to_owned)[..],
            &folders,
            &profile_settings(),
            &[processor(repository, commit, compiler)?],
        ];
        // `1.95.0` of `rustc 1.95.0 (59807616e 2026-04-14)`: the digest has the rest.
        let version = compiler.version.split(' ').nth(1).unwrap_or_default();
        let digest = short_digest(&parts.concat());
        let prefix = format!("lito-dependencies-{}-{}-{digest}-", plain(lito), plain(version));
        Ok(Self {
            prefix,
            lock: lock_digest(repository, commit)?,
        })
    }

    /// The key that a job asks for: the beginning of every key with these lock files.
    #[must_use]
    pub fn wanted(&self) -> String {
        format!("{}{}-", self.prefix, self.lock)
    }

    /// The key of this content.
    #[must_use]
    pub fn with_content(&self, content: &str) -> String {
        format!("{}{content}", self.wanted())
    }
}

/// The folder in which cargo keeps the sources of dependencies.
pub(super) fn cargo_home() -> PathBuf {
    let set = std::env::var_os("CARGO_HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from);
    let at_home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    set.or_else(at_home).unwrap_or_else(|| PathBuf::from(".cargo"))
}

/// The digest of some texts, in hexadecimal digits.
pub(super) fn short_digest(texts: &[String]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher
            .update(&(text.len() as u64).to_le_bytes())
            .update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

/// The version's lock files by their content; its manifests, if it has none.
fn lock_digest(repository: &Repository, commit: CommitId) -> Result<String, GitError> {
    let paths = repository.snapshot(commit)?.paths()?;
    let named = |name: &str| -> Vec<String> {
        let found = paths
            .iter()
            .filter(|(path, _)| Path::new(&*path.lossy()).ends_with(name));
        found
            .map(|(path, entry)| format!("{} {entry:?}", path.lossy()))
            .collect()
    };
    let locks = named("Cargo.lock");
    Ok(short_digest(&if locks.is_empty() {
        named("Cargo.toml")
    } else {
        locks
    }))
}

/// The processor, if flags ask for code that another one may not execute: cargo does not tell such outputs apart.
fn processor(repository: &Repository, commit: CommitId, compiler: &RustCompiler) -> Result<String, GitError> {
    let variables = FLAG_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    let mut flags: Vec<String> = variables.collect();
    for file in FLAG_FILES {
        if let Some(BlobContent::Bytes(text)) = repository.file_at(commit, file, LARGEST_FLAG_FILE)? {
            flags.push(String::from_utf8_lossy(&text).into_owned());
        }
    }
    let asks = flags.iter().any(|flags| flags.contains(OF_THIS_PROCESSOR));
    Ok(match asks {
        true => EnvironmentFingerprint::here(compiler, "").processor,
        false => String::new(),
    })
}

/// Name and version of the system, as it states them; the family where it states none.
fn system_release() -> String {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| line.starts_with("ID=") || line.starts_with("VERSION_ID="));
    let stated: Vec<&str> = lines.collect();
    if stated.is_empty() {
        std::env::consts::OS.to_owned()
    } else {
        stated.join(" ")
    }
}

/// The C library as the system names it; empty where it does not.
fn c_library() -> String {
    let invocation = Invocation::new("getconf", Path::new("/"), QUESTION_LIMIT).arguments(["GNU_LIBC_VERSION"]);
    match process::run(&invocation, &InterruptionFlag::default()) {
        Ok(finished) if finished.status.success() => finished.stdout.text().trim().to_owned(),
        _ => String::new(),
    }
}

/// Only what every host accepts in a key.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '.')
        .collect()
}
