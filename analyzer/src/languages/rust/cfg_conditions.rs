//! Conditions of compilation (`cfg`) → whether they can hold in a build that is measured: an optimised one, without
//! tests, for this machine.

use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

/// Conditions of tests, documentation, checkers and unoptimised builds.
const OTHER_BUILDS: [&str; 9] = [
    "test",
    "doc",
    "docsrs",
    "doc_cfg",
    "miri",
    "loom",
    "kani",
    "fuzzing",
    "debug_assertions",
];

/// True if one of the attributes keeps what it stands on out of every build that is measured.
pub(crate) fn is_excluded_from_build(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let test = path.segments.last().is_some_and(|segment| segment.ident == "test");
        test || (path.is_ident("cfg") && never_holds(&attribute.meta))
    })
}

/// True if a condition, or a `cfg` of one, holds in no build that is measured.
pub(crate) fn never_holds(condition: &Meta) -> bool {
    holds(condition) == Some(false)
}

/// The same of an attribute's inside, `cfg(…)`; `None` where that depends on features and the like.
pub(crate) fn holds_inside(attribute: TokenStream) -> Option<bool> {
    holds(&syn::parse2(attribute).ok()?)
}

fn holds(condition: &Meta) -> Option<bool> {
    let path = condition.path();
    match condition {
        Meta::Path(_) => {
            let name = path.get_ident()?.to_string();
            match name.as_str() {
                "unix" | "windows" => Some(name == std::env::consts::FAMILY),
                name => OTHER_BUILDS.contains(&name).then_some(false),
            }
        }
        Meta::NameValue(pair) => {
            let Expr::Lit(ExprLit {
                lit: Lit::Str(value), ..
            }) = &pair.value
            else {
                return None;
            };
            of_platform(&path.get_ident()?.to_string()).map(|here| value.value() == here)
        }
        Meta::List(list) => {
            let parts = list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .ok()?;
            let parts = || parts.iter().map(holds);
            match path.get_ident()?.to_string().as_str() {
                "cfg" | "all" => all(parts()),
                "any" => all(parts().map(not)).map(|none| !none),
                "not" => all(parts()).map(|every| !every),
                _ => None,
            }
        }
    }
}

fn not(answer: Option<bool>) -> Option<bool> {
    answer.map(|holds| !holds)
}

/// One that does not hold is enough; all must be known to hold.
fn all(mut answers: impl Iterator<Item = Option<bool>> + Clone) -> Option<bool> {
    if answers.clone().any(|answer| answer == Some(false)) {
        return Some(false);
    }
    answers.all(|answer| answer == Some(true)).then_some(true)
}

/// The value of a `cfg` key on this machine.
fn of_platform(key: &str) -> Option<&'static str> {
    Some(match key {
        "target_arch" => std::env::consts::ARCH,
        "target_os" => std::env::consts::OS,
        "target_family" => std::env::consts::FAMILY,
        "target_pointer_width" if cfg!(target_pointer_width = "64") => "64",
        "target_pointer_width" => "32",
        "target_endian" if cfg!(target_endian = "little") => "little",
        "target_endian" => "big",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn answer(condition: &str) -> Option<bool> {
        holds_inside(condition.parse().unwrap())
    }

    #[test]
    fn what_this_machine_is_is_known_and_what_features_are_is_not() {
        let here = std::env::consts::ARCH;
        assert_eq!(answer(&format!("cfg(target_arch = {here:?})")), Some(true));
        assert_eq!(answer("cfg(target_arch = \"mos\")"), Some(false));
        assert_eq!(answer("cfg(feature = \"std\")"), None);
        assert_eq!(answer("cfg(target_feature = \"avx2\")"), None);
        assert_eq!(answer("cfg(made_by_a_build_script)"), None);
    }

    #[test]
    fn one_that_fails_settles_all_and_one_that_holds_settles_any() {
        assert_eq!(answer("cfg(all(feature = \"a\", test))"), Some(false));
        assert_eq!(answer("cfg(all(feature = \"a\", not(test)))"), None);
        assert_eq!(answer("cfg(any(feature = \"a\", not(test)))"), Some(true));
        assert_eq!(answer("cfg(any(test, target_os = \"none\"))"), Some(false));
        assert_eq!(answer("cfg(any(test, feature = \"a\"))"), None);
        assert_eq!(answer("cfg(not(any(test, miri)))"), Some(true));
        assert_eq!(answer("cfg(not(feature = \"a\"))"), None);
    }
}
