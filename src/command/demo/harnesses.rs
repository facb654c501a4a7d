//! The benchmarks that the demonstration runs, one package a library, as they lie in `config/demo`.

/// The files of a package: path and text.
pub(super) type HarnessFiles = &'static [(&'static str, &'static str)];

/// Files of a package in `config/demo`, read through the links of `config/embedded`: cargo publishes no folder that has a
/// `Cargo.toml` of its own, but the files that a link leads to.
macro_rules! files {
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

/// Every library that there are benchmarks for, the default first.
const LIBRARIES: [(&str, HarnessFiles); 5] = [
    (
        "semver",
        files!(
            "semver",
            "src/lib.rs",
            "src/bin/matching.rs",
            "src/bin/ordering.rs",
            "src/bin/parse_requirement.rs",
            "src/bin/parse_version.rs"
        ),
    ),
    (
        "httparse",
        files!(
            "httparse",
            "src/lib.rs",
            "src/bin/chunk_size.rs",
            "src/bin/request.rs",
            "src/bin/response.rs"
        ),
    ),
    (
        "memchr",
        files!(
            "memchr",
            "src/lib.rs",
            "src/bin/backwards.rs",
            "src/bin/dense.rs",
            "src/bin/sparse.rs",
            "src/bin/three.rs"
        ),
    ),
    (
        "hashbrown",
        files!(
            "hashbrown",
            "src/lib.rs",
            "src/bin/insert.rs",
            "src/bin/iteration.rs",
            "src/bin/lookup.rs",
            "src/bin/removal.rs"
        ),
    ),
    (
        "smallvec",
        files!(
            "smallvec",
            "src/lib.rs",
            "src/bin/editing.rs",
            "src/bin/extending.rs",
            "src/bin/pushing.rs"
        ),
    ),
];

/// The benchmarks of a library.
pub(super) fn of(library: &str) -> Option<HarnessFiles> {
    LIBRARIES
        .iter()
        .find(|(name, _)| *name == library)
        .map(|(_, files)| *files)
}

/// The libraries that there are benchmarks for.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_benchmark_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/demo");
        let there: BTreeSet<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(there, names().map(str::to_owned).collect());
        for (library, files) in LIBRARIES {
            let binaries = fs::read_dir(folder.join(library).join("src/bin")).unwrap().count();
            let embedded = files.iter().filter(|(path, _)| path.starts_with("src/bin/")).count();
            assert_eq!(embedded, binaries, "{library}");
            assert!(
                files
                    .iter()
                    .any(|(path, text)| *path == "Cargo.toml" && text.contains(library))
            );
        }
    }

    #[test]
    fn benchmarks_differ_so_that_the_linker_merges_none() {
        for (library, files) in LIBRARIES {
            let subjects: BTreeSet<&str> = files
                .iter()
                .filter_map(|(_, text)| text.split("pub fn subject").nth(1)?.split("fn main").next())
                .collect();
            let binaries = files.iter().filter(|(path, _)| path.starts_with("src/bin/")).count();
            assert_eq!(subjects.len(), binaries, "{library}");
        }
    }
}
