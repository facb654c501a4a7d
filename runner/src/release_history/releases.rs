//! The lines of an index → the releases of the main line: a series in which version and date both increase.

use super::ImportError;
use super::version::ReleaseVersion;

/// A release of the main line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublishedRelease {
    /// The package, as the registry spells it.
    pub(super) name: String,
    /// The version as written in the index.
    pub(super) number: String,
    pub(super) version: ReleaseVersion,
    /// Seconds since 1970 (UTC).
    pub(super) published_at: i64,
    /// SHA-256 of the archive, hexadecimal.
    pub(super) checksum: String,
    /// Where the archive is, if the index says so.
    pub(super) address: Option<String>,
}

/// A release that a history leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRelease {
    /// Its version.
    pub version: String,
    /// The reason.
    pub reason: SkipReason,
}

/// Reason why a release is left out of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// Withdrawn by its publisher.
    Yanked,
    /// A pre-release such as `1.0.0-rc.1`.
    PreRelease,
    /// Published after a higher version: its changes are in that version's line as well, and would count twice.
    Backport,
    /// Older than the history's first release.
    BeforeTheFirst,
    /// Published without its sources.
    NoSource,
}

/// The releases of the main line, and the others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MainLine {
    /// Oldest first.
    pub(super) releases: Vec<PublishedRelease>,
    pub(super) left_out: Vec<SkippedRelease>,
}

impl MainLine {
    /// Leaves out releases older than this one.
    pub(super) fn begin_at(&mut self, first: &ReleaseVersion) {
        let is_older = |release: &mut PublishedRelease| release.version < *first;
        self.left_out
            .extend(self.releases.extract_if(.., is_older).map(|release| SkippedRelease {
                version: release.number,
                reason: SkipReason::BeforeTheFirst,
            }));
    }
}

/// A release as an index lists it.
#[derive(Debug, Clone)]
pub(super) struct IndexLine {
    /// The package, as the registry spells it.
    pub(super) name: String,
    /// The version as written there.
    pub(super) number: String,
    /// `None` if it is no version.
    pub(super) version: Option<ReleaseVersion>,
    /// SHA-256 of the archive of its sources, hexadecimal; `None` if it has none.
    pub(super) checksum: Option<String>,
    pub(super) yanked: bool,
    /// RFC 3339, in UTC.
    pub(super) published: Option<String>,
    /// Where the archive is, if the index says so.
    pub(super) address: Option<String>,
}

/// Separates the main line from other releases.
pub(super) fn main_line(name: &str, index: &[IndexLine]) -> Result<MainLine, ImportError> {
    let mut left_out = Vec::new();
    let mut candidates = Vec::new();
    for line in index {
        let leave = |reason| SkippedRelease {
            version: line.number.clone(),
            reason,
        };
        match (&line.version, &line.checksum) {
            _ if line.yanked => left_out.push(leave(SkipReason::Yanked)),
            (Some(version), Some(checksum)) if !version.is_pre_release() => candidates.push((version, checksum, line)),
            (Some(version), None) if !version.is_pre_release() => left_out.push(leave(SkipReason::NoSource)),
            _ => left_out.push(leave(SkipReason::PreRelease)),
        }
    }
    candidates.sort_by_key(|candidate| candidate.0);
    let dates: Vec<Option<i64>> = candidates
        .iter()
        .map(|(_, _, line)| line.published.as_deref().and_then(seconds_since_1970))
        .collect();
    let mut releases: Vec<PublishedRelease> = Vec::new();
    for (at, (version, checksum, line)) in candidates.into_iter().enumerate() {
        // The few releases without a date are placed between their neighbours.
        let date = dates[at].or_else(|| dates[..at].iter().flatten().max().copied());
        let Some(published_at) = date.or_else(|| dates[at..].iter().flatten().min().copied()) else {
            return Err(ImportError::NoReleases {
                name: name.to_owned(),
                found: index.len(),
            });
        };
        let release = PublishedRelease {
            name: line.name.clone(),
            number: line.number.clone(),
            version: version.clone(),
            published_at,
            checksum: checksum.to_lowercase(),
            address: line.address.clone(),
        };
        // A release that came out later with a lower version is a backport.
        while releases.last().is_some_and(|last| last.published_at > published_at) {
            left_out.extend(releases.pop().map(|last| SkippedRelease {
                version: last.number,
                reason: SkipReason::Backport,
            }));
        }
        releases.push(release);
    }
    if releases.is_empty() {
        return Err(ImportError::NoReleases {
            name: name.to_owned(),
            found: index.len(),
        });
    }
    Ok(MainLine { releases, left_out })
}

