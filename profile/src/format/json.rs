//! The JSON view of a profile, contract `lito.profile/1`.
//!
//! One way only: profiles are kept in the binary format, JSON is for people and other programs. Fields may
//! be added within version 1, never changed or removed.

use serde::Serialize;

use crate::model::{Profile, Unit};

/// The contract's name and version.
pub const SCHEMA: &str = "lito.profile/1";

/// A profile as other programs see it; serialise it with `serde_json`.
#[derive(Debug, Serialize)]
pub struct View<'p> {
    schema: &'static str,
    commit: &'p str,
    benchmark: &'p str,
    unit: Unit,
    profiler: &'p str,
    exact_counts: bool,
    total: u64,
    functions: Vec<FunctionView<'p>>,
    sites: Vec<SiteView<'p>>,
    lines: Vec<LineView<'p>>,
}

#[derive(Debug, Serialize)]
struct FunctionView<'p> {
    name: &'p str,
    file: Option<&'p str>,
    line: u32,
    external: bool,
    calls: u64,
    inlined_calls: u64,
    inclusive: u64,
    #[serde(rename = "self")]
    self_cost: u64,
    estimated: bool,
}

#[derive(Debug, Serialize)]
struct SiteView<'p> {
    caller: &'p str,
    file: Option<&'p str>,
    line: u32,
    callee: &'p str,
    calls: u64,
    inclusive: u64,
    inlined: bool,
    estimated: bool,
}

#[derive(Debug, Serialize)]
struct LineView<'p> {
    file: &'p str,
    line: u32,
    executions: u64,
    #[serde(rename = "self")]
    self_cost: u64,
    estimated: bool,
}

impl<'p> View<'p> {
    /// The view of a profile taken at a commit.
    #[must_use]
    pub fn new(profile: &'p Profile, commit: &'p str) -> Self {
        let name = |id| profile.function(id).name.as_str();
        Self {
            schema: SCHEMA,
            commit,
            benchmark: &profile.benchmark,
            unit: profile.unit,
            profiler: &profile.profiler,
            exact_counts: profile.exact_counts,
            total: profile.total,
            functions: (profile.functions.iter())
                .map(|f| FunctionView {
                    name: &f.name,
                    file: f.file.map(|file| profile.file(file)),
                    line: f.line,
                    external: f.external,
                    calls: f.calls,
                    inlined_calls: f.inlined_calls,
                    inclusive: f.inclusive,
                    self_cost: f.self_cost,
                    estimated: f.estimated,
                })
                .collect(),
            sites: (profile.sites.iter())
                .map(|s| SiteView {
                    caller: name(s.caller),
                    file: s.file.map(|file| profile.file(file)),
                    line: s.line,
                    callee: name(s.callee),
                    calls: s.calls,
                    inclusive: s.inclusive,
                    inlined: s.inlined,
                    estimated: s.estimated,
                })
                .collect(),
            lines: (profile.lines.iter())
                .map(|l| LineView {
                    file: profile.file(l.file),
                    line: l.line,
                    executions: l.executions,
                    self_cost: l.self_cost,
                    estimated: l.estimated,
                })
                .collect(),
        }
    }
}
