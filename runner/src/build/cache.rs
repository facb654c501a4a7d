//! A repository → the folder outside it where its builds are kept from version to version.
//!
//! Everything here can be made again: deleting it costs only time.

use std::path::{Path, PathBuf};

/// Characters of a hash in a name, at least: 64 bits distinguish a user's repositories.
const HASH_CHARACTERS: usize = 16;

/// Bytes of a repository's name in the name of its folder, at most: a name may be 255 bytes long in all.
const NAME_LENGTH: usize = 64;

/// Bytes of the path of a repository's folder, or a multiple of it. Frameworks keep paths on the heap, and the allocator
/// executes other code where they are longer: with paths of one length, counts of two machines can be compared.
const PATH_LENGTH: usize = 128;

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
        Self::below(&base()?, repository)
    }

    /// The cache of a repository for one of several tasks that build it at once.
    ///
    /// # Errors
    /// Those of [`Self::of_repository`].
    pub fn of_task(repository: &Path, task: u32) -> Result<Self, CacheError> {
        Self::below(&base()?.join(format!("t{task}")), repository)
    }

    /// The cache of a repository below a given folder. The path of the cache is 128 bytes long, or a multiple of it where
    /// the given folder's is longer.
    ///
    /// # Errors
    /// If the folder can't be made.
    pub fn below(base: &Path, repository: &Path) -> Result<Self, CacheError> {
        let unwritable = |path: &Path, source| CacheError::Unwritable {
            path: path.to_owned(),
            source,
        };
        std::fs::create_dir_all(base).map_err(|source| unwritable(base, source))?;
        let base = base.canonicalize().map_err(|source| unwritable(base, source))?;
        let root = base.join(folder_name(&base, repository));
        std::fs::create_dir_all(&root).map_err(|source| unwritable(&root, source))?;
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

    /// The folder that commands build the user's working copy into.
    #[must_use]
    pub fn working_copy_target(&self) -> PathBuf {
        self.root.join("working-copy")
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

/// The folder of all caches.
fn base() -> Result<PathBuf, CacheError> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("LITO_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("lito")))
        .or_else(|| set("HOME").map(|folder| folder.join(".cache").join("lito")))
        .ok_or(CacheError::Nowhere)
}

/// The repository's name, and as many digits of the hash of its path as the path of the cache needs.
fn folder_name(base: &Path, repository: &Path) -> String {
    let repository = repository.canonicalize().unwrap_or_else(|_| repository.to_owned());
    let mut name = repository
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    name.truncate(name.floor_char_boundary(NAME_LENGTH));
    name.push('-');

    let without_hash = base.join(&name).as_os_str().len();
    let length = (without_hash + HASH_CHARACTERS).next_multiple_of(PATH_LENGTH) - without_hash + name.len();
    let mut hash = blake3::Hasher::new()
        .update(repository.as_os_str().as_encoded_bytes())
        .finalize_xof();
    while name.len() < length {
        let mut byte = [0];
        hash.fill(&mut byte);
        name.push_str(&format!("{:02x}", byte[0]));
    }
    name.truncate(length);
    name
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_path_of_every_repositorys_cache_has_the_same_length() {
        let folder = tempfile::tempdir().unwrap();
        let length = |base: &str, repository: &str| {
            let cache = RepositoryCache::below(&folder.path().join(base), Path::new(repository)).unwrap();
            assert!(cache.root().is_dir());
            cache.root().as_os_str().len()
        };
        for repository in ["/a", "/work/a-library", &format!("/{}", "é".repeat(120)), "/"] {
            for base in ["c", "cache/of/lito", "nine-more"] {
                assert_eq!(length(base, repository), PATH_LENGTH, "{base} {repository}");
            }
            assert_eq!(length(&"far/away/".repeat(15), repository), 2 * PATH_LENGTH);
        }
    }

    #[test]
    fn a_link_to_the_folder_leads_to_the_same_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (base, link) = (folder.path().join("base"), folder.path().join("link-to-base"));
        std::fs::create_dir(&base).unwrap();
        std::os::unix::fs::symlink(&base, &link).unwrap();
        let [direct, followed] = [&base, &link].map(|base| RepositoryCache::below(base, Path::new("/a")).unwrap());
        assert_eq!(direct, followed);
        let other = RepositoryCache::below(&base, Path::new("/b/a")).unwrap();
        assert_ne!(direct, other, "two repositories of one name");
    }
}
