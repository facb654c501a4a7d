//! The recipes of the book that need more than this machine, to be run as they are written.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::needs;
use super::repository::{LitoOutput, answer};

/// The blocks of shell commands in a section of a page below `docs/src`.
pub(crate) fn recipes(page: &str, section: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src").join(page);
    let text = fs::read_to_string(page).unwrap();
    let (_, section) = text.split_once(&format!("\n## {section}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

/// Runs a recipe as a user does who has lito, in a folder and with these variables.
pub(crate) fn follow(recipe: &str, folder: &Path, variables: &[(&str, &str)]) -> LitoOutput {
    needs::program("valgrind");
    let lito = assert_cmd::cargo::cargo_bin("lito");
    let programs = env::var_os("PATH").unwrap();
    let mut path = vec![lito.parent().unwrap().to_owned()];
    path.extend(env::split_paths(&programs));
    let mut shell = Command::new("bash");
    shell
        .args(["-euc", recipe])
        .current_dir(folder)
        .env("PATH", env::join_paths(path).unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(variables.iter().copied());
    answer(&shell.output().unwrap())
}
