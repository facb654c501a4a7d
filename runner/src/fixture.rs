//! Small cargo packages for tests, really built, into one shared target folder.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use crate::benchmark::BenchmarkDefinition;
use crate::build::{self, BuildContext, BuildError, BuildOutput, BuildPurpose, RepositoryCache};
use crate::frameworks::{self, BenchmarkDiscovery};
use crate::process::InterruptionFlag;
use crate::toolchain::{self, RustCompiler};

/// A library with one function that costs 15 instructions per 4 elements, and whose set-up costs 13 per element.
pub(crate) const LIBRARY: &str = "
    #[inline(never)]
    pub fn work(v: &[u32]) -> u32 {
        let mut h = 7u32;
        for x in v { h = h.rotate_left(5) ^ x; h = h.wrapping_mul(0x9E37_79B9); }
        h
    }
    pub fn setup(n: u32) -> Vec<u32> {
        let mut s = 1u32;
        (0..n).map(|i| { s ^= s << 13; s ^= s >> 17; s ^= s << 5; s ^ i }).collect()
    }
";

/// Folders of one test: `tree` is the version; there is room for a harness beside it.
pub(crate) struct CargoFixture {
    folder: tempfile::TempDir,
    cache: RepositoryCache,
    compiler: RustCompiler,
    interruption: InterruptionFlag,
    /// Time of the version's commit.
    pub(crate) committed_at: Option<i64>,
    // Cargo cleans by name: two tests with one build folder would remove each other's programs.
    _turn: Option<std::fs::File>,
}

impl CargoFixture {
    /// A package `subject` with [`LIBRARY`] and these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = RepositoryCache::below(&folder.path().join("cache"), folder.path()).unwrap();
        Self::with_cache(folder, cache, files, None)
    }

    /// A package with a build folder that outlives the test, so that a framework is built once.
    pub(crate) fn with_shared_cache(name: &str, files: &[(&str, &str)]) -> Self {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-cache");
        let cache = RepositoryCache::below(&base, Path::new(name)).unwrap();
        let turn = std::fs::File::create(cache.root().with_extension("turn")).unwrap();
        turn.lock().unwrap();
        Self::with_cache(tempfile::tempdir().unwrap(), cache, files, Some(turn))
    }

    fn with_cache(
        folder: tempfile::TempDir,
        cache: RepositoryCache,
        files: &[(&str, &str)],
        turn: Option<std::fs::File>,
    ) -> Self {
        let interruption = InterruptionFlag::default();
        let compiler = toolchain::compiler(folder.path(), &interruption).unwrap();
        let fixture = Self {
            folder,
            cache,
            compiler,
            interruption,
            committed_at: None,
            _turn: turn,
        };
        let manifest = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
        fixture.write("tree/Cargo.toml", manifest);
        fixture.write("tree/src/lib.rs", LIBRARY);
        for (path, content) in files {
            fixture.write(&format!("tree/{path}"), content);
        }
        fixture
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn build(&self, definition: &BenchmarkDefinition) -> Result<BuildOutput, BuildError> {
        self.with_build_context(|site| build::build(definition, site))
    }

    pub(crate) fn list(&self, definition: &BenchmarkDefinition) -> BenchmarkDiscovery {
        self.with_build_context(|site| {
            frameworks::list_benchmarks(definition, &build::build(definition, site).unwrap(), site)
        })
        .unwrap()
    }

    pub(crate) fn with_build_context<T>(&self, act: impl FnOnce(&BuildContext<'_>) -> T) -> T {
        let tree = self.path("tree");
        act(&BuildContext {
            tree: &tree,
            repository: &tree,
            cache: &self.cache,
            committed_at: self.committed_at,
            compiler: &self.compiler,
            purpose: BuildPurpose::Costs,
            is_working_copy: false,
            records_commands: false,
            interruption: &self.interruption,
        })
    }
}

/// The manifest of the package `subject` with further lines.
pub(crate) fn manifest(more: &str) -> String {
    format!("[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n{more}")
}
