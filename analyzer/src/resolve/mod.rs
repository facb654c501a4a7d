//! Which function a call means, with the evidence: what the profile saw at the call's place first, then
//! what the source writes, then names alone. Several candidates stay several.
//!
//! Looks at one profile and at the functions of the scored change; reads no further sources.

mod qualifier;

use profile::{ProfileCallSite, ProfileFunctionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::LocatedFunction;
use crate::sample::{IndexedProfile, last_segment};
use crate::syntax::{CallReceiver, LineRange, SourceFile, SyntaxCall, SyntaxCallForm};

pub use qualifier::CalleeQualifier;
pub(crate) use qualifier::imported;

/// Where a call stands.
#[derive(Debug, Clone, Copy)]
pub struct CallerContext<'a> {
    /// The function that holds the call, on the call's side of the change.
    pub located: &'a LocatedFunction,
    /// Its file on that side, for imports and types.
    pub source: &'a SourceFile,
    /// The profile's functions that it became, empty where the benchmark does not execute it.
    pub ids: &'a [ProfileFunctionId],
    /// Its lines at the sampled version, for calls that the profile saw on the very line.
    pub sampled_lines: Option<LineRange>,
}

/// The functions that a call may mean.
#[derive(Debug, Clone, PartialEq)]
pub enum CallTarget<'a> {
    /// Functions that the profile measured.
    Profiled(Vec<ProfileFunctionId>),
    /// Functions whose bodies can be read.
    Source(Vec<&'a LocatedFunction>),
    /// A name, with its type where the source shows it; nothing measured, nothing to read.
    Named {
        /// The type that it is a method of.
        of_type: Option<String>,
    },
}

/// How a callee or a cost was found, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalleeEvidence {
    /// The profile saw this callee called from this very site.
    SameSite,
    /// The profile saw a callee of this name called from the same function.
    SameFunction,
    /// The source writes the whole path.
    ExplicitPath,
    /// The source shows the receiver's type.
    ReceiverType,
    /// The profile holds functions of this name and arity.
    ProfileName,
    /// The body was read and priced.
    Body,
    /// The prior for the standard library.
    Prior,
    /// Nothing is known; bounds only.
    Unknown,
}

/// A resolved call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResolution<'a> {
    /// The functions that the call may mean.
    pub target: CallTarget<'a>,
    /// How that was found.
    pub evidence: CalleeEvidence,
}

/// The functions of a callee's name whose bodies can be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct CandidateDefinitions<'d, 'a> {
    /// Those that the scored change brings (or, on the side before, takes away).
    pub alone: &'d [&'a LocatedFunction],
    /// Those that were and are there. The profile goes before them.
    pub others: &'d [&'a LocatedFunction],
}

/// Resolves a call against a profile and the functions in the scored change's files.
#[must_use]
pub fn resolve<'a>(
    call: &SyntaxCall,
    caller: &CallerContext<'_>,
    profile: &IndexedProfile,
    definitions: CandidateDefinitions<'_, 'a>,
) -> CallResolution<'a> {
    let name = call.callee.name.as_str();
    let names = CalleeQualifier::of(call, caller);
    let meant = |bodies: &[&'a LocatedFunction]| -> Vec<&'a LocatedFunction> {
        bodies
            .iter()
            .copied()
            .filter(|body| body.function.takes(call) && names.allow(&body.name))
            .collect()
    };
    let defined = meant(definitions.alone);

    if let Some(seen) = at_caller(call, caller, profile, &names) {
        return seen;
    }
    let candidates: Vec<ProfileFunctionId> = profile
        .functions_named(name)
        .iter()
        .copied()
        .filter(|&id| profile.profile().function(id).calls > 0)
        .collect();
    if names.are_known() {
        let exact: Vec<ProfileFunctionId> = candidates
            .iter()
            .copied()
            .filter(|&id| names.allow(&profile.profile().function(id).name))
            .collect();
        let evidence = match call.callee.form {
            SyntaxCallForm::Method => CalleeEvidence::ReceiverType,
            SyntaxCallForm::Path | SyntaxCallForm::Macro | SyntaxCallForm::Value => CalleeEvidence::ExplicitPath,
        };
        if !exact.is_empty() {
            return CallResolution {
                target: CallTarget::Profiled(exact),
                evidence,
            };
        }
    }
    if !defined.is_empty() {
        return CallResolution {
            target: CallTarget::Source(defined),
            evidence: CalleeEvidence::Body,
        };
    }
    // A trait object, a bound or a pointer hides the type whose method it is; the profile saw through it.
    if let Some(seen) = at_line(call, caller, profile, |_| true) {
        return seen;
    }
    let of_type = names.of_type().map(str::to_owned);
    // With a known type that the profile has not seen, another type's function of that name is no evidence.
    if of_type.is_none() && !candidates.is_empty() && call.callee.form != SyntaxCallForm::Macro {
        return CallResolution {
            target: CallTarget::Profiled(candidates),
            evidence: CalleeEvidence::ProfileName,
        };
    }
    // No benchmark called it at the sampled version. A method of an unknown type may be the library's.
    if names.are_known() || call.callee.form == SyntaxCallForm::Path {
        let others = meant(definitions.others);
        if !others.is_empty() {
            return CallResolution {
                target: CallTarget::Source(others),
                evidence: CalleeEvidence::Body,
            };
        }
    }
    CallResolution {
        target: CallTarget::Named { of_type },
        evidence: CalleeEvidence::Prior,
    }
}

