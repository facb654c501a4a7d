//! A machine without valgrind → one with it, installed by the system's package manager if this user may call it.

use std::path::Path;
use std::time::Duration;

use super::valgrind_version;
use crate::process::{self, InterruptionFlag, Invocation, ProcessError};

/// Time limit for a package manager: generous because mirrors may be slow.
const INSTALL_LIMIT: Duration = Duration::from_secs(900);

/// Package managers in order of preference: program, commands, whether they need root.
const MANAGERS: [PackageManager; 6] = [
    PackageManager {
        program: "apt-get",
        commands: &[
            &["update"],
            &["install", "--yes", "--no-install-recommends", "valgrind"],
        ],
        root: true,
    },
    PackageManager {
        program: "dnf",
        commands: &[&["install", "--assumeyes", "valgrind"]],
        root: true,
    },
    PackageManager {
        program: "pacman",
        commands: &[&["--sync", "--refresh", "--noconfirm", "--needed", "valgrind"]],
        root: true,
    },
    PackageManager {
        program: "apk",
        commands: &[&["add", "valgrind"]],
        root: true,
    },
    PackageManager {
        program: "zypper",
        commands: &[&["--non-interactive", "install", "valgrind"]],
        root: true,
    },
    PackageManager {
        program: "brew",
        commands: &[&["install", "valgrind"]],
        root: false,
    },
];

struct PackageManager {
    program: &'static str,
    commands: &'static [&'static [&'static str]],
    root: bool,
}

/// Privileges of this user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InstallPrivilege {
    Root,
    /// `sudo` without a password.
    Sudo,
    None,
}

/// Reason why valgrind could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no supported package manager.
    #[error(
        "installing valgrind: none of these package managers is installed: {looked_for}; install valgrind 3.18 or newer by hand"
    )]
    NoManager {
        /// The package managers that were searched for.
        looked_for: String,
    },
    /// Only root may install packages.
    #[error("installing valgrind: this user may not install packages; ask for `{command}`, or run it yourself")]
    NoRight {
        /// The command to run.
        command: String,
    },
    /// The package manager failed.
    #[error("installing valgrind with `{command}`: it {ending}: {reason}; install valgrind by hand")]
    Failed {
        /// The command line.
        command: String,
        /// `exited with code 100`.
        ending: String,
        /// Its error output.
        reason: String,
    },
    /// It could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It reported success, but there is still no valgrind.
    #[error("installing valgrind: the package manager reported success, but `valgrind --version` still does not run")]
    StillMissing,
}

/// Installs valgrind unless it is present, and returns its version.
///
/// # Errors
/// Each error says what to do instead.
pub fn install_valgrind(interruption: &InterruptionFlag) -> Result<String, InstallError> {
    if let Some(version) = valgrind_version(interruption) {
        return Ok(version);
    }
    for command in commands(is_in_path, right(interruption))? {
        let (program, arguments) = command.split_first().expect("every command has a program");
        let invocation = Invocation::new(program, Path::new("/"), INSTALL_LIMIT)
            .arguments(arguments)
            .variable("DEBIAN_FRONTEND", "noninteractive");
        let finished = process::run(&invocation, interruption)?;
        // A failed refresh of the mirror list does not prevent an installation.
        let only_refreshed = arguments.last().is_some_and(|last| last == "update");
        if !finished.status.success() && !only_refreshed {
            return Err(InstallError::Failed {
                command: invocation.to_string(),
                ending: finished.ending(),
                reason: finished.stderr.last_lines(3),
            });
        }
    }
    valgrind_version(interruption).ok_or(InstallError::StillMissing)
}

fn commands(is_there: impl Fn(&str) -> bool, right: InstallPrivilege) -> Result<Vec<Vec<String>>, InstallError> {
    let Some(manager) = MANAGERS.iter().find(|manager| is_there(manager.program)) else {
        let looked_for: Vec<&str> = MANAGERS.iter().map(|manager| manager.program).collect();
        return Err(InstallError::NoManager {
            looked_for: looked_for.join(", "),
        });
    };
    let command = |arguments: &[&str], prefix: &[&str]| -> Vec<String> {
        prefix
            .iter()
            .chain(&[manager.program])
            .chain(arguments)
            .map(|word| (*word).to_owned())
            .collect()
    };
    let all = |prefix: &[&str]| {
        Ok(manager
            .commands
            .iter()
            .map(|arguments| command(arguments, prefix))
            .collect())
    };
    match right {
        _ if !manager.root => all(&[]),
        InstallPrivilege::Root => all(&[]),
        InstallPrivilege::Sudo => all(&["sudo", "-n"]),
        InstallPrivilege::None => {
            let last = manager.commands.last().expect("every manager has a command");
            Err(InstallError::NoRight {
                command: command(last, &["sudo"]).join(" "),
            })
        }
    }
}

fn is_in_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn right(interruption: &InterruptionFlag) -> InstallPrivilege {
    let answer = |program: &str, arguments: &[&str]| {
        let invocation = Invocation::new(program, Path::new("/"), super::findings::QUESTION_LIMIT).arguments(arguments);
        process::run(&invocation, interruption)
            .ok()
            .filter(|finished| finished.status.success())
    };
    if answer("id", &["-u"]).is_some_and(|finished| finished.stdout.text().trim() == "0") {
        InstallPrivilege::Root
    } else if answer("sudo", &["-n", "true"]).is_some() {
        InstallPrivilege::Sudo
    } else {
        InstallPrivilege::None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn joined(program: &str, right: InstallPrivilege) -> Result<Vec<String>, InstallError> {
        Ok(commands(|name| name == program, right)?
            .iter()
            .map(|command| command.join(" "))
            .collect())
    }

    #[test]
    fn each_package_manager_is_called_in_its_own_way() {
        let apt = joined("apt-get", InstallPrivilege::Root).unwrap();
        assert_eq!(
            apt,
            [
                "apt-get update",
                "apt-get install --yes --no-install-recommends valgrind"
            ]
        );
        assert_eq!(
            joined("dnf", InstallPrivilege::Sudo).unwrap(),
            ["sudo -n dnf install --assumeyes valgrind"]
        );
        assert_eq!(
            joined("brew", InstallPrivilege::None).unwrap(),
            ["brew install valgrind"]
        );
    }

    #[test]
    fn without_the_right_the_command_is_named() {
        let error = joined("apk", InstallPrivilege::None).unwrap_err().to_string();
        assert!(error.contains("sudo apk add valgrind"), "{error}");
        let error = joined("none of them", InstallPrivilege::Root).unwrap_err().to_string();
        assert!(error.contains("apt-get") && error.contains("by hand"), "{error}");
    }
}
