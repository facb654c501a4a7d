//! The libraries of the demonstration: the package that publishes each one's releases, and the benchmarks that run them, as
//! they lie in `config/demo`.

use runner::release_history::PackageRegistry;

use crate::cli::DemoLanguage;

/// A library, and what `lito demo` needs to know of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct DemoLibrary {
    /// Its name.
    pub(super) name: &'static str,
    /// The language of its code.
    pub(super) language: DemoLanguage,
    /// The registry that has its releases.
    pub(super) registry: PackageRegistry,
    /// The package whose releases are its history. One of C or C++ lies in a package of Rust that wraps it.
    pub(super) package: &'static str,
    /// The files of its harness: path and text.
    pub(super) harness: &'static [(&'static str, &'static str)],
}

/// Files of a package of Rust in `config/demo`, read through the links of `config/embedded`: cargo publishes no folder that
/// has a `Cargo.toml` of its own, but the files that a link leads to.
macro_rules! package_files {
    ($library:literal, $($path:literal),+) => {
        &[
            (
                "Cargo.toml",
                include_str!(concat!("../../../config/embedded/", $library, "/manifest.toml")),
            ),
            $((
                $path,
                include_str!(concat!("../../../config/embedded/", $library, "/", $path)),
            )),+
        ]
    };
}

/// Files of a folder in `config/demo`.
macro_rules! files {
    ($library:literal, $($path:literal),+) => {
        &[$(($path, include_str!(concat!("../../../config/demo/", $library, "/", $path)))),+]
    };
}

/// Every library that there are benchmarks for, the default of each language first.
const LIBRARIES: [DemoLibrary; 8] = [
    DemoLibrary {
        name: "semver",
        language: DemoLanguage::Rust,
        registry: PackageRegistry::Cargo,
        package: "semver",
        harness: package_files!(
            "semver",
            "src/lib.rs",
            "src/bin/matching.rs",
            "src/bin/ordering.rs",
            "src/bin/parse_requirement.rs",
            "src/bin/parse_version.rs"
        ),
    },
    DemoLibrary {
        name: "httparse",
        language: DemoLanguage::Rust,
        registry: PackageRegistry::Cargo,
        package: "httparse",
        harness: package_files!(
            "httparse",
            "src/lib.rs",
            "src/bin/chunk_size.rs",
            "src/bin/request.rs",
            "src/bin/response.rs"
        ),
    },
    DemoLibrary {
        name: "memchr",
        language: DemoLanguage::Rust,
        registry: PackageRegistry::Cargo,
        package: "memchr",
        harness: package_files!(
            "memchr",
            "src/lib.rs",
            "src/bin/backwards.rs",
            "src/bin/dense.rs",
            "src/bin/sparse.rs",
            "src/bin/three.rs"
        ),
    },
    DemoLibrary {
        name: "hashbrown",
        language: DemoLanguage::Rust,
        registry: PackageRegistry::Cargo,
        package: "hashbrown",
        harness: package_files!(
            "hashbrown",
            "src/lib.rs",
            "src/bin/insert.rs",
            "src/bin/iteration.rs",
            "src/bin/lookup.rs",
            "src/bin/removal.rs"
        ),
    },
    DemoLibrary {
        name: "smallvec",
        language: DemoLanguage::Rust,
        registry: PackageRegistry::Cargo,
        package: "smallvec",
        harness: package_files!(
            "smallvec",
            "src/lib.rs",
            "src/bin/editing.rs",
            "src/bin/extending.rs",
            "src/bin/pushing.rs"
        ),
    },
    DemoLibrary {
        name: "libdeflate",
        language: DemoLanguage::C,
        registry: PackageRegistry::Cargo,
        package: "libdeflate-sys",
        harness: files!("libdeflate", "lito.toml", "build.sh", "bench.c"),
    },
    DemoLibrary {
        name: "ada",
        language: DemoLanguage::Cpp,
        registry: PackageRegistry::Cargo,
        package: "ada-url",
        harness: files!("ada", "lito.toml", "build.sh", "bench.cpp"),
    },
    DemoLibrary {
        name: "tomli",
        language: DemoLanguage::Python,
        registry: PackageRegistry::Python,
        package: "tomli",
        harness: files!("tomli", "lito.toml", "bench.py"),
    },
];

/// The library of a name.
pub(super) fn of(name: &str) -> Option<DemoLibrary> {
    LIBRARIES.into_iter().find(|library| library.name == name)
}

/// The first library of a language.
pub(super) fn of_language(language: DemoLanguage) -> DemoLibrary {
    let first = LIBRARIES.into_iter().find(|library| library.language == language);
    first.expect("every language has a library")
}

/// The names of all libraries.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    LIBRARIES.into_iter().map(|library| library.name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use clap::ValueEnum;

    use super::*;

    /// The paths of all files below a folder.
    fn files_below(folder: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                found.extend(files_below(&path).into_iter().map(|file| format!("{name}/{file}")));
            } else {
                found.insert(name);
            }
        }
        found
    }

    #[test]
    fn every_benchmark_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/demo");
        let there: BTreeSet<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(there, names().map(str::to_owned).collect());
        for library in LIBRARIES {
            let embedded = library.harness.iter().map(|(path, _)| (*path).to_owned()).collect();
            assert_eq!(files_below(&folder.join(library.name)), embedded, "{}", library.name);
        }
    }

    #[test]
    fn every_language_has_a_library() {
        for language in DemoLanguage::value_variants() {
            assert_eq!(of_language(*language).language, *language);
        }
    }

    #[test]
    fn benchmarks_differ_so_that_the_linker_merges_none() {
        for library in LIBRARIES
            .into_iter()
            .filter(|library| library.language == DemoLanguage::Rust)
        {
            let subjects: BTreeSet<&str> = (library.harness.iter())
                .filter_map(|(_, text)| text.split("pub fn subject").nth(1)?.split("fn main").next())
                .collect();
            let binaries = library
                .harness
                .iter()
                .filter(|(path, _)| path.starts_with("src/bin/"))
                .count();
            assert_eq!(subjects.len(), binaries, "{}", library.name);
        }
    }
}
