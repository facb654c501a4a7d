//! Names and globs of benchmarks that somebody typed → whether anything has such a name, as far as that is known before
//! anything is built: from samples of the versions, and from the definitions of lito.toml. Builds nothing.

use std::collections::BTreeSet;

use report::number_format::counted_noun;
use runner::benchmark::{BenchmarkAdapter, BenchmarkDefinition, glob_matches};
use runner::git::{BlobContent, CommitId, GitEntryKind, Repository};
use runner::store::{BaselineCriteria, SampleRecord, Store};
use runner::suggestions::did_you_mean;

use crate::error::EngineError;
use crate::file_sources::{FILE_LIMIT, changed_paths};
use crate::sample_loader::decodes;
use crate::settings::FILE as SETTINGS_FILE;

/// Names that an error lists.
const NAMES_SHOWN: usize = 6;

/// The sources of known names.
#[derive(Clone, Copy)]
pub struct BenchmarkNames<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The profile store.
    pub store: &'a Store,
    /// The definitions of lito.toml.
    pub definitions: &'a [BenchmarkDefinition],
}

/// Benchmarks as somebody named them, for errors.
#[derive(Debug, Clone, Copy)]
pub struct NamedBenchmarks<'a> {
    /// The attempt that errors name.
    attempt: &'a str,
    /// The option that the names were given with.
    option: &'a str,
    /// The names; `*` matches any text.
    globs: &'a [String],
}

impl<'a> NamedBenchmarks<'a> {
    /// Named by `--bench`.
    #[must_use]
    pub fn by_option(attempt: &'a str, globs: &'a [String]) -> Self {
        Self {
            attempt,
            option: "--bench",
            globs,
        }
    }

    /// Named by claims.
    #[must_use]
    pub fn claimed(globs: &'a [String]) -> Self {
        Self {
            attempt: "checking a claim",
            option: "on",
            globs,
        }
    }
}

