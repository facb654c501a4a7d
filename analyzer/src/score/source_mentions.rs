//! A name and a version → whether a source of the version mentions it in code. This is the only evidence there is before a
//! sample exists, and it is never a proof of absence: a name can be put together while the program runs.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::ScoreOptions;
use crate::languages::language_of;
use crate::sources::{Blob, ContentId, FileSource, ListedFile, SourceContent};
use crate::syntax::lru_cache::LruCache;
use crate::text_search::{FileMention, WordDigests, lines_naming, mention_of_file};

/// Bytes of source whose words are kept: all files of a project of several million lines.
const KEPT_BYTES: usize = 256 << 20;

/// The words of contents that were searched before. Versions share most of their files.
#[derive(Debug)]
pub struct KnownWords {
    contents: Mutex<LruCache<ContentId, Arc<WordDigests>>>,
}

impl Default for KnownWords {
    fn default() -> Self {
        Self {
            contents: Mutex::new(LruCache::new(KEPT_BYTES)),
        }
    }
}

/// The sources of one version that are not for tests alone.
pub(super) struct MentioningSources<'a> {
    tree: &'a dyn FileSource,
    scoring: &'a ScoreOptions,
    /// `None` where nobody can tell which files there are.
    sources: OnceLock<Option<Vec<ListedFile>>>,
}

impl<'a> MentioningSources<'a> {
    /// Nothing is listed or read yet.
    pub(super) fn of(tree: &'a dyn FileSource, scoring: &'a ScoreOptions) -> Self {
        Self {
            tree,
            scoring,
            sources: OnceLock::new(),
        }
    }

    /// True if code that is not for tests may mention a name: it does, or it can't be read.
    pub(super) fn may_mention(&self, name: &str) -> bool {
        // Nothing can mention what has no name.
        if name == "_" {
            return false;
        }
        let sources = self.sources.get_or_init(|| {
            let mut files = self.tree.all_files()?;
            files.retain(|file| is_of_program_or_build(&file.path));
            Some(files)
        });
        match sources {
            None => true,
            Some(sources) => (sources.iter()).any(|file| self.may_be_mentioned_in(file, name)),
        }
    }

    fn may_be_mentioned_in(&self, ListedFile { path, id }: &ListedFile, name: &str) -> bool {
        let known = self.contents().find(id);
        if known.is_some_and(|words| !words.may_hold(name)) {
            return false;
        }
        let Some(blob) = self.tree.file(path) else {
            return true;
        };
        let SourceContent::Bytes(text) = &blob.content else {
            return true;
        };
        let words = WordDigests::of(text);
        let may_hold = words.may_hold(name);
        self.contents().insert(*id, Arc::new(words), text.len());
        may_hold && mention_of_file(text, name) == FileMention::Code && !self.is_in_tests_alone(path, &blob, text, name)
    }

    /// True if only functions for tests hold a name.
    fn is_in_tests_alone(&self, path: &str, blob: &Blob, text: &[u8], name: &str) -> bool {
        let source = self.scoring.parser.get(path, blob);
        let is_in_a_test = |line: &u32| {
            let mut tests = source.functions.iter().filter(|function| function.test_only);
            tests.any(|function| function.lines.first <= *line && *line <= function.lines.last)
        };
        source.problems.is_empty() && lines_naming(text, name).iter().all(is_in_a_test)
    }

    fn contents(&self) -> MutexGuard<'_, LruCache<ContentId, Arc<WordDigests>>> {
        // A map is whole at every moment a panic could leave it.
        self.scoring
            .words
            .contents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// True for a source that a benchmark, or the build, may execute.
fn is_of_program_or_build(path: &str) -> bool {
    language_of(path).is_some_and(|language| !language.support().is_for_tests(path))
}
