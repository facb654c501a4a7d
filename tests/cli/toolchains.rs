//! The toolchain that a version is built with, however lito was started.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::repository::{TestRepository, answer};

#[test]
fn a_checkout_is_not_built_with_the_toolchain_of_the_folder_that_lito_was_started_in() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("toolchain");
    let repository = TestRepository::with_library();
    repository.write(
        "lito.toml",
        &format!(
            "[[benchmarks]]\nadapter = \"command\"\nname = \"fine\"\nrun = [\"true\"]\n\
             build = [\"sh\", \"-c\", 'echo \"${{RUSTUP_TOOLCHAIN-none}}\" > {}']\n",
            note.display()
        ),
    );
    // The toolchain must be there, because rustc is asked for its version before the build. Its folder has its name.
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let sysroot = String::from_utf8(rustc.stdout).unwrap();
    let toolchain = Path::new(sysroot.trim()).file_name().unwrap().to_str().unwrap();
    for (source, expected) in [
        ("toolchain-file", "none"),
        ("default", "none"),
        ("cli", toolchain),
        ("env", toolchain),
        ("path-override", toolchain),
    ] {
        let mut command = repository.command(&["bench", "list"]);
        command
            .env("RUSTUP_TOOLCHAIN", toolchain)
            .env("RUSTUP_TOOLCHAIN_SOURCE", source);
        answer(&command.output().unwrap()).output();
        assert_eq!(fs::read_to_string(&note).unwrap().trim(), expected, "{source}");
        fs::remove_file(&note).unwrap();
    }
}

#[test]
fn a_missing_toolchain_is_named_without_frames_of_another_program() {
    let repository = TestRepository::with_library();
    let rustc = repository.cache().join("rustc");
    fs::write(
        &rustc,
        "#!/bin/sh\necho \"error: toolchain '1.2.3' is not installed\" >&2\n\
         [ -z \"$RUST_BACKTRACE$RUST_LIB_BACKTRACE\" ] || echo '   0: rustup::toolchain' >&2\nexit 1\n",
    )
    .unwrap();
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
    for command in ["bench list", "doctor"] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let mut command = repository.command(&arguments);
        command
            .env("RUSTC", &rustc)
            .env("RUST_BACKTRACE", "1")
            .env("RUST_LIB_BACKTRACE", "1");
        let answer = answer(&command.output().unwrap());
        assert_eq!(answer.code, 3, "{answer:#?}");
        let said = answer.stdout + &answer.stderr;
        assert!(said.contains("toolchain '1.2.3' is not installed"), "{said}");
        assert!(!said.contains("rustup::toolchain"), "{said}");
    }
}