impl BenchmarkNames<'_> {
    /// Refuses a glob that matches no benchmark of these versions, as far as that is known without a build: the names
    /// are those of the versions' samples and of lito.toml. A glob that may name a benchmark newer than the sample is
    /// accepted; [`refuse_unmatched`] checks it once the benchmarks are listed.
    ///
    /// # Errors
    /// A glob matches nothing; the store or the history can't be read.
    pub fn check(&self, named: NamedBenchmarks<'_>, versions: &[CommitId]) -> Result<(), EngineError> {
        let globs = named.globs;
        let commands = |definition: &&BenchmarkDefinition| {
            definition.adapter == BenchmarkAdapter::Command && definition.name.is_some()
        };
        let mut names: BTreeSet<String> = (self.definitions.iter().filter(commands))
            .filter_map(|definition| definition.name.clone())
            .collect();
        if unmatched(globs, &names).next().is_none() {
            return Ok(());
        }
        if !self.definitions.is_empty() && self.definitions.iter().all(|definition| commands(&definition)) {
            return refuse_unmatched(named, &names, "");
        }
        let mut baselines = self.store.baselines(
            self.repository,
            BaselineCriteria {
                environment: None,
                decode: &decodes,
            },
        )?;
        let mut sampled = Vec::new();
        for &version in versions {
            let Some(baseline) = baselines.nearest(version)? else {
                return Ok(());
            };
            names.extend(baseline.sample.benchmarks.keys().cloned());
            sampled.push((baseline.sample, version));
        }
        for glob in unmatched(globs, &names) {
            for (sample, version) in &sampled {
                if self.may_be_newer(glob, sample, *version)? {
                    return Ok(());
                }
            }
        }
        refuse_unmatched(named, &names, " in the samples of these versions")
    }

    /// True if what changed between a sample and a version can have brought a benchmark of this name: the settings are
    /// others, or something at the version mentions the name.
    fn may_be_newer(&self, glob: &str, sample: &SampleRecord, version: CommitId) -> Result<bool, EngineError> {
        let settings = self.repository.workdir().map(|root| root.join(SETTINGS_FILE));
        let now = settings.and_then(|file| std::fs::read(file).ok());
        if now != self.file(sample.commit, SETTINGS_FILE)? {
            return Ok(true);
        }
        if changed_paths(self.repository, sample.commit, version)?.is_empty() {
            return Ok(false);
        }
        // A name may be that of a function, a text in a source, or that of a file that a benchmark reads. It need not
        // stand in what changed: another feature can bring a target that was there before.
        let word = longest_word(glob);
        for (path, entry) in self.repository.snapshot(version)?.paths()? {
            let path = path.lossy();
            let is_read = entry.kind == GitEntryKind::File && (path.ends_with(".rs") || path.ends_with(".toml"));
            if path.contains(word) || is_read && mentions(&self.repository.blob(entry.id, FILE_LIMIT)?, word) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A file of a version; `None` if it is absent or too large.
    fn file(&self, version: CommitId, path: &str) -> Result<Option<Vec<u8>>, EngineError> {
        Ok(match self.repository.file_at(version, path.as_bytes(), FILE_LIMIT)? {
            Some(BlobContent::Bytes(bytes)) => Some(bytes.to_vec()),
            Some(BlobContent::TooLarge(_) | BlobContent::LfsPointer(_)) | None => None,
        })
    }
}

fn mentions(content: &BlobContent, word: &str) -> bool {
    match content {
        BlobContent::Bytes(bytes) => String::from_utf8_lossy(bytes).contains(word),
        // Nobody knows.
        BlobContent::TooLarge(_) | BlobContent::LfsPointer(_) => true,
    }
}

/// Refuses the first glob that matches none of the names. `besides` is added to the reason.
///
/// # Errors
/// There is such a glob.
pub fn refuse_unmatched(
    named: NamedBenchmarks<'_>,
    names: &BTreeSet<String>,
    besides: &str,
) -> Result<(), EngineError> {
    let NamedBenchmarks { attempt, option, globs } = named;
    let Some(glob) = unmatched(globs, names).next() else {
        return Ok(());
    };
    let known = match did_you_mean(glob, names.iter().map(String::as_str)) {
        Some(question) => format!("; {question} "),
        None => listed(names) + "; ",
    };
    Err(EngineError::request(format_args!(
        "{attempt}: {option} {glob}: no benchmark has this name{besides}{known}`lito bench list` shows those of the \
         checkout"
    )))
}

/// The globs that match none of the names.
fn unmatched<'a>(globs: &'a [String], names: &'a BTreeSet<String>) -> impl Iterator<Item = &'a String> {
    (globs.iter()).filter(|glob| !names.iter().any(|name| glob_matches(glob, name)))
}

/// `; there are 9 benchmarks: a, b, c, d, e, f and 3 more`; nothing where none is known.
fn listed(names: &BTreeSet<String>) -> String {
    let shown = first_names(names);
    match names.len() {
        0 => String::new(),
        1 => format!("; the only one is {shown}"),
        count => format!("; there are {}: {shown}", counted_noun(count, "benchmark")),
    }
}

/// The first names, and how many more there are: `a, b, c, d, e, f and 3 more`.
pub fn first_names(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES_SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The longest part of a glob that can be an identifier.
fn longest_word(glob: &str) -> &str {
    let words = glob.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn refused(glob: &str, names: &[&str]) -> Option<String> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        refuse_unmatched(NamedBenchmarks::by_option("measuring", &[glob.to_owned()]), &names, "")
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_glob_that_matches_something_is_accepted() {
        assert_eq!(refused("parse/*", &["parse/large", "render"]), None);
        assert_eq!(refused("render", &["parse/large", "render"]), None);
    }

    #[test]
    fn a_misspelled_name_is_answered_with_the_nearest() {
        let said = refused("rendr", &["parse/large", "render"]).unwrap();
        assert!(
            said.contains("--bench rendr") && said.contains("did you mean `render`?"),
            "{said}"
        );
    }

    #[test]
    fn another_name_is_answered_with_the_names_that_exist() {
        let said = refused("nosuch", &["parse/large", "render"]).unwrap();
        assert!(said.contains("there are 2 benchmarks: parse/large, render"), "{said}");
        let many: Vec<String> = (0..9).map(|index| format!("b{index}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(refused("nosuch", &many).unwrap().contains("b5 and 3 more"));
        assert_eq!(
            refused("nosuch", &[]).unwrap(),
            "measuring: --bench nosuch: no benchmark has this name; `lito bench list` shows those of the checkout"
        );
    }

    #[test]
    fn the_longest_word_of_a_glob_is_what_a_source_mentions() {
        assert_eq!(longest_word("tests::parse_large"), "parse_large");
        assert_eq!(longest_word("fib/20"), "fib");
        assert_eq!(longest_word("*"), "");
    }
}
