//! Parsed files by content: what is after in one commit is before in the next, and is parsed once.

use std::sync::{Arc, Mutex, PoisonError};

use super::lru_cache::LruCache;
use super::{ParseLimits, SourceFile, SourceParser, too_large, unread};
use crate::languages::{IncrementalParser, Language, language_of, languages};
use crate::sources::{Blob, ContentId, SourceContent};

/// Source bytes whose model the cache keeps by default: a model takes about five times its source, so this
/// stays near 100 MB, and holds several versions of every hot file of a large project.
const DEFAULT_BYTES: usize = 20 << 20;

/// A bounded, concurrent cache of parsed files. Locks are held for look-ups only, never while parsing: two
/// threads that miss at once both parse, which is rare and harmless.
#[derive(Debug)]
pub struct ParseCache {
    parser: SourceParser,
    files: Mutex<LruCache<ParseCacheKey, Arc<SourceFile>>>,
    /// Parsers that reuse the unchanged parts of new files, for the languages that have one.
    incremental: Vec<(Language, Box<dyn IncrementalParser>)>,
}

/// Everything that the result of parsing depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ParseCacheKey {
    content: ContentId,
    language: Language,
    for_tests: bool,
}

impl Default for ParseCache {
    fn default() -> Self {
        Self::new(SourceParser::new(ParseLimits::default()), DEFAULT_BYTES)
    }
}

impl ParseCache {
    /// A cache that keeps the models of at most `capacity` bytes of source, as files and again as items; the
    /// two share most of their functions.
    #[must_use]
    pub fn new(parser: SourceParser, capacity: usize) -> Self {
        Self {
            parser,
            files: Mutex::new(LruCache::new(capacity)),
            incremental: languages()
                .filter_map(|language| Some((language, language.support().incremental_parser(capacity)?)))
                .collect(),
        }
    }

    /// The file at a path, parsed now or before. What is not a regular file, or too large to have been read,
    /// has a problem and no functions.
    #[must_use]
    pub fn get(&self, path: &str, blob: &Blob) -> Arc<SourceFile> {
        let bytes = match &blob.content {
            SourceContent::Bytes(bytes) => bytes,
            SourceContent::TooLarge(size) => {
                return Arc::new(unread(too_large(*size, self.parser.limits.bytes)));
            }
            SourceContent::Unread(_) => {
                return Arc::new(unread("not read, in a change of too many bytes".to_owned()));
            }
            SourceContent::LfsPointer(_) => {
                return Arc::new(unread("a git-lfs pointer".to_owned()));
            }
            SourceContent::SymbolicLink(_) => {
                return Arc::new(unread("a symbolic link".to_owned()));
            }
            SourceContent::Submodule => return Arc::new(unread("a submodule".to_owned())),
            SourceContent::UnopenedFolder => return Arc::new(unread("a folder".to_owned())),
        };
        let Some(language) = language_of(path) else {
            return Arc::new(self.parser.parse(path, bytes));
        };
        let support = language.support();
        let for_tests = support.is_for_tests(path);
        let key = ParseCacheKey {
            content: blob.id,
            language,
            for_tests,
        };
        if let Some(file) = self.files().find(&key) {
            return file;
        }
        let incremental = self.incremental.iter().find(|(known, _)| *known == language);
        let file = Arc::new(self.parser.parse_with(bytes, |source, limits| match incremental {
            Some((_, parser)) => parser.parse(source, for_tests, limits),
            None => support.parse(source, for_tests, limits),
        }));
        self.files().insert(key, Arc::clone(&file), bytes.len());
        file
    }

    fn files(&self) -> std::sync::MutexGuard<'_, LruCache<ParseCacheKey, Arc<SourceFile>>> {
        // A map is whole at every moment a panic could leave it.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
