//! The compilers and the interpreter compute what is computed here.

use std::fs;
use std::path::Path;
// The compilers run here, and nothing of lito.
#[allow(clippy::disallowed_types)]
use std::process::Command;

use super::*;
use crate::random::Numbers;

/// Programs of each language.
const PROGRAMS: u64 = 12;

#[test]
fn rust_programs_compute_what_they_are_said_to() {
    compute_what_they_are_said_to(&RUST, |folder| {
        fs::write(folder.join("run.rs"), "fn main() { println!(\"{}\", k::run(1)) }").expect("it can be written");
        output(
            folder,
            &[
                "rustc",
                "--crate-type=lib",
                "--crate-name=k",
                "-Awarnings",
                "src/lib.rs",
            ],
        );
        output(folder, &["rustc", "--edition=2021", "-L.", "--extern=k", "run.rs"]);
        output(folder, &["./run"])
    });
}

#[test]
fn python_programs_compute_what_they_are_said_to() {
    compute_what_they_are_said_to(&PYTHON, |folder| {
        output(folder, &["python3", "-c", "from k.main import run; print(run(1))"])
    });
}

#[test]
fn cpp_programs_compute_what_they_are_said_to() {
    compute_what_they_are_said_to(&CPP, |folder| {
        let run =
            "#include <cstdio>\nunsigned long run(unsigned long);\nint main() { std::printf(\"%lu\", run(1)); }\n";
        fs::write(folder.join("run.cpp"), run).expect("it can be written");
        output(folder, &["c++", "-w", "src/main.cpp", "run.cpp", "-o", "run"]);
        output(folder, &["./run"])
    });
}

fn compute_what_they_are_said_to(language: &Language, run: impl Fn(&Path) -> String) {
    for number in 0..PROGRAMS {
        let program = Program::new(language, &mut Numbers::Seeded(number));
        let folder = tempfile::tempdir().expect("there is room");
        for (module, path) in language.paths.iter().enumerate() {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().expect("it is in a folder")).expect("there is room");
            fs::write(file, language.source(&program, module).text).expect("there is room");
        }
        let value = language.outcome(&program).expect("it compiles").value;
        assert_eq!(run(folder.path()).trim(), value.to_string(), "program {number}");
    }
}

#[allow(clippy::disallowed_types)]
fn output(folder: &Path, words: &[&str]) -> String {
    let run = Command::new(words[0]).args(&words[1..]).current_dir(folder).output();
    let run = run.unwrap_or_else(|error| panic!("{}: {error}", words[0]));
    assert!(
        run.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).expect("it is a number")
}
