//! Checks of debug builds, and the profiles of a project that keep them → whether two texts of a source differ in what they check.
//!
//! The model of a source leaves these checks out: an optimised build has none, unless a profile says `debug-assertions = true`.

use toml::Value;

use super::cargo_manifest::{folders_above, text};
use crate::change::build_files::parse_toml;
use crate::sources::FileSource;

/// The start of each macro that checks in debug builds alone, and the condition for the same.
const CHECKS: &str = "debug_assert";
const CONDITION: &str = "debug_assertions";

/// True if the checks of debug builds differ between two texts of a source, and a profile of either version keeps them.
pub(super) fn changes_kept_checks(path: &str, texts: [&str; 2], trees: [&dyn FileSource; 2]) -> bool {
    let says = texts.iter().any(|text| text.contains(CHECKS));
    says && has_other_checks(texts) && trees.iter().any(|tree| keeps_checks(path, *tree))
}

/// Where code stands under the condition, any of it may be code of such builds.
fn has_other_checks(texts: [&str; 2]) -> bool {
    let [before, after] = texts.map(checks);
    before != after || texts.iter().any(|text| text.contains(CONDITION))
}

/// The checks, each up to its end.
fn checks(source: &str) -> Vec<String> {
    let starts = source.match_indices(CHECKS).map(|(at, _)| &source[at..]);
    starts
        .map(|from| from.split(';').next().unwrap_or(from).split_whitespace().collect())
        .collect()
}

/// True if a manifest, or a configuration of cargo, above a source keeps the checks in a profile that is not for debugging.
fn keeps_checks(path: &str, tree: &dyn FileSource) -> bool {
    folders_above(path).any(|folder| {
        let settings = ["Cargo.toml", ".cargo/config.toml", ".cargo/config"];
        settings.iter().any(|name| {
            let read = text(tree, &format!("{folder}{name}"));
            let may_say = |text: &String| {
                ["debug-assertions", CONDITION, "inherits"]
                    .iter()
                    .any(|word| text.contains(word))
            };
            let read = read.filter(may_say);
            read.is_some_and(|text| may_keep_checks(&text))
        })
    })
}

fn may_keep_checks(settings: &str) -> bool {
    let Ok(table) = parse_toml(settings) else {
        return true;
    };
    let profiles = table.get("profile").and_then(Value::as_table);
    let keeps = |profile: &Value| {
        let of_debugging = || matches!(profile.get("inherits").and_then(Value::as_str), Some("dev" | "test"));
        let said = profile.get("debug-assertions").and_then(Value::as_bool);
        said.unwrap_or_else(of_debugging)
    };
    let in_profile = profiles.into_iter().flatten().any(|(name, profile)| {
        let of_packages = profile.get("package").and_then(Value::as_table).into_iter().flatten();
        !matches!(name.as_str(), "dev" | "test")
            && (keeps(profile) || of_packages.into_iter().any(|(_, one)| keeps(one)))
    });
    // As a flag of the compiler.
    let others = table.iter().filter(|(key, _)| *key != "profile");
    in_profile
        || others
            .into_iter()
            .any(|(_, value)| value.to_string().contains("debug-assertions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_told_from_what_stands_around_them() {
        let code = "fn f() { debug_assert!(a(\n    1,\n)); g(); }";
        assert!(!has_other_checks([
            code,
            "fn f() {\n debug_assert!( a( 1,) );\n h(); }"
        ]));
        assert!(has_other_checks([code, "fn f() { debug_assert!(b(1)); g(); }"]));
        assert!(has_other_checks([code, "fn f() { g(); }"]));
        assert!(has_other_checks([
            "#[cfg(debug_assertions)]\nf();",
            "#[cfg(debug_assertions)]\ng();"
        ]));
    }

    #[test]
    fn profiles_and_flags_keep_checks_but_those_for_debugging() {
        for settings in [
            "[profile.bench]\ndebug-assertions = true",
            "[profile.release.package.a]\ndebug-assertions = true",
            "[profile.measured]\ninherits = \"dev\"",
            "[build]\nrustflags = [\"-C\", \"debug-assertions\"]",
            "[profile.release",
        ] {
            assert!(may_keep_checks(settings), "{settings}");
        }
        for settings in [
            "[profile.bench]\ndebug-assertions = false",
            "[profile.dev]\ndebug-assertions = true",
            "[profile.measured]\ninherits = \"dev\"\ndebug-assertions = false",
            "[package]\nname = \"a\"",
        ] {
            assert!(!may_keep_checks(settings), "{settings}");
        }
    }
}
