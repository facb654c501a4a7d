//! Settings that every build needs → variables and arguments for cargo, on top of the user's own settings.
//!
//! The user's files are never edited. Profile settings become variables, which override the manifest's. Compiler flags
//! are added to the source of flags that the user has.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{BuildContext, BuildPurpose, ProbedRuns};
use crate::process::Invocation;

/// Keeps generic arguments in symbols, so that instances of a function can be distinguished.
const COMPILER_FLAGS: [&str; 2] = ["-C", "symbol-mangling-version=v0"];

/// Only for ELF programs: keeps the relocations, which mark the addresses in the machine code, so that two versions'
/// code can be compared. The program itself stays the same; its file grows by about two thirds, nearly all of it for
/// debug information. A linker refuses to keep relocations and to strip, so that any other request to strip is
/// overridden.
const LINKER_FLAGS: [&str; 4] = ["-C", "link-arg=-Wl,--emit-relocs", "-C", "strip=none"];

/// Hosts whose linkers support [`LINKER_FLAGS`]: GNU ld, gold, lld and mold do.
const WITH_RELOCATIONS: &str = "-linux-";

/// A project that denies warnings does not mean those of a later compiler, or those that probes cause. The compiled
/// code is the same with and without this flag.
const LINT_FLAGS: [&str; 1] = ["--cap-lints=warn"];

fn flags_for(host: &str, purpose: BuildPurpose) -> Vec<&'static str> {
    let more = match purpose {
        BuildPurpose::Costs | BuildPurpose::Counts if host.contains(WITH_RELOCATIONS) => &LINKER_FLAGS[..],
        BuildPurpose::Costs | BuildPurpose::Counts | BuildPurpose::Probes(_) => &[],
    };
    [&COMPILER_FLAGS[..], &LINT_FLAGS[..], more].concat()
}

/// Profile settings of every build: name below `CARGO_PROFILE_<PROFILE>_`, value, in this order.
///
/// Profiles are attributed by line tables with inlining (`DEBUG=1`) and by symbols. One codegen unit, because their
/// number moves instruction counts by up to 3.7%.
const PROFILE_SETTINGS: [(&str, &str); 5] = [
    ("CODEGEN_UNITS", "1"),
    ("DEBUG", "1"),
    ("INCREMENTAL", "false"),
    ("SPLIT_DEBUGINFO", "off"),
    ("STRIP", "none"),
];

/// Settings of counting programs: nothing inlined, unrolled or merged, and the same source paths executed as in an
/// optimised build.
const COUNTING_SETTINGS: [(&str, &str); 6] = [
    ("OPT_LEVEL", "0"),
    ("DEBUG", "1"),
    ("DEBUG_ASSERTIONS", "false"),
    ("OVERFLOW_CHECKS", "false"),
    ("LTO", "false"),
    ("STRIP", "none"),
];

/// Frameworks that measure themselves before they run a benchmark. Optimised in counting programs as well, they do so in 30 times
/// fewer instructions. Whatever is counted is in other crates.
const SELF_MEASURING_PACKAGES: [&str; 2] = ["divan", "codspeed-divan-compat-walltime"];

/// Settings of programs with probes: quick to build, and the same source paths executed as in an optimised build. The
/// counts do not depend on how the program is compiled.
const PROBE_SETTINGS: [(&str, &str); 6] = [
    ("OPT_LEVEL", "1"),
    ("DEBUG", "0"),
    ("CODEGEN_UNITS", "16"),
    ("DEBUG_ASSERTIONS", "false"),
    ("OVERFLOW_CHECKS", "false"),
    ("LTO", "false"),
];

/// Settings of programs with probes that run once: they are built in a third of the processor time.
const TIME_FRAME_SETTINGS: [(&str, &str); 5] = [
    ("OPT_LEVEL", "0"),
    ("DEBUG", "0"),
    ("DEBUG_ASSERTIONS", "false"),
    ("OVERFLOW_CHECKS", "false"),
    ("LTO", "false"),
];

/// The settings that every build is forced to use, including those of counting programs; for an environment's
/// fingerprint.
#[must_use]
pub fn profile_settings() -> Vec<String> {
    let written = |(name, value): &(&str, &str)| format!("{}={value}", name.to_lowercase());
    let counting = COUNTING_SETTINGS
        .iter()
        .map(|setting| format!("counting {}", written(setting)));
    PROFILE_SETTINGS
        .iter()
        .map(written)
        .chain([COMPILER_FLAGS.join(" ")])
        .chain(counting)
        .collect()
}

