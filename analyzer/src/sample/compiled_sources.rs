//! A sample and the two sides of a version → the same, as far as the compilers of the sampled version read them.
//!
//! A branch of the preprocessor of which the macros say that it is not compiled is blank, on all sides, and so is a condition
//! that always holds. Lines keep their numbers.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::Sample;
use super::known_macros::MacroKnowledge;
use crate::languages::language_of;
use crate::sources::{Blob, ContentId, FileChange, FileSource, ListedFile, SourceContent};
use crate::syntax::lru_cache::LruCache;

/// The context of the ids of texts that no version holds.
const COMPILED_CONTEXT: &str = "lito 2026 source without what the preprocessor leaves out";

/// A sample, read as its compilers did.
pub(crate) struct CompiledSample {
    pub(crate) sample: Sample,
    sources: Arc<CompiledSources>,
}

/// Sources, as compilers read them.
struct CompiledSources {
    known: MacroKnowledge,
    read: Mutex<ReadSources>,
}

/// By content and path, the text that is read of a source; `None` where that is all of it.
type ReadSources = LruCache<(ContentId, Arc<str>), Option<Blob>>;

/// Bytes of texts that are kept: those of the sources of some thousand versions.
const KEPT_BYTES: usize = 64 << 20;

/// The files of a version, as compilers read them.
pub(crate) struct CompiledTree<T> {
    tree: T,
    sources: Arc<CompiledSources>,
}

impl Sample {
    /// The same for a version whose macros are known; `None` if they are not.
    pub(crate) fn as_compiled(&self, sides: [&dyn FileSource; 2]) -> Option<Arc<CompiledSample>> {
        let known = MacroKnowledge::of(self, sides)?;
        let mut last = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.sources.known == known) {
            return Some(Arc::clone(last));
        }
        let sources = Arc::new(CompiledSources {
            known,
            read: Mutex::new(LruCache::new(KEPT_BYTES)),
        });
        let tree = CompiledTree {
            tree: Arc::clone(&self.tree),
            sources: Arc::clone(&sources),
        };
        let sample = Self::new(self.commit.clone(), self.benchmarks.clone(), Arc::new(tree))
            .with_inputs(self.inputs.clone())
            .with_unprofiled(self.unprofiled.clone())
            .with_left_out(self.left_out.clone());
        let compiled = Arc::new(CompiledSample { sample, sources });
        *last = Some(Arc::clone(&compiled));
        Some(compiled)
    }
}

impl CompiledSample {
    /// The files of a version, read as those of the sample.
    pub(crate) fn tree<'t>(&self, tree: &'t dyn FileSource) -> CompiledTree<&'t dyn FileSource> {
        CompiledTree {
            tree,
            sources: Arc::clone(&self.sources),
        }
    }

    /// A changed file, read so on both sides.
    pub(crate) fn change(&self, file: &FileChange) -> FileChange {
        let side = |blob: &Option<Blob>| blob.clone().map(|blob| self.sources.compiled(&file.path, blob));
        FileChange {
            path: Arc::clone(&file.path),
            before: side(&file.before),
            after: side(&file.after),
        }
    }
}

impl CompiledSources {
    fn compiled(&self, path: &str, blob: Blob) -> Blob {
        let macros = self.known.in_file(path).zip(language_of(path));
        let Some(((macros, language), bytes)) = macros.zip(blob.content.bytes()) else {
            return blob;
        };
        let key = (blob.id, Arc::from(path));
        let read = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read().find(&key) {
            return known.unwrap_or(blob);
        }
        let compiled = std::str::from_utf8(bytes).ok().and_then(|source| {
            let text = language.support().compiled_with(source, &macros);
            (*text != *source).then(|| Blob {
                id: id_of(text.as_bytes()),
                content: SourceContent::Bytes(text.as_bytes().into()),
            })
        });
        let kept = compiled.as_ref().and_then(|blob| blob.content.bytes());
        let size = path.len() + kept.map_or(0, |bytes| bytes.len());
        read().insert(key, compiled.clone(), size);
        compiled.unwrap_or(blob)
    }
}

fn id_of(bytes: &[u8]) -> ContentId {
    let digest = blake3::derive_key(COMPILED_CONTEXT, bytes);
    ContentId(*digest.first_chunk().expect("a digest is longer"))
}

impl<T: Deref<Target: FileSource>> FileSource for CompiledTree<T> {
    fn file(&self, path: &str) -> Option<Blob> {
        Some(self.sources.compiled(path, self.tree.file(path)?))
    }

    fn id(&self, path: &str) -> Option<ContentId> {
        match self.sources.known.in_file(path) {
            Some(_) => self.file(path).map(|blob| blob.id),
            None => self.tree.id(path),
        }
    }

    fn all_files(&self) -> Option<Vec<ListedFile>> {
        let mut files = self.tree.all_files()?;
        for file in &mut files {
            if let Some(id) = self.sources.known.in_file(&file.path).and_then(|_| self.id(&file.path)) {
                file.id = id;
            }
        }
        Some(files)
    }
}
