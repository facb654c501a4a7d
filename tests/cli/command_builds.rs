//! Benchmarks of programs that a command of the user builds from a language without a front end, with a real compiler.

use serde_json::Value;

use super::gate::{replace, report};
use super::repository::{TestRepository, answer};

/// The verdict on the last version, by its instructions alone.
const GATE: [&str; 7] = [
    "gate",
    "--base",
    "HEAD~1",
    "--metric",
    "instructions",
    "--format",
    "json",
];

pub(super) const SETTINGS: &str = "[gate]
audit = \"0%\"

[[benchmarks]]
adapter = \"command\"
name = \"sum\"
build = [\"sh\", \"build.sh\"]
run = [\"target/sum\", \"20000\"]
subject = \"subject\"
";

const HEADER: &str = "#define STEP 1
static inline long twice(long x) { return 2 * x; }
";

const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include \"sum.h\"

__attribute__((noinline)) static long subject(long count) {
    long sum = 0;
    for (long i = 0; i < count; i += STEP)
        sum ^= twice(i) + sum / 3;
    return sum;
}

int main(int argc, char **argv) {
    printf(\"%ld\\n\", subject(atol(argv[1])));
}
";

/// A sampled program of C.
fn program() -> TestRepository {
    let repository = unsampled_program();
    repository.lito(&["sample"]).output();
    repository
}

fn unsampled_program() -> TestRepository {
    let repository = TestRepository::with_library();
    repository.write("lito.toml", SETTINGS);
    repository.write("sum.h", HEADER);
    repository.write("sum.c", PROGRAM);
    repository.write(
        "build.sh",
        "mkdir -p $CARGO_TARGET_DIR\ncc -O1 -g -o $CARGO_TARGET_DIR/sum sum.c\n",
    );
    repository.write("README.md", "sums\n");
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.commit("the program");
    repository
}

/// The score of HEAD.
fn score(repository: &TestRepository) -> Value {
    report(&repository.lito(&["score", "HEAD", "--format", "json"]), 0)["versions"][0].clone()
}

#[test]
fn a_change_of_what_a_command_builds_is_found_though_no_front_end_reads_it() {
    let repository = program();
    repository.write("README.md", "sums of numbers\n");
    repository.commit("document");
    assert_eq!(score(&repository)["decision"], "skip");

    for (file, from, to) in [("sum.h", "STEP 1", "STEP 2"), ("build.sh", "-O1", "-O0")] {
        replace(&repository, file, from, to);
        let scored = score(&repository);
        assert_eq!(scored["decision"], "benchmark", "{scored:#}");
        assert!(scored["reason"].to_string().contains(file), "{scored:#}");
    }
    let json = report(&repository.lito(&GATE), 1);
    assert!(
        json["benchmarks"][0]["change"]
            .as_f64()
            .is_some_and(|change| change > 0.5),
        "{json:#}"
    );
}

#[test]
fn a_program_of_c_is_judged_where_rust_is_not_installed() {
    let repository = unsampled_program();
    let lito = |arguments: &[&str]| {
        let mut command = repository.command(arguments);
        command.env("RUSTC", "/nowhere/rustc").env("CARGO", "/nowhere/cargo");
        answer(&command.output().unwrap())
    };
    for arguments in [&["doctor"][..], &["bench", "list"], &["sample"]] {
        lito(arguments).output();
    }
    replace(&repository, "sum.h", "STEP 1", "STEP 2");
    let json = report(&lito(&GATE), 0);
    assert!(
        json["benchmarks"][0]["change"]
            .as_f64()
            .is_some_and(|change| change < -0.3),
        "{json:#}"
    );
}

#[test]
fn what_a_command_does_not_read_to_build_is_no_risk() {
    let repository = program();
    for (file, content) in [
        ("CMakeLists.txt", "project(sum)\n"),
        ("docs/search.js", "search()\n"),
        ("tests/sum.c", "int main(void) { return 0; }\n"),
    ] {
        repository.write(file, content);
        repository.commit(file);
        let scored = score(&repository);
        assert_eq!(scored["decision"], "skip", "{scored:#}");
    }
    // The compiler looks for it beside the source before it takes the system's.
    repository.write("stdlib.h", "#define atol(text) 9\n");
    repository.commit("a header of its own");
    // `#include <stdlib.h>` does not look there.
    assert_eq!(score(&repository)["decision"], "skip");
    replace(&repository, "sum.c", "<stdlib.h>", "\"stdlib.h\"");
    assert_eq!(score(&repository)["decision"], "benchmark");
}

#[test]
fn a_program_that_the_build_runs_may_decide_what_is_built() {
    let repository = program();
    repository.write(
        "step.c",
        "#include <stdio.h>\nint main(void) { puts(\"#define STEP 1\"); }\n",
    );
    repository.write(
        "sum.h",
        "#include \"step.h\"\nstatic inline long twice(long x) { return 2 * x; }\n",
    );
    repository.write(
        "build.sh",
        "set -e\nmkdir -p $CARGO_TARGET_DIR\ncc -o generate step.c\n./generate > step.h\n\
         cc -O1 -g -o $CARGO_TARGET_DIR/sum sum.c\n",
    );
    repository.commit("a generator");
    repository.lito(&["sample"]).output();
    replace(&repository, "step.c", "STEP 1", "STEP 2");
    let scored = score(&repository);
    assert_eq!(scored["decision"], "benchmark", "{scored:#}");
}

/// A harness outside the repository, of two benchmarks that one command builds. It counts how often that is run.
const HARNESS: &str = "#include <string.h>
#include \"double.h\"

__attribute__((noinline, noclone)) long subject(const char *what) {
    long sum = 0;
    for (long i = 0; i < (what[0] == 'l' ? 20000 : 5000); i++)
        sum ^= twice(i);
    return sum;
}

int main(int argc, char **argv) { return argc < 2 || subject(argv[1]) == 1; }
";

#[test]
fn a_harness_of_another_language_is_a_folder_and_is_built_once_for_all_of_its_benchmarks() {
    let harness = tempfile::tempdir().unwrap();
    std::fs::write(harness.path().join("bench.c"), HARNESS).unwrap();
    let builds = harness.path().with_extension("builds");
    let build = format!(
        "echo built >> {}\ncc -O1 -g -I\"$LITO_CHECKOUT\" bench.c \"$LITO_CHECKOUT/double.c\" -o \"$CARGO_TARGET_DIR/bench\"\n",
        builds.display()
    );
    std::fs::write(harness.path().join("build.sh"), build).unwrap();
    let repository = TestRepository::unborn();
    let table = |name: &str| {
        format!(
            "[[benchmarks]]\nadapter = \"command\"\nname = \"{name}\"\nharness = \"{}\"\nbuild = [\"sh\", \"build.sh\"]\n\
             run = [\"target/bench\", \"{name}\"]\nsubject = \"subject\"\n",
            harness.path().display()
        )
    };
    repository.write("lito.toml", &[table("long"), table("short")].join("\n"));
    repository.write("double.h", "long twice(long x);\n");
    repository.write(
        "double.c",
        "#include \"double.h\"\n\nlong twice(long x) {\n    return 2 * x;\n}\n",
    );
    repository.write("notes.c", "int unused(void) { return 1; }\n");
    repository.commit("the library");
    repository.lito(&["sample"]).says(0, &["sampled"]);
    let built = std::fs::read_to_string(&builds).unwrap();
    std::fs::remove_file(&builds).unwrap();
    // Another one, for counting, would be the same: nothing of it is Rust.
    assert_eq!(built.lines().count(), 1);

    let profile = repository.lito(&["store", "show", "--bench", "long", "HEAD", "--format", "json"]);
    let profile = report(&profile, 0);
    let functions = profile["functions"].as_array().unwrap();
    let file_of = |name: &str| {
        let found = functions.iter().find(|function| function["name"] == name);
        found
            .map(|function| function["file"].as_str().unwrap().to_owned())
            .unwrap()
    };
    assert_eq!(file_of("twice"), "double.c");
    assert!(file_of("subject").starts_with("harness/"), "{}", file_of("subject"));

    replace(
        &repository,
        "double.c",
        "return 2 * x;",
        "return (x * 3 / 7) * 2 % 11 + x / 5;",
    );
    let scored = score(&repository);
    assert_eq!(scored["decision"], "benchmark", "{scored:#}");
    let judged = report(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(judged["verdict"], "regression", "{judged:#}");
    repository.write("notes.c", "int unused(void) { return 2; }\n");
    repository.commit("code that is not built");
    let scored = score(&repository);
    assert_eq!(scored["decision"], "skip", "{scored:#}");
}

#[test]
fn a_new_source_in_the_list_that_git_gives_a_build_is_run() {
    let repository = unsampled_program();
    repository.write(
        "build.sh",
        "mkdir -p $CARGO_TARGET_DIR\ncc -O1 -g -o $CARGO_TARGET_DIR/sum $(git ls-files '*.c')\n",
    );
    repository.write("src/other.c", "int other;\n");
    repository.commit("all sources");
    repository.lito(&["sample"]).output();
    repository.write("src/another.c", "int another;\n");
    repository.commit("one more");
    assert_eq!(score(&repository)["decision"], "benchmark");
    repository.write("README.md", "sums of numbers\n");
    repository.commit("document");
    assert_eq!(score(&repository)["decision"], "skip");
}
