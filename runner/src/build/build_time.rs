//! Cargo's messages about a build → how long it took, and what part of that another build may not have had to do.
//!
//! The version's own packages are always built anew, the others only where they are not in the cache.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::cargo::CargoMessage;

/// Variables that put a program in front of the compiler, which may take its output from a cache of its own.
const WRAPPERS: [&str; 4] = [
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
];

/// The time that cargo took to build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildTime {
    /// Wall time.
    pub wall: Duration,
    /// Dependencies from elsewhere that were built, by cargo's id: the others came from the cache.
    built_dependencies: BTreeSet<String>,
}

impl BuildTime {
    /// The time of one command. `None` where its output may come from a cache that cargo does not know of, or where
    /// cargo's messages do not tell all.
    pub(super) fn of(
        wall: Duration,
        messages: &[CargoMessage],
        environment: &BTreeMap<String, String>,
    ) -> Option<Self> {
        let has_wrapper = WRAPPERS.iter().any(|name| {
            let own = environment.get(*name).map(|value| !value.is_empty());
            own.unwrap_or_else(|| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        });
        if has_wrapper || messages.iter().any(|message| message.reason.is_empty()) {
            return None;
        }
        let built = messages
            .iter()
            .filter(|message| message.reason == "compiler-artifact" && !message.fresh && !message.is_of_a_folder());
        Some(Self {
            wall,
            built_dependencies: built.filter_map(|message| message.package_id.clone()).collect(),
        })
    }

    /// The time of two builds, one after the other.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.wall += other.wall;
        self.built_dependencies.extend(other.built_dependencies);
        self
    }

    /// Whether both builds had the same to do besides the version's own packages.
    #[must_use]
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.built_dependencies == other.built_dependencies
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn messages(lines: &[&str]) -> Vec<CargoMessage> {
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn artifact(package: &str, fresh: bool) -> String {
        format!(r#"{{"reason":"compiler-artifact","package_id":"{package}","fresh":{fresh}}}"#)
    }

    fn time(packages: &[(&str, bool)]) -> BuildTime {
        let lines: Vec<String> = packages.iter().map(|(id, fresh)| artifact(id, *fresh)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        BuildTime::of(
            Duration::from_secs(3),
            &messages(&lines),
            &BTreeMap::from([("RUSTC_WRAPPER".to_owned(), String::new())]),
        )
        .unwrap()
    }

    const OWN: &str = "path+file:///a/x#0.1.0";
    const REGISTRY: &str = "registry+https://example.org/index#either@1.0.0";

    #[test]
    fn builds_are_comparable_if_both_had_the_same_dependencies_to_build() {
        let cold = time(&[(OWN, false), (REGISTRY, false)]);
        let warm = time(&[(OWN, false), (REGISTRY, true)]);
        assert!(!cold.is_comparable(&warm) && !warm.is_comparable(&cold));
        assert!(warm.is_comparable(&time(&[(OWN, false)])));
        assert!(cold.is_comparable(&cold.clone()));
        let both = cold.clone().and(warm.clone());
        assert_eq!(both.wall, Duration::from_secs(6));
        assert!(both.is_comparable(&cold) && !both.is_comparable(&warm));
    }

    #[test]
    fn a_build_that_another_cache_may_have_answered_has_no_time() {
        let messages = messages(&[&artifact(OWN, false)]);
        let wrapped = BTreeMap::from([("RUSTC_WRAPPER".to_owned(), "sccache".to_owned())]);
        assert_eq!(BuildTime::of(Duration::from_secs(1), &messages, &wrapped), None);
    }

    #[test]
    fn a_build_of_which_messages_are_lost_has_no_time() {
        let messages = [CargoMessage::default()];
        assert_eq!(BuildTime::of(Duration::from_secs(1), &messages, &BTreeMap::new()), None);
    }
}