/// Additions to a cargo command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct BuildFlags {
    variables: Vec<(String, String)>,
    /// For cargo itself.
    arguments: Vec<String>,
    /// A variable that replaces the arguments if another command calls cargo.
    instead_of_arguments: Option<(String, String)>,
}

impl BuildFlags {
    pub(super) fn apply(&self, invocation: Invocation, environment: &BTreeMap<String, String>) -> Invocation {
        self.apply_variables(invocation.arguments(&self.arguments), environment)
    }

    /// For a command that may call cargo but does not take these arguments.
    pub(super) fn apply_to_command(
        &self,
        invocation: Invocation,
        environment: &BTreeMap<String, String>,
    ) -> Invocation {
        let invocation = self.apply_variables(invocation, environment);
        match &self.instead_of_arguments {
            Some((name, value)) => invocation.variable(name, value),
            None => invocation,
        }
    }

    fn apply_variables(&self, mut invocation: Invocation, environment: &BTreeMap<String, String>) -> Invocation {
        for (name, value) in environment {
            invocation = invocation.variable(name, value);
        }
        for (name, value) in &self.variables {
            invocation = invocation.variable(name, value);
        }
        invocation
    }
}

/// The additions for a build in a folder.
pub(super) fn build_flags(
    directory: &Path,
    site: &BuildContext<'_>,
    environment: &BTreeMap<String, String>,
) -> BuildFlags {
    let lookup = |name: &str| environment.get(name).cloned().or_else(|| std::env::var(name).ok());
    let ours = flags_for(&site.compiler.host, site.purpose);
    let target_flags = target_flags_are_set(directory);
    let mut flags = compiler_flags(lookup, target_flags, &site.compiler.host, &ours);
    for profile in ["BENCH", "RELEASE"] {
        for (name, value) in PROFILE_SETTINGS {
            flags
                .variables
                .push((format!("CARGO_PROFILE_{profile}_{name}"), value.to_owned()));
        }
        let more: &[(&str, &str)] = match site.purpose {
            BuildPurpose::Costs => &[],
            BuildPurpose::Counts => &COUNTING_SETTINGS,
            BuildPurpose::Probes(ProbedRuns::All) => &PROBE_SETTINGS,
            BuildPurpose::Probes(ProbedRuns::TimeFramesOnly) => &TIME_FRAME_SETTINGS,
        };
        for (name, value) in more {
            flags
                .variables
                .push((format!("CARGO_PROFILE_{profile}_{name}"), (*value).to_owned()));
        }
        if site.purpose == BuildPurpose::Counts {
            // Of a package, cargo takes no variables.
            let optimised = SELF_MEASURING_PACKAGES.iter().flat_map(|package| {
                let setting = format!("profile.{}.package.{package}.opt-level=3", profile.to_lowercase());
                ["--config".to_owned(), setting]
            });
            flags.arguments.extend(optimised);
        }
    }
    flags.variables.push(("CARGO_INCREMENTAL".to_owned(), "0".to_owned()));
    flags
}

/// Cargo takes flags from the first of these that is set: `CARGO_ENCODED_RUSTFLAGS`, `RUSTFLAGS`, all matching
/// `target.*.rustflags` together, `build.rustflags`. Lito's are added to the one in effect.
fn compiler_flags(
    lookup: impl Fn(&str) -> Option<String>,
    target_flags: bool,
    host: &str,
    ours: &[&str],
) -> BuildFlags {
    let mut flags = BuildFlags::default();
    if let Some(encoded) = lookup("CARGO_ENCODED_RUSTFLAGS") {
        let separator = if encoded.is_empty() { "" } else { "\u{1f}" };
        let value = format!("{encoded}{separator}{}", ours.join("\u{1f}"));
        flags.variables.push(("CARGO_ENCODED_RUSTFLAGS".to_owned(), value));
    } else if let Some(plain) = lookup("RUSTFLAGS") {
        let value = format!("{plain} {}", ours.join(" "));
        flags.variables.push(("RUSTFLAGS".to_owned(), value.trim().to_owned()));
    } else {
        let of_target = format!(
            "CARGO_TARGET_{}_RUSTFLAGS",
            host.to_uppercase().replace(['-', '.'], "_")
        );
        let quoted: Vec<String> = ours.iter().map(|flag| format!("\"{flag}\"")).collect();
        let quoted = quoted.join(",");
        // Cargo appends a variable's flags to those of its files.
        let (place, variable) = if target_flags || lookup(&of_target).is_some() {
            (format!("target.{host}"), of_target)
        } else {
            ("build".to_owned(), "CARGO_BUILD_RUSTFLAGS".to_owned())
        };
        flags.arguments = vec!["--config".to_owned(), format!("{place}.rustflags=[{quoted}]")];
        let value = format!("{} {}", lookup(&variable).unwrap_or_default(), ours.join(" "));
        flags.instead_of_arguments = Some((variable, value.trim().to_owned()));
    }
    flags
}

