//! The JSON view of a profile, contract `lito.profile/1`.
//!
//! Written only, never read: profiles are stored in the binary format, JSON is for people and other programs. Within
//! version 1, fields may be added, never changed or removed.

use serde::Serialize;

use crate::model::{CostUnit, Profile};

/// The contract's name and version.
pub const SCHEMA: &str = "lito.profile/1";

/// A profile as other programs see it; serialise it with `serde_json`.
#[derive(Debug, Serialize)]
pub struct ProfileView<'p> {
    schema: &'static str,
    commit: &'p str,
    benchmark: &'p str,
    unit: CostUnit,
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
