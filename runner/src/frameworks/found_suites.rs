//! The sources of a repository → the suites of benchmarks in it, as commands that start them. Nothing is built or run.

use std::fs;
use std::path::Path;

use super::FRAMEWORKS;

/// Bytes of a source that is read, at most.
const MOST_BYTES: u64 = 1 << 20;

/// Folders of other projects' sources.
const OF_OTHERS: [&str; 7] = [
    "_vendor",
    "external",
    "node_modules",
    "site-packages",
    "third_party",
    "thirdparty",
    "vendor",
];

/// The files of a repository.
pub struct RepositorySources<'r> {
    root: &'r Path,
    /// Relative to the root, sorted.
    paths: Vec<String>,
}

impl<'r> RepositorySources<'r> {
    /// Those of these files, named from the root on, that are the repository's own.
    #[must_use]
    pub fn new(root: &'r Path, files: impl IntoIterator<Item = String>) -> Self {
        let is_own = |path: &String| {
            !path.chars().any(char::is_control) && !path.split('/').any(|part| OF_OTHERS.contains(&part))
        };
        let mut paths: Vec<String> = files.into_iter().filter(is_own).collect();
        paths.sort();
        Self { root, paths }
    }

    /// All paths, sorted.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> + Clone {
        self.paths.iter().map(String::as_str)
    }

    /// The text of a file; `None` if it is none, or too large.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let file = self.root.join(path);
        let about = fs::symlink_metadata(&file).ok()?;
        (about.is_file() && about.len() <= MOST_BYTES).then(|| fs::read_to_string(&file).ok())?
    }
}

/// A suite, which lists its benchmarks when it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSuite {
    /// The framework that it is started by: `pytest`.
    pub framework: &'static str,
    /// The files and folders that it stands in.
    pub places: Vec<String>,
    /// The command that builds it, as in lito.toml; empty where nothing is built.
    pub build: Vec<String>,
    /// The command that starts it, as in lito.toml.
    pub run: Vec<String>,
    /// The variables that the command needs.
    pub env: Vec<(&'static str, String)>,
    /// True for tests, which stand in where there are no benchmarks.
    pub is_of_tests: bool,
}