/// `2014-11-11T05:37:08Z` → 1415684228. The registry's dates are in UTC; fractions of a second are dropped. Days from
/// civil dates in the proleptic Gregorian calendar, counted from 1 March so that leap days come last.
fn seconds_since_1970(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, separator| -> Option<[i64; 3]> {
        let parts: Option<Vec<i64>> = text
            .split(separator)
            .map(|part| part.parse::<u16>().ok().map(i64::from))
            .collect();
        parts?.try_into().ok()
    };
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time.split('.').next()?, ':')?;
    let plausible = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !plausible {
        return None;
    }
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    // Days from 1 March of the year 0 to 1 January 1970.
    let days = days - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::release_history::PackageRegistry;

    fn line(number: &str, day: Option<&str>) -> IndexLine {
        IndexLine {
            name: "x".to_owned(),
            number: number.to_owned(),
            version: PackageRegistry::Cargo.version(number),
            checksum: Some("AB".to_owned()),
            yanked: false,
            published: day.map(|day| format!("{day}T12:00:00Z")),
            address: None,
        }
    }

    fn divided(lines: &[IndexLine]) -> (Vec<String>, Vec<(String, SkipReason)>) {
        let line = main_line("x", lines).unwrap();
        let left = line
            .left_out
            .into_iter()
            .map(|left| (left.version, left.reason))
            .collect();
        (line.releases.into_iter().map(|release| release.number).collect(), left)
    }

    #[test]
    fn backports_pre_releases_and_yanked_ones_are_left_out() {
        let mut yanked = line("1.1.1", Some("2020-03-01"));
        yanked.yanked = true;
        let lines = [
            line("1.0.0", Some("2020-01-01")),
            line("2.0.0-rc.1", Some("2020-02-01")),
            line("1.1.0", Some("2020-02-02")),
            yanked,
            line("2.0.0", Some("2020-04-01")),
            line("1.1.2", Some("2020-05-01")),
            line("1.0.1", Some("2020-05-02")),
            line("2.0.10", Some("2020-07-01")),
            line("2.0.9", Some("2020-06-01")),
        ];
        let (releases, left) = divided(&lines);
        assert_eq!(releases, ["1.0.0", "1.1.0", "2.0.0", "2.0.9", "2.0.10"]);
        let expected = [
            ("2.0.0-rc.1".to_owned(), SkipReason::PreRelease),
            ("1.1.1".to_owned(), SkipReason::Yanked),
            ("1.1.2".to_owned(), SkipReason::Backport),
            ("1.0.1".to_owned(), SkipReason::Backport),
        ];
        assert_eq!(left.len(), expected.len());
        assert!(expected.iter().all(|expected| left.contains(expected)), "{left:?}");
    }

    #[test]
    fn a_release_without_its_sources_is_left_out() {
        let mut binary = line("1.0.1", Some("2020-02-01"));
        binary.checksum = None;
        let (releases, left) = divided(&[line("1.0.0", Some("2020-01-01")), binary]);
        assert_eq!(releases, ["1.0.0"]);
        assert_eq!(left, [("1.0.1".to_owned(), SkipReason::NoSource)]);
    }

    #[test]
    fn a_release_without_a_date_stays_between_its_neighbours() {
        let lines = [
            line("1.0.0", None),
            line("1.0.1", Some("2020-01-01")),
            line("1.0.2", None),
            line("1.0.3", Some("2020-01-03")),
        ];
        assert_eq!(divided(&lines).0, ["1.0.0", "1.0.1", "1.0.2", "1.0.3"]);
        assert!(matches!(
            main_line("x", &[line("1.0.0", None)]),
            Err(ImportError::NoReleases { .. })
        ));
        assert!(matches!(main_line("x", &[]), Err(ImportError::NoReleases { .. })));
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        // Values from `date -u +%s -d`.
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2014-11-11T05:37:08Z", Some(1_415_684_228)),
            ("2000-02-29T23:59:59Z", Some(951_868_799)),
            ("2024-03-01T00:00:00.123Z", Some(1_709_251_200)),
            ("2024-13-01T00:00:00Z", None),
            ("2024-01-01 00:00:00", None),
            ("2024-01-01T00:00:00+02:00", None),
            ("", None),
        ] {
            assert_eq!(seconds_since_1970(text), expected, "{text}");
        }
    }
}