/// Part of the flags `target-cpu=native` of the compiler and `-march=native` of C compilers.
pub(crate) const NATIVE: &str = "native";

/// True if flags that a build in this folder may take name the processor of this machine as their target: in variables
/// and in cargo's configuration. A build script that asks for it by itself is not seen.
#[must_use]
pub fn builds_for_this_processor(directory: &Path) -> bool {
    let is_native = |name: &OsStr, value: &OsStr| {
        let name = name.to_string_lossy();
        name.ends_with("FLAGS") && value.to_string_lossy().contains(NATIVE)
    };
    std::env::vars_os().any(|(name, value)| is_native(&name, &value))
        || configuration_files(directory).any(|file| {
            // A file that can't be read may ask for anything, but cargo refuses it, too.
            std::fs::read_to_string(file).is_ok_and(|text| text.contains(NATIVE))
        })
}

/// True if one of the configuration files that cargo reads in a folder has flags for some target.
fn target_flags_are_set(directory: &Path) -> bool {
    configuration_files(directory).any(|file| {
        std::fs::read_to_string(file)
            .ok()
            .and_then(|text| text.parse::<toml::Table>().ok())
            .and_then(|table| table.get("target")?.as_table().cloned())
            .is_some_and(|targets| targets.values().any(|target| target.get("rustflags").is_some()))
    })
}

/// Files from which cargo reads its configuration in a folder, whether they exist or not.
fn configuration_files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let folders = directory.ancestors().map(|folder| folder.join(".cargo")).chain(home);
    let files = folders.flat_map(|folder| [folder.join("config.toml"), folder.join("config")]);
    files.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "x86_64-unknown-linux-gnu";

    #[test]
    fn settings_of_either_purpose_are_in_the_fingerprint() {
        let settings = profile_settings();
        for setting in [
            "codegen_units=1",
            "counting opt_level=0",
            "-C symbol-mangling-version=v0",
        ] {
            assert!(settings.iter().any(|s| s == setting), "{settings:?}");
        }
    }

    fn with(variables: &[(&str, &str)], target_flags: bool) -> BuildFlags {
        let lookup = |name: &str| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| (*value).to_owned())
        };
        compiler_flags(lookup, target_flags, HOST, &flags_for(HOST, BuildPurpose::Costs))
    }

    #[test]
    fn flags_join_the_source_that_is_in_force() {
        let ours = "[\"-C\",\"symbol-mangling-version=v0\",\"--cap-lints=warn\",\"-C\",\"link-arg=-Wl,--emit-relocs\",\
                    \"-C\",\"strip=none\"]";
        assert_eq!(
            with(&[], false).arguments,
            ["--config".to_owned(), format!("build.rustflags={ours}")]
        );
        assert_eq!(
            with(&[], true).arguments,
            ["--config".to_owned(), format!("target.{HOST}.rustflags={ours}")]
        );
        assert_eq!(
            with(&[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-g")], false).arguments[1],
            format!("target.{HOST}.rustflags={ours}")
        );
        assert_eq!(
            with(&[("RUSTFLAGS", "-C target-cpu=native")], true).variables,
            [(
                "RUSTFLAGS".to_owned(),
                "-C target-cpu=native -C symbol-mangling-version=v0 --cap-lints=warn \
                 -C link-arg=-Wl,--emit-relocs -C strip=none"
                    .to_owned()
            )]
        );
        assert_eq!(
            with(&[("RUSTFLAGS", "x"), ("CARGO_ENCODED_RUSTFLAGS", "a\u{1f}b c")], true).variables,
            [(
                "CARGO_ENCODED_RUSTFLAGS".to_owned(),
                "a\u{1f}b c\u{1f}-C\u{1f}symbol-mangling-version=v0\u{1f}--cap-lints=warn\u{1f}-C\u{1f}\
                 link-arg=-Wl,--emit-relocs\u{1f}-C\u{1f}strip=none"
                    .to_owned()
            )]
        );
    }

    #[test]
    fn linkers_of_other_systems_are_not_asked_for_relocations() {
        let lookup = |name: &str| (name == "RUSTFLAGS").then(String::new);
        let flags = compiler_flags(
            lookup,
            false,
            "aarch64-apple-darwin",
            &flags_for("aarch64-apple-darwin", BuildPurpose::Costs),
        );
        assert_eq!(flags.variables[0].1, "-C symbol-mangling-version=v0 --cap-lints=warn");
    }
}
