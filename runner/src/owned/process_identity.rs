//! This process → a text that tells it from every other; such a text → whether its process is gone.
//!
//! An id alone is given out again. With the start of the process, the boot and the namespace that ids are counted in,
//! nothing else is meant by it. Only Linux tells all of them; elsewhere no process is known to be gone.

use std::fmt;
use std::fs;

/// A process of some machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessIdentity {
    /// The id that the running kernel drew when it started.
    boot: String,
    /// The namespace of process ids.
    namespace: String,
    process: u32,
    /// Clock ticks between the boot and the start of the process.
    start: String,
}

/// Names of the lines of the text, in order.
const LINES: [&str; 4] = ["boot", "namespace", "process", "start"];

impl ProcessIdentity {
    /// This process. Facts that the system does not tell are empty.
    pub(crate) fn of_this_process() -> Self {
        let process = std::process::id();
        Self {
            boot: boot().unwrap_or_default(),
            namespace: namespace().unwrap_or_default(),
            process,
            start: start_of(process).unwrap_or_default(),
        }
    }

    /// Reads the text that [`fmt::Display`] writes; `None` if it is none, or incomplete.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut values = LINES.iter().map(|name| {
            let value = lines.next()?.strip_prefix(name)?.strip_prefix(' ')?;
            (!value.is_empty()).then(|| value.to_owned())
        });
        let mut next = || values.next().flatten();
        Some(Self {
            boot: next()?,
            namespace: next()?,
            process: next()?.parse().ok()?,
            start: next()?,
        })
    }

    /// True if it was a process that this one could see, and there is none such any more.
    pub(crate) fn is_gone(&self) -> bool {
        let is_seen_from_here = boot().as_ref() == Some(&self.boot) && namespace().as_ref() == Some(&self.namespace);
        // Where even this process is not listed, absence says nothing.
        let is_listed = start_of(std::process::id()).is_some();
        is_seen_from_here && is_listed && start_of(self.process).as_ref() != Some(&self.start)
    }
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [boot, namespace, process, start] = LINES;
        writeln!(formatter, "{boot} {}\n{namespace} {}", self.boot, self.namespace)?;
        writeln!(formatter, "{process} {}\n{start} {}", self.process, self.start)
    }
}

fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

fn namespace() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    link.to_str().map(str::to_owned)
}

/// The start of a process; `None` if there is none with this id.
fn start_of(process: u32) -> Option<String> {
    /// Number of the field, counted from the one after the program's name (proc(5)).
    const START: usize = 19;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in parentheses, and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(START).map(str::to_owned)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_process_that_runs_is_not_gone_and_one_with_its_id_and_another_start_is() {
        let this = ProcessIdentity::of_this_process();
        assert_eq!(ProcessIdentity::read(&this.to_string()), Some(this.clone()));
        assert!(!this.is_gone());
        let earlier = ProcessIdentity {
            start: String::from("1"),
            ..this
        };
        assert!(earlier.is_gone());
    }

    #[test]
    fn a_process_of_another_boot_or_namespace_is_never_known_to_be_gone() {
        let this = ProcessIdentity::of_this_process();
        let dead = ProcessIdentity {
            start: String::from("1"),
            ..this
        };
        let elsewhere = String::from("elsewhere");
        for other in [
            ProcessIdentity {
                boot: elsewhere.clone(),
                ..dead.clone()
            },
            ProcessIdentity {
                namespace: elsewhere,
                ..dead
            },
        ] {
            assert!(!other.is_gone(), "{other}");
        }
    }

    #[test]
    fn a_text_that_lacks_a_fact_names_no_process() {
        let text = ProcessIdentity::of_this_process().to_string();
        for (number, line) in text.lines().enumerate() {
            let lacking = text.replacen(line, LINES[number], 1);
            assert_eq!(ProcessIdentity::read(&lacking), None, "{lacking}");
        }
        assert_eq!(ProcessIdentity::read(""), None);
    }
}
