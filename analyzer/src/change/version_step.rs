//! Two versions of a package, or two requirements → whether the newer promises to do what the older did.

/// How far a package went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VersionStep {
    /// By Cargo's rules compatible: no number at or left of the first that is not 0 differs; or only where it comes from,
    /// its features and the like.
    Compatible,
    /// Another package in all but name; or one that came or went.
    Incompatible,
}

impl VersionStep {
    /// From one version, or requirement of one, to another.
    pub(crate) fn between(old: &str, new: &str) -> Self {
        match (series(old), series(new)) {
            (Some(old), Some(new)) if old != new => Self::Incompatible,
            _ => Self::Compatible,
        }
    }
}

/// The numbers up to the first that is not 0, of the first version in a text; `None` where there is no number.
fn series(text: &str) -> Option<Vec<u64>> {
    let version = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let end = version
        .find(|letter: char| letter != '.' && !letter.is_ascii_digit())
        .unwrap_or(version.len());
    let mut series = Vec::new();
    for part in version[..end].split('.') {
        let number = part.parse().ok()?;
        series.push(number);
        if number != 0 {
            break;
        }
    }
    Some(series)
}

#[cfg(test)]
mod tests {
    use super::VersionStep::{self, Compatible, Incompatible};

    #[test]
    fn compatible_is_what_cargo_calls_so() {
        for (old, new, step) in [
            ("1.2.3", "1.9", Compatible),
            ("^1.2", ">=1.3, <2", Compatible),
            ("0.6.1", "0.6.9", Compatible),
            ("0.6", "0.7.0", Incompatible),
            ("0.9", "1.0", Incompatible),
            ("1", "=2.0.0-rc.1", Incompatible),
            ("0.0.3", "0.0.4", Incompatible),
            ("0.4.8", "0.7.8", Incompatible),
            ("", "1.0", Compatible),
            ("*", "3", Compatible),
        ] {
            assert_eq!(VersionStep::between(old, new), step, "{old} to {new}");
        }
    }
}
