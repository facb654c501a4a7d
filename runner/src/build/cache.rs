//! A repository → the folder outside it where its builds are kept from version to version.
//!
//! Everything here can be made again: deleting it costs only time.

use std::path::{Path, PathBuf};

/// Characters of the hash in a folder's name: 64 bits distinguish a user's repositories.
const HASH_CHARACTERS: usize = 16;

/// The folder that holds one repository's builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryCache {
    root: PathBuf,
}

/// The reason why there is no cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// No variable names a folder.
    #[error("looking for a cache folder: none of LITO_CACHE, XDG_CACHE_HOME and HOME is set; set LITO_CACHE")]
    Nowhere,
    /// The folder can't be made.
    #[error("making the cache folder {}: {source}; set LITO_CACHE to a folder that can be written", path.display())]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl RepositoryCache {
    /// The cache of a repository: below `LITO_CACHE`, else `$XDG_CACHE_HOME/lito`, else `~/.cache/lito`.
    ///
    /// # Errors
    /// If no variable says where, or the folder can't be made.
    pub fn of_repository(repository: &Path) -> Result<Self, CacheError> {
        let set = |name| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let base = set("LITO_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("lito")))
            .or_else(|| set("HOME").map(|folder| folder.join(".cache").join("lito")))
            .ok_or(CacheError::Nowhere)?;
        Self::below(&base, repository)
    }

    /// The cache of a repository below a given folder.
    ///
    /// # Errors
    /// If the folder can't be made.
    pub fn below(base: &Path, repository: &Path) -> Result<Self, CacheError> {
        let repository = repository.canonicalize().unwrap_or_else(|_| repository.to_owned());
        let hash = blake3::hash(repository.as_os_str().as_encoded_bytes()).to_hex();
        let name = repository
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let root = base.join(format!("{name}-{}", &hash[..HASH_CHARACTERS]));
        let unwritable = |source| CacheError::Unwritable {
            path: root.clone(),
            source,
        };
        std::fs::create_dir_all(&root).map_err(unwritable)?;
        let root = root.canonicalize().map_err(unwritable)?;
        Ok(Self { root })
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target folder, shared by all versions.
    #[must_use]
    pub fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// Cargo's target folder for programs that only count.
    #[must_use]
    pub fn counting_target(&self) -> PathBuf {
        self.root.join("counting")
    }

    /// Cargo's target folder for programs with probes.
    #[must_use]
    pub fn probed_target(&self) -> PathBuf {
        self.root.join("probed")
    }

    /// A library that is loaded into measured programs; `made_of` is everything that it depends on.
    #[must_use]
    pub fn library(&self, name: &str, made_of: &str) -> PathBuf {
        let hash = blake3::hash(made_of.as_bytes()).to_hex();
        self.root.join(format!("{name}-{}.so", &hash[..HASH_CHARACTERS]))
    }

    /// The folder of the crate that probes call.
    #[must_use]
    pub fn probe_runtime(&self) -> PathBuf {
        self.root.join("probe-runtime")
    }

    /// The probed files of an external harness.
    #[must_use]
    pub fn probed_harness(&self, original: &Path) -> PathBuf {
        let hash = blake3::hash(original.as_os_str().as_encoded_bytes()).to_hex();
        self.root.join("probed-harness").join(&hash[..HASH_CHARACTERS])
    }

    /// The folder that versions are checked out into, one after the other, so that all have the same paths.
    #[must_use]
    pub fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    /// The folder of the lock files that an external harness's dependencies were resolved to.
    #[must_use]
    pub fn resolutions(&self, original: &Path) -> PathBuf {
        let hash = blake3::hash(original.as_os_str().as_encoded_bytes()).to_hex();
        self.root.join("resolutions").join(&hash[..HASH_CHARACTERS])
    }

    /// The folder that an external harness is copied to.
    #[must_use]
    pub fn harness(&self, original: &Path) -> PathBuf {
        let hash = blake3::hash(original.as_os_str().as_encoded_bytes()).to_hex();
        self.root.join("harness").join(&hash[..HASH_CHARACTERS])
    }
}
