//! The JSON view of a profile, contract `lito.profile/1`.
//!
//! Written only, never read: profiles are stored in the binary format, JSON is for people and other programs. Within
//! version 1, fields may be added, never changed or removed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{CostUnit, Profile};

/// The contract's name and version.
pub const SCHEMA: &str = "lito.profile/1";

/// A profile as other programs see it; serialise it with `serde_json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProfileView<'p> {
    /// [`SCHEMA`].
    schema: &'static str,
    /// The version.
    commit: &'p str,
    /// The benchmark.
    benchmark: &'p str,
    /// The unit of all costs.
    unit: CostUnit,
    /// The profiler.
    profiler: &'p str,
    /// Whether all numbers of calls and executions are exact.
    exact_counts: bool,
    /// The cost of the subject.
    total: u64,
    /// The functions that were executed.
    functions: Vec<FunctionView<'p>>,
    /// The places of calls.
    sites: Vec<SiteView<'p>>,
    /// The lines that were executed.
    lines: Vec<LineView<'p>>,
}

/// One function.
#[derive(Debug, Serialize, JsonSchema)]
struct FunctionView<'p> {
    /// The function.
    name: &'p str,
    /// The file; `null` where it is not known.
    file: Option<&'p str>,
    /// The line, 1-based; 0 where it is not known.
    line: u32,
    /// Whether it is not the project's own.
    external: bool,
    /// Number of calls.
    calls: u64,
    /// Number of those that the compiler inlined.
    inlined_calls: u64,
    /// Cost with everything that it calls.
    inclusive: u64,
    /// Cost without what it calls.
    #[serde(rename = "self")]
    self_cost: u64,
    /// Whether a cost is an estimate.
    estimated: bool,
}

/// One place of a call.
#[derive(Debug, Serialize, JsonSchema)]
struct SiteView<'p> {
    /// The function that calls.
    caller: &'p str,
    /// The file; `null` where it is not known.
    file: Option<&'p str>,
    /// The line, 1-based; 0 where it is not known.
    line: u32,
    /// The function that is called.
    callee: &'p str,
    /// Number of calls.
    calls: u64,
    /// Cost of the calls, with everything that they call.
    inclusive: u64,
    /// Whether the compiler inlined the call.
    inlined: bool,
    /// Whether the cost is an estimate.
    estimated: bool,
}

/// One line.
#[derive(Debug, Serialize, JsonSchema)]
struct LineView<'p> {
    /// The file.
    file: &'p str,
    /// The line, 1-based.
    line: u32,
    /// How often it was executed.
    executions: u64,
    /// Cost of the line itself.
    #[serde(rename = "self")]
    self_cost: u64,
    /// Whether a figure is an estimate.
    estimated: bool,
}

impl<'p> ProfileView<'p> {
    /// The view of a profile of a commit.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::ProfileView;
    use crate::model::{
        CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine,
    };

    #[test]
    fn the_view_has_the_fields_of_its_contract() {
        let function = ProfileFunction {
            name: "krate::module::Type::method".to_owned(),
            file: Some(ProfileFileId(0)),
            line: 10,
            external: false,
            calls: 400,
            inlined_calls: 0,
            inclusive: 90_000,
            self_cost: 1200,
            estimated: false,
        };
        let profile = Profile {
            benchmark: "count".to_owned(),
            unit: CostUnit::Instructions,
            profiler: "callgrind".to_owned(),
            exact_counts: true,
            total: 153_539,
            files: vec!["src/x.rs".to_owned()],
            functions: vec![function],
            sites: vec![ProfileCallSite {
                caller: ProfileFunctionId(0),
                callee: ProfileFunctionId(0),
                file: None,
                line: 0,
                calls: 400,
                inclusive: 80_000,
                inlined: false,
                estimated: false,
            }],
            lines: vec![ProfileLine {
                file: ProfileFileId(0),
                line: 12,
                executions: 400,
                self_cost: 1600,
                estimated: true,
            }],
        };
        let view = serde_json::to_value(ProfileView::new(&profile, "0a1b")).unwrap();
        let wanted = serde_json::json!({
            "schema": "lito.profile/1", "commit": "0a1b", "benchmark": "count", "unit": "instructions",
            "profiler": "callgrind", "exact_counts": true, "total": 153_539,
            "functions": [{
                "name": "krate::module::Type::method", "file": "src/x.rs", "line": 10, "external": false,
                "calls": 400, "inlined_calls": 0, "inclusive": 90_000, "self": 1200, "estimated": false
            }],
            "sites": [{
                "caller": "krate::module::Type::method", "file": null, "line": 0,
                "callee": "krate::module::Type::method", "calls": 400, "inclusive": 80_000,
                "inlined": false, "estimated": false
            }],
            "lines": [{ "file": "src/x.rs", "line": 12, "executions": 400, "self": 1600, "estimated": true }]
        });
        assert_eq!(view, wanted);
    }
}
