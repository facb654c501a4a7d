//! One commit of ten lines in repositories of 10 thousand, 100 thousand and a million lines: the cost should be
//! that of the commit.

use std::fmt::Write as _;
use std::path::Path;

use criterion::Criterion;

use super::measure::{for_processes, git, lito, median, print_ratio, run};

/// A file of a usual size.
const LINES_OF_A_FILE: usize = 500;

/// Files of one folder, as in a crate's `src`.
const FILES_OF_A_FOLDER: usize = 20;

/// Lines of one function of a file.
const LINES_OF_A_FUNCTION: usize = 10;

/// Functions that the scored commit changes, one line in each.
const CHANGED: usize = 10;

/// `lito score HEAD` in each.
pub(crate) fn score(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("repository");
    for_processes(&mut group);
    let times = [10_000, 100_000, 1_000_000].map(|lines| {
        let folder = tempfile::tempdir().unwrap();
        generate(folder.path(), lines);
        median(&mut group, &format!("{lines} lines"), || {
            run(lito(folder.path(), "HEAD"));
        })
    });
    group.finish();
    print_ratio("100,000 lines / 10,000 lines", times[1], times[0]);
    print_ratio("1,000,000 lines / 10,000 lines", times[2], times[0]);
}

/// A package of so many lines, the same each time, and a commit on top that changes ten.
fn generate(folder: &Path, lines: usize) {
    run(git(folder, &["init", "--quiet"]));
    std::fs::write(
        folder.join("Cargo.toml"),
        "[package]\nname = \"large\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )
    .unwrap();
    let files = lines / LINES_OF_A_FILE;
    let mut modules = String::new();
    for module in 0..files.div_ceil(FILES_OF_A_FOLDER) {
        writeln!(modules, "mod part_{module};").unwrap();
        let inside = folder.join(format!("src/part_{module}"));
        std::fs::create_dir_all(&inside).unwrap();
        let count = FILES_OF_A_FOLDER.min(files - module * FILES_OF_A_FOLDER);
        let names: String = (0..count).map(|file| format!("mod file_{file};\n")).collect();
        std::fs::write(inside.join("mod.rs"), names).unwrap();
        for file in 0..count {
            let content = source(module * FILES_OF_A_FOLDER + file, 0);
            std::fs::write(inside.join(format!("file_{file}.rs")), content).unwrap();
        }
    }
    std::fs::write(folder.join("src/lib.rs"), modules).unwrap();
    commit(folder);
    std::fs::write(folder.join("src/part_0/file_0.rs"), source(0, CHANGED)).unwrap();
    commit(folder);
}

/// A file of functions, the first `changed` of them with another bound of their loop.
fn source(number: usize, changed: usize) -> String {
    let mut text = String::new();
    for function in 0..LINES_OF_A_FILE / LINES_OF_A_FUNCTION {
        let bound = if function < changed { 200 } else { 100 };
        let called = (function + 1) % (LINES_OF_A_FILE / LINES_OF_A_FUNCTION);
        write!(
            text,
            "pub fn function_{number}_{function}(input: &[u64]) -> u64 {{\n\
            \x20   let mut sum = {number};\n\
            \x20   for value in input.iter().take({bound}) {{\n\
            \x20       if value % 3 == 0 {{\n\
            \x20           sum += function_{number}_{called}(&input[1..]);\n\
            \x20       }}\n\
            \x20   }}\n\
            \x20   sum\n\
            }}\n\n"
        )
        .unwrap();
    }
    text
}

fn commit(folder: &Path) {
    run(git(folder, &["add", "--all"]));
    run(git(
        folder,
        &[
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@localhost",
            "-c",
            "commit.gpgsign=false",
            "commit",
            "--quiet",
            "--message=x",
        ],
    ));
}
