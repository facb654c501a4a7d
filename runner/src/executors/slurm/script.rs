//! An array → the scripts that Slurm runs. Lines of `#SBATCH` are defaults: variables such as `SBATCH_PARTITION` and
//! options override them.

use std::path::Path;

use super::super::{ExecutorError, TaskArray};
use crate::process::Invocation;

/// The script of each task. Slurm starts it again on another machine if its machine fails or is taken away.
pub(super) fn task(array: &TaskArray) -> Result<String, ExecutorError> {
    let command = array.command();
    check_words(&command)?;
    Ok(format!(
        "#!/bin/sh\n# One task of many, written by lito.\n#SBATCH --requeue\nexec {command} \"$SLURM_ARRAY_TASK_ID\"\n"
    ))
}

/// The script of a command that runs once, in the array's folder.
pub(super) fn following(array: &TaskArray, command: &Invocation) -> Result<String, ExecutorError> {
    check_words(command)?;
    let directory = Invocation::new("cd", &array.directory, command.time_limit).arguments([&array.directory]);
    check_words(&directory)?;
    Ok(format!(
        "#!/bin/sh\n# What follows the tasks, written by lito.\n{directory} &&\nexec {command}\n"
    ))
}

/// A word that is shown otherwise than it is must not become a part of a script.
fn check_words(command: &Invocation) -> Result<(), ExecutorError> {
    let words = std::iter::once(&command.program).chain(&command.arguments);
    match words.into_iter().find(|word| word.to_str().is_none()) {
        Some(word) => Err(ExecutorError::Path(Path::new(word).to_owned())),
        None => Ok(()),
    }
}

/// Numbers as `--array` takes them: `1-4,7`.
pub(super) fn numbers(tasks: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &task in tasks {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == task => *last = task,
            _ => ranges.push((task, task)),
        }
    }
    let written = ranges.iter().map(|&(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    written.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    fn array(program: &str, arguments: &[&str]) -> TaskArray {
        TaskArray {
            name: "lito-test".to_owned(),
            folder: "/a".into(),
            directory: "/a".into(),
            program: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
        }
    }

    #[test]
    fn words_of_the_command_stay_words_of_the_script() {
        let script = task(&array(
            "/opt/my tools/lito",
            &["sample", "--bench", "a$(touch b)", "--task"],
        ))
        .unwrap();
        let command = script.lines().last().unwrap();
        assert_eq!(
            command,
            "exec '/opt/my tools/lito' sample --bench 'a$(touch b)' --task \"$SLURM_ARRAY_TASK_ID\""
        );
    }

    #[test]
    fn a_path_that_no_script_can_name_is_refused() {
        let mut array = array("lito", &[]);
        array.arguments.push(OsString::from_vec(vec![b'a', 0xff]));
        let refused = task(&array).unwrap_err().to_string();
        assert!(refused.contains("not UTF-8"), "{refused}");
    }

    #[test]
    fn neighbours_are_written_as_ranges() {
        assert_eq!(numbers(&[1, 2, 3, 4, 7, 9, 10]), "1-4,7,9-10");
        assert_eq!(numbers(&[5]), "5");
        assert_eq!(numbers(&[]), "");
    }
}
