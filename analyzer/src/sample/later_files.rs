//! The source files of versions that are scored on a sample → their contents with everything that follows from a content
//! and the sample alone. Versions that have the same content of a file share it.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashMap;

use super::mentioning_places::MentioningPlaces;
use super::vocabulary::{Vocabulary, Word};
use super::{LaterVersion, Sample, SampledFunction};
use crate::change::LocatedFunction;
use crate::languages::Language;
use crate::layout::ModulePath;
use crate::sources::{Blob, ContentId, SourceContent};
use crate::syntax::lru_cache::LruCache;
use crate::syntax::{LineRange, ParseCache, SourceFile, SyntaxFunction};
use crate::text_search::{LineStarts, WordDigests, words_with_places};

/// Bytes of source whose files are kept for a sample: all files of a project of 80,000 lines. What is kept beside a file
/// takes about ten times its source, and the samples of some hundred versions are held at once.
const KEPT_BYTES: usize = 3 << 20;

/// So many words are more than a project has at once. Beyond, everything is made anew.
const MOST_WORDS: usize = 1 << 20;

type FilesByContent = LruCache<(Arc<str>, ContentId), Arc<LaterFile>>;

/// Files of later versions, with the vocabulary that their words are numbered in.
#[derive(Debug)]
pub(crate) struct LaterFiles {
    pub(crate) vocabulary: Vocabulary,
    files: Mutex<FilesByContent>,
}

impl Default for LaterFiles {
    fn default() -> Self {
        Self {
            vocabulary: Vocabulary::default(),
            files: Mutex::new(LruCache::new(KEPT_BYTES)),
        }
    }
}

/// One content of a source file.
#[derive(Debug)]
pub(crate) struct LaterFile {
    pub(crate) path: Arc<str>,
    pub(crate) language: Language,
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) id: ContentId,
    /// True if the sampled version had it as it is.
    pub(crate) is_as_sampled: bool,
    declared: OnceLock<Vec<String>>,
    parsed: OnceLock<Arc<SourceFile>>,
    line_starts: OnceLock<LineStarts>,
    digests: OnceLock<WordDigests>,
    /// As the module that it was last.
    placed: Mutex<Option<Arc<PlacedFile>>>,
}

/// A content as a module of the project.
#[derive(Debug)]
pub(crate) struct PlacedFile {
    module: ModulePath,
    /// The functions as they were in the sample, by first line; `None` for those that it did not have.
    sampled: Mutex<HashMap<u32, Option<SampledFunction>>>,
    places: OnceLock<MentioningPlaces>,
}

impl LaterFiles {
    /// True if there are more words than a project has at once.
    pub(super) fn is_full(&self) -> bool {
        self.vocabulary.len() > MOST_WORDS
    }

    /// A file by its content, read if it is not known; `None` if it cannot be read, and an error for what is not text.
    pub(crate) fn get(
        &self,
        path: &str,
        language: Language,
        (sample, later): (&Sample, LaterVersion<'_>),
    ) -> Option<Result<Arc<LaterFile>, NotRead>> {
        let path: Arc<str> = path.into();
        let known = later.tree.id(&path)?;
        if let Some(file) = self.files().find(&(Arc::clone(&path), known)) {
            return Some(Ok(file));
        }
        let Blob { id, content } = later.tree.file(&path)?;
        let SourceContent::Bytes(bytes) = content else {
            return Some(Err(NotRead));
        };
        let length = bytes.len();
        let file = Arc::new(LaterFile {
            is_as_sampled: sample.tree.id(&path) == Some(id),
            path: Arc::clone(&path),
            language,
            bytes,
            id,
            declared: OnceLock::new(),
            parsed: OnceLock::new(),
            line_starts: OnceLock::new(),
            digests: OnceLock::new(),
            placed: Mutex::default(),
        });
        self.files().insert((path, id), Arc::clone(&file), length);
        Some(Ok(file))
    }

    fn files(&self) -> MutexGuard<'_, FilesByContent> {
        // A map is whole at every moment a panic could leave it.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is too large, or elsewhere.
#[derive(Debug)]
pub(crate) struct NotRead;

impl LaterFile {
    /// The file, parsed when first requested: most files do not mention the name that is looked up.
    pub(crate) fn source(&self, parser: &ParseCache) -> &Arc<SourceFile> {
        self.parsed.get_or_init(|| {
            let content = SourceContent::Bytes(Arc::clone(&self.bytes));
            parser.get(&self.path, &Blob { id: self.id, content })
        })
    }

    pub(crate) fn line_starts(&self) -> &LineStarts {
        self.line_starts.get_or_init(|| LineStarts::of(&self.bytes))
    }

    /// True for a line, 1-based, that is a comment as a whole.
    pub(crate) fn is_line_comment(&self, line: u32) -> bool {
        let place = self.line_starts().place(LineRange {
            first: line,
            last: line,
        });
        let text = self.bytes.get(place).unwrap_or_default().trim_ascii_start();
        text.starts_with(self.language.support().line_comment().as_bytes())
    }

    /// False if the text does not hold a word as a whole word, so that it need not be searched.
    pub(crate) fn may_hold(&self, word: &str) -> bool {
        self.digests.get_or_init(|| WordDigests::of(&self.bytes)).may_hold(word)
    }

    /// The files that its declarations lead to.
    pub(crate) fn declared_files(&self) -> &[String] {
        let declared = || self.language.support().declared_files(&self.path, &self.bytes);
        self.declared.get_or_init(|| declared().into_iter().collect())
    }

    /// The identifiers in a part that begins with a line, line comments left out, with the place of their first byte.
    pub(super) fn words_in(&self, part: Range<usize>, vocabulary: &Vocabulary) -> Vec<(usize, Word)> {
        let start = part.start;
        let words = words_with_places(&self.bytes[part], self.language);
        words.map(|(word, at)| (start + at, vocabulary.word(word))).collect()
    }

    /// The file as a module.
    pub(crate) fn placed(&self, module: &ModulePath) -> Arc<PlacedFile> {
        let mut placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        match &*placed {
            Some(known) if known.module == *module => Arc::clone(known),
            _ => {
                let file = Arc::new(PlacedFile {
                    module: module.clone(),
                    sampled: Mutex::default(),
                    places: OnceLock::new(),
                });
                *placed = Some(Arc::clone(&file));
                file
            }
        }
    }
}

impl PlacedFile {
    /// A function of the file with its full name.
    pub(crate) fn located(&self, file: &LaterFile, function: &Arc<SyntaxFunction>) -> LocatedFunction {
        LocatedFunction {
            file: Arc::clone(&file.path),
            name: self.module.name(&function.path),
            function: Arc::clone(function),
        }
    }

    /// A function of the file, as the sampled version had it; `None` if it did not.
    pub(crate) fn sampled(
        &self,
        file: &LaterFile,
        function: &Arc<SyntaxFunction>,
        (sample, parser): (&Sample, &ParseCache),
    ) -> Option<SampledFunction> {
        let sampled = || self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sampled().get(&function.lines.first) {
            return known.clone();
        }
        let found = sample.find_as_it_was(&self.located(file, function), parser);
        sampled().insert(function.lines.first, found.clone());
        found
    }

    /// The functions and items of the file with the words in them.
    pub(crate) fn places(
        &self,
        file: &LaterFile,
        (sample, parser): (&Sample, &ParseCache),
        vocabulary: &Vocabulary,
    ) -> &MentioningPlaces {
        self.places
            .get_or_init(|| MentioningPlaces::of((file, self), (sample, parser), vocabulary))
    }
}
