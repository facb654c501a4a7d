//! Which function a call means, with the evidence: what the profile saw at the call's place first, then
//! what the source writes, then names alone. Several candidates stay several.
//!
//! Looks at one profile and at the functions of the scored change; reads no further sources.

mod path;

use profile::{CallSite, FunctionId};

use crate::change::LocatedFunction;
use crate::sample::{IndexedProfile, last_segment};
use crate::score::Evidence;
use crate::syntax::{Call, CallForm, Lines, Receiver, SourceFile};

pub use path::Names;

/// Where a call stands.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// The function that holds the call, on the call's side of the change.
    pub located: &'a LocatedFunction,
    /// Its file on that side, for imports and types.
    pub source: &'a SourceFile,
    /// The profile's functions that it became, empty where the benchmark does not execute it.
    pub ids: &'a [FunctionId],
    /// Its lines at the sampled version, for calls that the profile saw on the very line.
    pub sampled_lines: Option<Lines>,
}

/// What a call may mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Target<'a> {
    /// Functions that the profile measured.
    Profiled(Vec<FunctionId>),
    /// Functions whose bodies can be read.
    Source(Vec<&'a LocatedFunction>),
    /// A name, with its type where the source shows it; nothing measured, nothing to read.
    Named {
        /// The type that it is a method of.
        of_type: Option<String>,
    },
}

/// A resolved call.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution<'a> {
    /// What the call may mean.
    pub target: Target<'a>,
    /// How that was found.
    pub evidence: Evidence,
}

/// The functions of a callee's name whose bodies can be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Definitions<'d, 'a> {
    /// Those that the scored change brings (or, on the side before, takes away).
    pub alone: &'d [&'a LocatedFunction],
    /// Those that were and are there. The profile goes before them.
    pub others: &'d [&'a LocatedFunction],
}

/// Resolves a call against a profile and the functions in the scored change's files.
#[must_use]
pub fn resolve<'a>(
    call: &Call,
    caller: &Caller<'_>,
    profile: &IndexedProfile,
    definitions: Definitions<'_, 'a>,
) -> Resolution<'a> {
    let name = call.callee.name.as_str();
    let names = Names::of(call, caller);
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
    let candidates: Vec<FunctionId> = profile
        .named(name)
        .iter()
        .copied()
        .filter(|&id| profile.profile().function(id).calls > 0)
        .collect();
    if names.are_known() {
        let exact: Vec<FunctionId> = candidates
            .iter()
            .copied()
            .filter(|&id| names.allow(&profile.profile().function(id).name))
            .collect();
        let evidence = match call.callee.form {
            CallForm::Method => Evidence::ReceiverType,
            CallForm::Path | CallForm::Macro | CallForm::Value => Evidence::ExplicitPath,
        };
        if !exact.is_empty() {
            return Resolution {
                target: Target::Profiled(exact),
                evidence,
            };
        }
    }
    if !defined.is_empty() {
        return Resolution {
            target: Target::Source(defined),
            evidence: Evidence::Body,
        };
    }
    // A trait object, a bound or a pointer hides the type whose method it is; the profile saw through it.
    if let Some(seen) = at_line(call, caller, profile, |_| true) {
        return seen;
    }
    let of_type = names.of_type().map(str::to_owned);
    // With a known type that the profile has not seen, another type's function of that name is no evidence.
    if of_type.is_none() && !candidates.is_empty() && call.callee.form != CallForm::Macro {
        return Resolution {
            target: Target::Profiled(candidates),
            evidence: Evidence::ProfileName,
        };
    }
    // No benchmark called it at the sampled version. A method of an unknown type may be the library's.
    if names.are_known() || call.callee.form == CallForm::Path {
        let others = meant(definitions.others);
        if !others.is_empty() {
            return Resolution {
                target: Target::Source(others),
                evidence: Evidence::Body,
            };
        }
    }
    Resolution {
        target: Target::Named { of_type },
        evidence: Evidence::Prior,
    }
}

/// What the profile saw called under this name from the same function, on the same line first.
fn at_caller<'a>(call: &Call, caller: &Caller<'_>, profile: &IndexedProfile, names: &Names) -> Option<Resolution<'a>> {
    let allowed = |callee: &str| names.allow(callee);
    at_line(call, caller, profile, allowed).or_else(|| {
        let seen = sites(call, caller, profile, allowed).map(|site| site.callee);
        profiled(seen.collect(), Evidence::SameFunction)
    })
}

/// What the profile saw called under this name from the same function on the same line.
fn at_line<'a>(
    call: &Call,
    caller: &Caller<'_>,
    profile: &IndexedProfile,
    allowed: impl Fn(&str) -> bool,
) -> Option<Resolution<'a>> {
    let below = call.line.saturating_sub(caller.located.function.lines.first);
    let line = caller.sampled_lines?.first + below;
    let seen = sites(call, caller, profile, allowed)
        .filter(|site| site.line == line)
        .map(|site| site.callee);
    profiled(seen.collect(), Evidence::SameSite)
}

/// The caller's sites that called an allowed function of the call's name.
fn sites<'p>(
    call: &Call,
    caller: &Caller<'_>,
    profile: &'p IndexedProfile,
    allowed: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'p CallSite> {
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

fn profiled<'a>(mut ids: Vec<FunctionId>, evidence: Evidence) -> Option<Resolution<'a>> {
    ids.sort_unstable();
    ids.dedup();
    (!ids.is_empty()).then_some(Resolution {
        target: Target::Profiled(ids),
        evidence,
    })
}

/// The type that a receiver has, where the source shows it.
fn receiver_type(receiver: &Receiver, caller: &Caller<'_>) -> Option<String> {
    match receiver {
        Receiver::SelfValue => caller.located.function.owner.clone(),
        Receiver::SelfField(field) => {
            let owner = caller.located.function.owner.as_deref()?;
            path::field_type(caller.source, owner, field)
        }
        Receiver::Local(local) => {
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
        Receiver::Result { callee, of_type } => of_type
            .clone()
            .filter(|_| matches!(callee.as_str(), "new" | "default" | "with_capacity" | "from")),
        Receiver::Other(of_type) => of_type.clone(),
    }
}
