//! This machine → the fingerprint under which measurements are comparable, and findings on missing tools.
//!
//! Reads only; [`install_valgrind`] is the only function that changes the machine.

mod findings;
mod gitlab_stages;
mod valgrind_install;
mod workflows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub use findings::{
    BENCHMARKS, EnvironmentFinding, FindingSeverity, NEEDED_SPACE, OF_RUST, check_bench_targets, check_environment,
    free_space, valgrind_version,
};
pub use gitlab_stages::gitlab_stages;
pub use valgrind_install::{InstallError, install_valgrind};
pub use workflows::check_workflows;

use crate::build::{builds_for_this_processor, profile_settings};
use crate::process::InterruptionFlag;
use crate::profilers::Profiler;
use crate::store::Environment;
use crate::toolchain::RustCompiler;

/// Everything that instruction counts depend on besides sources and input. Counts under equal fingerprints are
/// comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFingerprint {
    /// `linux`, `macos`.
    pub system: String,
    /// The machine that the profiler presents to programs, see [`Profiler::machine`]; the processor's model as well if
    /// the compiler builds for it.
    pub machine: MachineFacts,
    /// `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub compiler: String,
    /// The compiler's host triple.
    pub host: String,
    /// `valgrind-3.19.0`.
    pub profiler: String,
    /// The build settings, see [`profile_settings`].
    pub settings: Vec<String>,
}

/// Facts of a machine that counts depend on: name → value.
pub type MachineFacts = BTreeMap<String, String>;

/// The facts of this machine for programs that run by themselves: its processor's model.
#[must_use]
pub fn native_machine() -> MachineFacts {
    [(PROCESSOR.to_owned(), processor())].into()
}

/// Name of the fact that is the processor's model.
const PROCESSOR: &str = "processor";

impl EnvironmentFingerprint {
    /// The fingerprint of this machine with a profiler, and the compiler that builds in `directory`.
    #[must_use]
    pub fn here(
        compiler: &RustCompiler,
        profiler: &dyn Profiler,
        directory: &Path,
        interruption: &InterruptionFlag,
    ) -> Self {
        let mut machine = profiler.machine(directory, interruption);
        if builds_for_this_processor(directory) {
            machine.extend(native_machine());
        }
        Self {
            system: std::env::consts::OS.to_owned(),
            machine,
            compiler: compiler.version.clone(),
            host: compiler.host.clone(),
            profiler: profiler.version().to_owned(),
            settings: profile_settings(),
        }
    }

    /// Converts to the store's representation.
    #[must_use]
    pub fn to_environment(&self) -> Environment {
        let mut facts = self.machine.clone();
        let rest = [
            ("system", self.system.clone()),
            ("compiler", self.compiler.clone()),
            ("host", self.host.clone()),
            ("profiler", self.profiler.clone()),
            ("build settings", self.settings.join(", ")),
        ];
        facts.extend(rest.map(|(name, value)| (name.to_owned(), value)));
        Environment(facts)
    }

    /// The differences, one sentence each, with this fingerprint's value first; empty if counts are comparable.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let [here, there] = [self, other].map(|fingerprint| fingerprint.to_environment().0);
        let names: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        let value =
            |facts: &'_ BTreeMap<String, String>, name| facts.get(name).map_or("nothing", |value| value).to_owned();
        (names.into_iter())
            .filter(|name| here.get(*name) != there.get(*name))
            .map(|name| format!("{name}: {} here, {} there", value(&here, name), value(&there, name)))
            .collect()
    }
}

