//! The toolchain that a version is built with, however lito was started.

use std::fs;
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