/// The suites of benchmarks in a repository; those of tests where there are none.
#[must_use]
pub fn find_suites(sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
    let found = FRAMEWORKS.iter().flat_map(|framework| framework.suites_in(sources));
    let (tests, benchmarks): (Vec<_>, Vec<_>) = found.partition(|suite| suite.is_of_tests);
    match benchmarks.is_empty() {
        true => tests,
        false => benchmarks,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Each suite of a repository: how it is built, its variables and its command, and `tests: ` in front of one of tests.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let paths = files.iter().map(|(path, _)| (*path).to_owned());
        let suites = find_suites(&RepositorySources::new(folder.path(), paths));
        let told = |suite: FoundSuite| {
            let tests = if suite.is_of_tests { "tests: " } else { "" };
            let env: String = (suite.env.iter())
                .map(|(name, value)| format!("{name}={value} "))
                .collect();
            let build = suite
                .build
                .last()
                .map(|script| format!("{script}: "))
                .unwrap_or_default();
            format!("{tests}{build}{env}{}", suite.run.join(" "))
        };
        suites.into_iter().map(told).collect()
    }

    const FIXTURE: &str = "def test_parse(\n    text,\n    benchmark,\n):\n    benchmark(parse, text)\n";
    const PLAIN: &str = "def test_parse():\n    benchmark = parse()\n";

    #[test]
    fn a_folder_of_benchmarks_of_pytest_is_a_suite() {
        let sources = [
            ("src/tool/__init__.py", ""),
            ("benchmarks/test_parse.py", FIXTURE),
            ("benchmarks/more/test_print.py", FIXTURE),
            ("tests/test_tool.py", PLAIN),
        ];
        assert_eq!(found(&sources), ["PYTHONPATH=src python3 -m pytest benchmarks"]);
    }

    #[test]
    fn benchmarks_among_tests_are_named_one_by_one() {
        let sources = [
            ("tool.py", ""),
            ("tests/test_speed.py", FIXTURE),
            ("tests/test_tool.py", PLAIN),
            ("bench_marked.py", "@pytest.mark.benchmark\ndef test_all():\n    pass\n"),
        ];
        assert_eq!(
            found(&sources),
            ["python3 -m pytest bench_marked.py tests/test_speed.py"]
        );
    }

    #[test]
    fn tests_stand_in_where_there_are_no_benchmarks() {
        let tests = [
            ("tool/__init__.py", ""),
            ("tool/tests/test_tool.py", PLAIN),
            ("examples/test_example.py", PLAIN),
            ("vendor/other/test_other.py", FIXTURE),
        ];
        assert_eq!(found(&tests), ["tests: python3 -m pytest tool/tests"]);
        assert!(found(&[("tool.py", "def test():\n    pass\n")]).is_empty());
    }

    #[test]
    fn suites_of_asv_and_scripts_of_pyperf_are_found() {
        let sources = [
            ("asv.conf.json", "{}"),
            ("asv_bench/asv.conf.json", "{}"),
            ("bench/parse.py", "import pyperf\nrunner = pyperf.Runner()\n"),
            ("bench/report.py", "import pyperf\nprint(pyperf.__version__)\n"),
            ("tests/test_tool.py", PLAIN),
        ];
        assert_eq!(
            found(&sources),
            [
                "python3 -m asv run",
                "python3 -m asv run --config asv_bench/asv.conf.json",
                "python3 bench/parse.py",
            ]
        );
    }

    const CONFIGURED: &str = "cmake -S . -B \"$CARGO_TARGET_DIR/cmake\" -DCMAKE_BUILD_TYPE=RelWithDebInfo";
    const BUILT: &str = "cmake --build \"$CARGO_TARGET_DIR/cmake\"";

    #[test]
    fn programs_of_google_benchmark_are_suites_of_one_build() {
        let root = "option(TOOL_BENCHMARKS \"why\" OFF)\noption(TOOL_CUDA_BENCHMARKS \"\" OFF)\nadd_subdirectory(bench)\n\
                    add_test(NAME all COMMAND tests)\n";
        let bench = "add_executable(parse_bench parse.cpp)\nadd_executable(print_bench print.cpp)\n\
                     add_executable(helper helper.cpp)\n\
                     target_link_libraries(parse_bench PRIVATE tool benchmark::benchmark)\n\
                     target_link_libraries(print_bench tool benchmark)\n";
        let build = format!(
            "{CONFIGURED} -DTOOL_BENCHMARKS=ON && {BUILT} --target parse_bench --target print_bench: target/cmake/"
        );
        let suites = |root: &str| found(&[("CMakeLists.txt", root), ("bench/CMakeLists.txt", bench)]);
        assert_eq!(
            suites(root),
            [format!("{build}bench/parse_bench"), format!("{build}bench/print_bench")]
        );
        let elsewhere = format!("{root}set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${{CMAKE_BINARY_DIR}}/bin)\n");
        assert_eq!(
            suites(&elsewhere),
            [format!("{build}bin/parse_bench"), format!("{build}bin/print_bench")]
        );
    }

    #[test]
    fn tests_of_cmake_stand_in_where_there_are_no_benchmarks() {
        let root = "project(big-tool C)\nadd_test(NAME all COMMAND tests)\noption(BIG_TOOL_BUILD_TESTS \"\" off)\n";
        assert_eq!(
            found(&[("CMakeLists.txt", root)]),
            [format!(
                "tests: {CONFIGURED} -DBIG_TOOL_BUILD_TESTS=ON && {BUILT}: ctest --test-dir target/cmake"
            )]
        );
        assert!(found(&[("CMakeLists.txt", "project(tool)\n")]).is_empty());
        assert!(
            found(&[("bindings/CMakeLists.txt", root)]).is_empty(),
            "not at the root"
        );
    }
}
