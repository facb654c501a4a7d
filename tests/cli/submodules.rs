//! Libraries in submodules: their files belong to each version as far as the clone has them, and what lacks says how to get it.

use std::fs;

use super::claims::gate_of_pull_request;
use super::command_builds::SETTINGS;
use super::gate::report;
use super::init::init;
use super::repository::{TestRepository, git_in, lito_in};

const PROGRAM: &str = "#include <stdlib.h>
#include \"sum.h\"

__attribute__((noinline)) static long subject(long count) { return sum_below(count); }

int main(int argc, char **argv) { return subject(atol(argv[1])) == -1; }
";

const LIBRARY: &str = "#include \"sum.h\"

long sum_below(long count) {
    long sum = 0;
    for (long i = 0; i < count; i++)
        sum ^= i + sum / 3;
    return sum;
}

long unused(long a) { return a; }
";

/// A program, and the library in its submodule.
struct WithSubmodule {
    library: TestRepository,
    program: TestRepository,
}

impl WithSubmodule {
    fn new() -> Self {
        let library = TestRepository::unborn();
        library.write("sum.h", "long sum_below(long count);\nlong unused(long a);\n");
        library.write("sum.c", LIBRARY);
        library.commit("the library");
        let program = TestRepository::with_library();
        let address = format!("file://{}", library.path().display());
        program.git(&[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            &address,
            "third_party/sum",
        ]);
        program.write("lito.toml", SETTINGS);
        program.write("main.c", PROGRAM);
        program.write(
            "build.sh",
            "mkdir -p $CARGO_TARGET_DIR\nS=third_party/sum\ncc -O1 -g -I$S -o $CARGO_TARGET_DIR/sum main.c $S/sum.c\n",
        );
        program.write(".gitignore", "/target\n/Cargo.lock\n");
        program.commit("the program");
        Self { library, program }
    }

    /// Commits another text of the library there, and the new version of the library in the program.
    fn change_library(&self, from: &str, to: &str) {
        self.library.write("sum.c", &LIBRARY.replace(from, to));
        self.library.commit(to);
        let checkout = self.program.file("third_party/sum");
        git_in(&checkout, &["pull", "--quiet"]);
        self.program.commit(to);
    }

    fn decision(&self) -> String {
        let scored = report(&self.program.lito(&["score", "HEAD", "--format", "json"]), 0);
        scored["versions"][0]["decision"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_library_in_a_submodule_is_built_sampled_and_compared_like_other_sources() {
    let repository = WithSubmodule::new();
    repository.program.lito(&["sample"]).output();
    repository.change_library("{ return a; }", "{ return a + 1; }");
    assert_eq!(repository.decision(), "skip");
    repository.change_library("sum / 3", "sum / 3 / (1 + count)");
    assert_eq!(repository.decision(), "benchmark");
    let judged = repository
        .program
        .lito(&["gate", "--base", "HEAD~2", "--metric", "instructions"]);
    assert_eq!(judged.code, 1, "{judged:#?}");
    assert!(
        judged.stdout.contains("`sum_below` (third_party/sum/sum.c:5)"),
        "{judged:#?}"
    );
}

#[test]
fn a_pull_request_measures_what_a_job_without_submodules_selects() {
    let repository = WithSubmodule::new();
    repository.program.lito(&["sample"]).output();
    repository.change_library("{ return a; }", "{ return a + 1; }");
    let (answer, summary) = gate_of_pull_request(&repository.program, "");
    assert_eq!(answer.code, 0, "{answer:#?}");
    assert!(answer.stdout.contains("1 measured"), "{answer:#?} {summary}");
}

#[test]
fn a_build_without_its_submodule_says_what_to_fetch_and_is_tried_again() {
    let repository = WithSubmodule::new();
    let folder = tempfile::tempdir().unwrap();
    let source = format!("file://{}", repository.program.path().display());
    git_in(folder.path(), &["clone", "--quiet", &source, "clone"]);
    let clone = folder.path().join("clone");
    let remedy = "git submodule update --init --recursive";
    assert!(lito_in(&clone, &["doctor"]).output().contains(remedy));
    let refused = lito_in(&clone, &["sample"]);
    let said = refused.stdout.clone() + &refused.stderr;
    assert!(
        said.contains("third_party/sum") && said.contains(remedy),
        "{refused:#?}"
    );
    git_in(
        &clone,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "update",
            "--init",
            "--recursive",
        ],
    );
    assert!(!lito_in(&clone, &["doctor"]).stdout.contains(remedy));
    let sampled = lito_in(&clone, &["sample"]);
    assert!(sampled.stderr.contains("1 benchmark"), "{sampled:#?}");
}

#[test]
fn jobs_check_submodules_out_where_there_are_some() {
    let repository = TestRepository::with_library();
    let hosts = [
        ("github", ".github/workflows/lito.yml", "submodules: recursive"),
        ("github", ".github/workflows/lito-sample.yml", "submodules: recursive"),
        ("gitlab", ".gitlab/lito.yml", "GIT_SUBMODULE_STRATEGY: recursive"),
        ("forgejo", ".forgejo/workflows/lito.yml", "submodules: recursive"),
    ];
    let has = |(host, file, line): (&str, &str, &str)| {
        init(&repository, &["--ci", host]).output();
        fs::read_to_string(repository.file(file)).unwrap().contains(line)
    };
    assert!(!hosts.into_iter().any(has));
    repository.write(".gitmodules", "[submodule \"a\"]\n\tpath = a\n\turl = ../a\n");
    assert!(hosts.into_iter().all(has));
}
