//! Parsed files by content: what is after in one commit is before in the next, and is parsed once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Language, Limits, Parser, SourceFile, is_for_tests, language_of, too_large, unread};
use crate::sources::{Blob, Content, ContentId};

/// Source bytes whose model the cache keeps by default: a model takes about five times its source, so this
/// stays near 100 MB, and holds several versions of every hot file of a large project.
const DEFAULT_BYTES: usize = 20 << 20;

/// A bounded, concurrent cache of parsed files. Locks are held for look-ups only, never while parsing: two
/// threads that miss at once both parse, which is rare and harmless.
#[derive(Debug)]
pub struct ParseCache {
    parser: Parser,
    capacity: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    files: HashMap<Key, Entry>,
    /// Oldest first. A key that was used again stands in it more than once; only its last place counts.
    order: VecDeque<(Key, u64)>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    file: Arc<SourceFile>,
    bytes: usize,
    used: u64,
}

/// What parsing depends on besides the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    content: ContentId,
    language: Language,
    for_tests: bool,
}

impl Default for ParseCache {
    fn default() -> Self {
        Self::new(Parser::new(Limits::default()), DEFAULT_BYTES)
    }
}

impl ParseCache {
    /// A cache that keeps the models of at most `capacity` bytes of source.
    #[must_use]
    pub fn new(parser: Parser, capacity: usize) -> Self {
        Self {
            parser,
            capacity,
            entries: Mutex::default(),
        }
    }

    /// The file at a path, parsed now or before. What is not a regular file, or too large to have been read,
    /// has a problem and no functions.
    #[must_use]
    pub fn get(&self, path: &str, blob: &Blob) -> Arc<SourceFile> {
        let language = language_of(path).unwrap_or(Language::Rust);
        let bytes = match &blob.content {
            Content::Bytes(bytes) => bytes,
            Content::TooLarge(size) => {
                return Arc::new(unread(language, too_large(*size, self.parser.limits.bytes)));
            }
            Content::LfsPointer(_) => {
                return Arc::new(unread(language, "a git-lfs pointer".to_owned()));
            }
            Content::SymbolicLink => {
                return Arc::new(unread(language, "a symbolic link".to_owned()));
            }
            Content::Submodule => return Arc::new(unread(language, "a submodule".to_owned())),
        };
        let key = Key {
            content: blob.id,
            language,
            for_tests: is_for_tests(path, language),
        };
        if let Some(file) = self.entries().find(key) {
            return file;
        }
        let file = Arc::new(self.parser.parse(path, bytes));
        self.entries()
            .insert(key, Arc::clone(&file), bytes.len(), self.capacity);
        file
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Entries> {
        // Entries are whole at every moment a panic could leave them.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn find(&mut self, key: Key) -> Option<Arc<SourceFile>> {
        self.clock += 1;
        let entry = self.files.get_mut(&key)?;
        entry.used = self.clock;
        self.order.push_back((key, self.clock));
        Some(Arc::clone(&entry.file))
    }

    fn insert(&mut self, key: Key, file: Arc<SourceFile>, bytes: usize, capacity: usize) {
        self.clock += 1;
        let entry = Entry {
            file,
            bytes,
            used: self.clock,
        };
        if let Some(old) = self.files.insert(key, entry) {
            self.bytes -= old.bytes;
        }
        self.bytes += bytes;
        self.order.push_back((key, self.clock));
        while self.bytes > capacity {
            let Some((oldest, used)) = self.order.pop_front() else {
                break;
            };
            if self
                .files
                .get(&oldest)
                .is_some_and(|entry| entry.used == used)
                && let Some(entry) = self.files.remove(&oldest)
            {
                self.bytes -= entry.bytes;
            }
        }
    }
}
