//! The files at the root of a repository → how a benchmark is built and run there, for the example in its lito.toml.

use std::path::Path;

/// The lines of `config/lito.toml` that show how a command is measured.
const EXAMPLE: &str = r#"#build = ["cargo", "build", "--release"]
#run = ["target/release/parse", "data/large.md"]
#subject = "parse::run"               # costs count only while this function runs
"#;

/// A way to build programs that lito does not call by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BuildSystem {
    /// As it is called.
    pub(super) name: &'static str,
    /// Files at the root of a repository, of which it has one.
    files: &'static [&'static str],
    /// The example for it. `target/` and `$CARGO_TARGET_DIR` are one folder, which all versions share.
    example: &'static str,
}

/// The first of which a file is there counts: a project of Python may have a Makefile for its chores.
const BUILD_SYSTEMS: [BuildSystem; 4] = [
    BuildSystem {
        name: "CMake",
        files: &["CMakeLists.txt"],
        example: r#"#build = ["sh", "-c", '''
#cmake -S . -B "$CARGO_TARGET_DIR/cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo
#cmake --build "$CARGO_TARGET_DIR/cmake" --target bench''']
#run = ["target/cmake/bench"]
#subject = "parse"                    # costs count only while this function runs; leave it and `name` out for a program of
#                                     # Google Benchmark, GoogleTest or Catch2, which lists its tests itself, or for
#                                     # ["ctest", "--test-dir", "target/cmake"]
"#,
    },
    BuildSystem {
        name: "Meson",
        files: &["meson.build"],
        example: r#"#build = ["sh", "-c", '''
#test -d "$CARGO_TARGET_DIR/meson" || meson setup --buildtype debugoptimized "$CARGO_TARGET_DIR/meson"
#meson compile -C "$CARGO_TARGET_DIR/meson" bench''']
#run = ["target/meson/bench"]
#subject = "parse"                    # costs count only while this function runs; leave it and `name` out for a program of
#                                     # Google Benchmark, GoogleTest or Catch2, which lists its tests itself
"#,
    },
    BuildSystem {
        name: "Python",
        files: &["pyproject.toml", "setup.py", "setup.cfg"],
        example: r#"#run = ["python3", "benchmarks/parse.py", "{iterations}"]   # a suite without `name`: ["python3", "-m", "pytest", "benchmarks"]
#                                     # or ["python3", "-m", "asv"], or a script of pyperf
#iterations = 1                       # costs of one more iteration count, those of the start do not
"#,
    },
    BuildSystem {
        name: "make",
        files: &["Makefile", "GNUmakefile", "makefile"],
        example: r#"#build = ["make", "CFLAGS=-O2 -g", "bench"]
#run = ["./bench"]
#subject = "parse"                    # costs count only while this function runs
"#,
    },
];

/// The build system of a repository without a manifest of cargo at its root.
pub(super) fn of_repository(root: &Path) -> Option<&'static BuildSystem> {
    let has = |file: &&str| root.join(file).is_file();
    let is_used = |system: &&BuildSystem| system.files.iter().any(has);
    (!has(&"Cargo.toml"))
        .then(|| BUILD_SYSTEMS.iter().find(is_used))
        .flatten()
}

impl BuildSystem {
    /// The documented settings with the example of this build system.
    pub(super) fn settings(self, documented: &str) -> String {
        documented.replace(EXAMPLE, self.example)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use engine::settings::{FILE, Settings};

    use super::super::DOCUMENTED;
    use super::*;

    /// The settings with the lines of the example for commands as they are written without `#`.
    fn with_example(settings: &str) -> String {
        let (before, example) = settings
            .split_once("#[[benchmarks]]\n#adapter = \"command\"\n")
            .unwrap();
        let (example, after) = example.split_once("\n\n").unwrap();
        let lines: Vec<&str> = example
            .lines()
            .map(|line| line.strip_prefix('#').unwrap_or(line))
            .collect();
        format!(
            "{before}[[benchmarks]]\nadapter = \"command\"\n{}\n\n{after}",
            lines.join("\n")
        )
    }

    #[test]
    fn each_build_system_has_an_example_that_is_read_as_it_is_written() {
        for system in BUILD_SYSTEMS {
            let settings = system.settings(DOCUMENTED);
            assert_ne!(settings, DOCUMENTED, "{}", system.name);
            for text in [&settings, &with_example(&settings)] {
                let folder = tempfile::tempdir().unwrap();
                std::fs::write(folder.path().join(FILE), text).unwrap();
                let read = Settings::read(folder.path());
                assert!(read.is_ok(), "{}: {:?}", system.name, read.err());
            }
        }
    }

    #[test]
    fn a_manifest_of_cargo_comes_first_and_a_makefile_last() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(of_repository(folder.path()), None);
        let files = [
            ("Makefile", Some("make")),
            ("pyproject.toml", Some("Python")),
            ("CMakeLists.txt", Some("CMake")),
            ("Cargo.toml", None),
        ];
        for (file, expected) in files {
            std::fs::write(folder.path().join(file), "").unwrap();
            assert_eq!(
                of_repository(folder.path()).map(|system| system.name),
                expected,
                "{file}"
            );
        }
    }
}