/// Profiled callees of this name in the same function, those on the same line first.
fn at_caller<'a>(
    call: &SyntaxCall,
    caller: &CallerContext<'_>,
    profile: &IndexedProfile,
    names: &CalleeQualifier,
) -> Option<CallResolution<'a>> {
    let allowed = |callee: &str| names.allow(callee);
    at_line(call, caller, profile, allowed).or_else(|| {
        let seen = sites(call, caller, profile, allowed).map(|site| site.callee);
        profiled(seen.collect(), CalleeEvidence::SameFunction)
    })
}

/// Profiled callees of this name in the same function on the same line.
fn at_line<'a>(
    call: &SyntaxCall,
    caller: &CallerContext<'_>,
    profile: &IndexedProfile,
    allowed: impl Fn(&str) -> bool,
) -> Option<CallResolution<'a>> {
    let below = call.line.saturating_sub(caller.located.function.lines.first);
    let line = caller.sampled_lines?.first + below;
    let seen = sites(call, caller, profile, allowed)
        .filter(|site| site.line == line)
        .map(|site| site.callee);
    profiled(seen.collect(), CalleeEvidence::SameSite)
}

/// The caller's sites that called an allowed function of the call's name.
fn sites<'p>(
    call: &SyntaxCall,
    caller: &CallerContext<'_>,
    profile: &'p IndexedProfile,
    allowed: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'p ProfileCallSite> {
    caller
        .ids
        .iter()
        .flat_map(|&id| profile.sites(id))
        .filter(|site| site.calls > 0)
        .filter(move |site| {
            let callee = &profile.profile().function(site.callee).name;
            last_segment(callee) == call.callee.name && allowed(callee)
        })
}

fn profiled<'a>(mut ids: Vec<ProfileFunctionId>, evidence: CalleeEvidence) -> Option<CallResolution<'a>> {
    ids.sort_unstable();
    ids.dedup();
    (!ids.is_empty()).then_some(CallResolution {
        target: CallTarget::Profiled(ids),
        evidence,
    })
}

/// The type that a receiver has, where the source shows it.
fn receiver_type(receiver: &CallReceiver, caller: &CallerContext<'_>) -> Option<String> {
    match receiver {
        CallReceiver::SelfValue => caller.located.function.owner.clone(),
        CallReceiver::SelfField(field) => {
            let owner = caller.located.function.owner.as_deref()?;
            qualifier::field_type(caller.source, owner, field)
        }
        CallReceiver::Local(local) => {
            let function = &caller.located.function;
            let parameter = function
                .parameters
                .iter()
                .find(|parameter| parameter.name == *local && !parameter.type_name.is_empty())
                .map(|parameter| parameter.type_name.clone());
            parameter.or_else(|| {
                function
                    .locals
                    .iter()
                    .find(|(name, _)| name == local)
                    .map(|(_, of_type)| of_type.clone())
            })
        }
        // A constructor returns its type; what other functions return is not known here.
        CallReceiver::Result { callee, of_type } => of_type
            .clone()
            .filter(|_| matches!(callee.as_str(), "new" | "default" | "with_capacity" | "from")),
        CallReceiver::Other(of_type) => of_type.clone(),
    }
}
