//! This machine → the fingerprint under which measurements are comparable, and findings on missing tools.
//!
//! Reads only; [`install_valgrind`] is the only function that changes the machine.

mod findings;
mod gitlab_stages;
mod valgrind_install;
mod workflows;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use findings::{
    BENCHMARKS, EnvironmentFinding, FindingSeverity, NEEDED_SPACE, check_bench_targets, check_environment, free_space,
    valgrind_version,
};
pub use gitlab_stages::gitlab_stages;
pub use valgrind_install::{InstallError, install_valgrind};
pub use workflows::check_workflows;

use crate::build::profile_settings;
use crate::process::InterruptionFlag;
use crate::store::Environment;
use crate::toolchain::RustCompiler;

/// Everything that instruction counts depend on besides sources and input. Counts under equal fingerprints are
/// comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentFingerprint {
    /// `linux`, `macos`.
    pub system: String,
    /// The processor's model: libraries choose code by its features at run time.
    pub processor: String,
    /// `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub compiler: String,
    /// The compiler's host triple.
    pub host: String,
    /// `valgrind-3.19.0`; it determines which processor features programs detect.
    pub profiler: String,
    /// The build settings, see [`profile_settings`].
    pub settings: Vec<String>,
}

impl EnvironmentFingerprint {
    /// The fingerprint of this machine with this compiler and valgrind.
    #[must_use]
    pub fn here(compiler: &RustCompiler, profiler: &str) -> Self {
        Self {
            system: std::env::consts::OS.to_owned(),
            processor: processor(),
            compiler: compiler.version.clone(),
            host: compiler.host.clone(),
            profiler: profiler.to_owned(),
            settings: profile_settings(),
        }
    }

    /// Converts to the store's representation.
    #[must_use]
    pub fn to_environment(&self) -> Environment {
        let settings = self.settings.join(", ");
        let facts = self
            .parts(&settings)
            .map(|(name, value)| (name.to_owned(), value.clone()));
        Environment(facts.into_iter().collect())
    }

    /// The differences, one sentence each, with this fingerprint's value first; empty if counts are comparable.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let (settings, others) = (self.settings.join(", "), other.settings.join(", "));
        let pairs = self.parts(&settings).into_iter().zip(other.parts(&others));
        let different = pairs.filter(|((_, here), (_, there))| here != there);
        different
            .map(|((what, here), (_, there))| format!("{what}: {here} here, {there} there"))
            .collect()
    }

    fn parts<'a>(&'a self, settings: &'a String) -> [(&'static str, &'a String); 6] {
        [
            ("system", &self.system),
            ("processor", &self.processor),
            ("compiler", &self.compiler),
            ("host", &self.host),
            ("profiler", &self.profiler),
            ("build settings", settings),
        ]
    }
}

fn processor() -> String {
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
    use super::*;

    fn fingerprint() -> EnvironmentFingerprint {
        let compiler = RustCompiler {
            version: "rustc 1.95.0".to_owned(),
            host: "x86_64-unknown-linux-gnu".to_owned(),
        };
        EnvironmentFingerprint::here(&compiler, "valgrind-3.19.0")
    }

    #[test]
    fn a_difference_in_any_part_is_another_fingerprint_and_is_named() {
        type Change = fn(&mut EnvironmentFingerprint);
        let changes: [(&str, Change); 6] = [
            ("system", |other| other.system.push('x')),
            ("processor", |other| other.processor.push('x')),
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
