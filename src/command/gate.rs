//! `lito gate`: a version scored, measured where it is worth that, and judged.

use runner::git::Repository;

use super::verdict::{self, Asked};
use crate::cli::GateArguments;
use crate::exit::{Exit, Failure};
use crate::pipeline::Which;
use crate::settings::Settings;
use crate::terminal::Terminal;

/// Judges what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &GateArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let head = repository.resolve(&arguments.head)?;
    let base = match &arguments.base {
        Some(base) => repository.resolve(base)?,
        None => repository.base_of(head)?.ok_or_else(|| {
            Failure::usage(format_args!(
                "judging {}: it is the first version, so there is none to compare it with; name one with --base",
                head.short()
            ))
        })?,
    };
    let asked = Asked {
        base,
        head,
        which: Which::Flagged {
            audit: if arguments.no_audit {
                0.0
            } else {
                settings.gate.audit.share()
            },
        },
        measuring: &arguments.measuring,
    };
    verdict::give(repository, settings, &asked, terminal)
}