/// The processor's model, or its architecture where the system does not tell.
#[must_use]
pub fn processor() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of_sysctl = || {
        use crate::process::{self, Invocation};
        let invocation = Invocation::new("sysctl", Path::new("/"), findings::QUESTION_LIMIT)
            .arguments(["-n", "machdep.cpu.brand_string"]);
        let finished = process::run(&invocation, &InterruptionFlag::default()).ok()?;
        finished
            .status
            .success()
            .then(|| finished.stdout.text().trim().to_owned())
    };
    model(&information)
        .or_else(of_sysctl)
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Model of the first processor in `/proc/cpuinfo`; for an ARM core, its implementer and part number.
fn model(information: &str) -> Option<String> {
    let field = |name: &str| {
        let line = information
            .lines()
            .find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
    };
    let arm = || {
        Some(format!(
            "implementer {} part {}",
            field("CPU implementer")?,
            field("CPU part")?
        ))
    };
    field("model name").or_else(arm)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;
    use crate::profilers::callgrind::CallgrindProfiler;

    fn fingerprint() -> EnvironmentFingerprint {
        EnvironmentFingerprint {
            system: "linux".to_owned(),
            machine: [
                ("presented processor", "AVX2 0123"),
                ("loaded files", "callgrind-amd64-linux 45, libc.so.6 67"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
            compiler: "rustc 1.95.0".to_owned(),
            host: "x86_64-unknown-linux-gnu".to_owned(),
            profiler: "valgrind-3.19.0".to_owned(),
            settings: profile_settings(),
        }
    }

    #[test]
    fn a_difference_in_any_part_is_another_fingerprint_and_is_named() {
        fn push(other: &mut EnvironmentFingerprint, name: &str) {
            other.machine.entry(name.to_owned()).or_default().push('x');
        }
        type Change = fn(&mut EnvironmentFingerprint);
        let changes: [(&str, Change); 8] = [
            ("system", |other| other.system.push('x')),
            ("presented processor", |other| push(other, "presented processor")),
            ("loaded files", |other| push(other, "loaded files")),
            ("processor", |other| push(other, "processor")),
            ("compiler", |other| other.compiler.push('x')),
            ("host", |other| other.host.push('x')),
            ("profiler", |other| other.profiler.push('x')),
            ("build settings", |other| other.settings.push("x".to_owned())),
        ];
        let here = fingerprint();
        for (part, change) in changes {
            let mut other = here.clone();
            change(&mut other);
            assert_ne!(here.to_environment().id(), other.to_environment().id(), "{part}");
            let differences = here.differences(&other);
            assert!(
                differences.len() == 1 && differences[0].starts_with(&format!("{part}: ")),
                "{part}: {differences:?}"
            );
        }
        // Taken twice on one machine, counts are comparable.
        assert_eq!(here.differences(&fingerprint()), [""; 0]);
        assert_eq!(here.to_environment().id(), fingerprint().to_environment().id());
    }

    #[test]
    fn a_machine_under_valgrind_is_known_without_its_processor_unless_it_builds_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = RustCompiler {
            version: "rustc 1.95.0".to_owned(),
            host: "x86_64-unknown-linux-gnu".to_owned(),
        };
        let profiler = CallgrindProfiler::presenting("valgrind-3.19.0", fingerprint().machine);
        let here = || EnvironmentFingerprint::here(&compiler, &profiler, folder.path(), &InterruptionFlag::default());
        assert_eq!(here().machine, fingerprint().machine);
        fs::create_dir(folder.path().join(".cargo")).unwrap();
        let flags = "[build]\nrustflags = [\"-Ctarget-cpu=native\"]\n";
        fs::write(folder.path().join(".cargo/config.toml"), flags).unwrap();
        assert_eq!(here().machine.get("processor"), Some(&processor()));
    }

    #[test]
    fn the_processor_is_known_by_its_model_or_by_designer_and_part() {
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 85\nmodel name\t: Xeon(R) @ 2.00GHz\n";
        assert_eq!(model(x86).as_deref(), Some("Xeon(R) @ 2.00GHz"));
        let arm = "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm).as_deref(), Some("implementer 0x41 part 0xd0c"));
        assert_eq!(model("processor\t: 0\n"), None);
    }

    #[test]
    fn another_compiler_is_another_fingerprint_and_is_named() {
        let other = EnvironmentFingerprint {
            compiler: "rustc 1.96.0".to_owned(),
            ..fingerprint()
        };
        assert_ne!(fingerprint().to_environment().id(), other.to_environment().id());
        assert_eq!(
            fingerprint().differences(&other),
            ["compiler: rustc 1.95.0 here, rustc 1.96.0 there"]
        );
    }
}
