//! This machine → the fingerprint that measurements are comparable under, and what is missing for taking some.
//!
//! Looks only; the one thing that changes the machine is [`install_valgrind`].

mod findings;
mod valgrind_install;
mod workflows;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use findings::{
    EnvironmentFinding, FindingSeverity, NEEDED_SPACE, check_bench_targets, check_environment, free_space,
    valgrind_version,
};
pub use valgrind_install::{InstallError, install_valgrind};
pub use workflows::check_workflows;

use crate::build::profile_settings;
use crate::process::InterruptionFlag;
use crate::store::Environment;
use crate::toolchain::RustCompiler;

/// What instruction counts depend on besides sources and input. Equal fingerprints: comparable counts.
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
    /// `valgrind-3.19.0`; it decides which processor features programs see.
    pub profiler: String,
    /// The settings that builds are given, see [`profile_settings`].
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

    /// The same, as the store keeps it.
    #[must_use]
    pub fn to_environment(&self) -> Environment {
        let settings = self.settings.join(", ");
        let facts = self
            .parts(&settings)
            .map(|(name, value)| (name.to_owned(), value.clone()));
        Environment(facts.into_iter().collect())
    }

    /// What differs, one sentence each, this one first; empty if counts can be compared.
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
    let field = |name: &str| {
        let line = information
            .lines()
            .find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
    };
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
    let arm = || {
        Some(format!(
            "implementer {} part {}",
            field("CPU implementer")?,
            field("CPU part")?
        ))
    };
    field("model name")
        .or_else(arm)
        .or_else(of_sysctl)
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
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
    fn the_same_machine_has_the_same_fingerprint() {
        assert_eq!(fingerprint(), fingerprint());
        assert_eq!(fingerprint().to_environment().id(), fingerprint().to_environment().id());
        assert_eq!(fingerprint().differences(&fingerprint()), [""; 0]);
        assert!(!fingerprint().processor.is_empty());
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
